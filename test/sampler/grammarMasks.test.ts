import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkGbnf } from "../../src/gbnf/checkGbnf.ts";
import { type GbnfMatcher, gbnfMatcher, jsonSchemaToGbnf, parseGbnf } from "../../src/gbnf/index.ts";
import {
  allowedIds,
  bannedIds,
  hasId,
  type IdSet,
  idsOf,
  idsWriting,
  soleAllowed,
  type VocabularyTrie,
  vocabularyTrie,
} from "../../src/sampler/grammar/index.ts";
import { boundedMasks } from "../../src/sampler/grammar/maskCache.ts";
import { grammars } from "../support/grammars.ts";
import { pieceOf, pieces, withTokens } from "../support/grammarTokens.ts";
import { ids as qwenIds, tokenizer } from "../support/qwen3.ts";

const runnable = grammars((gbnf) => checkGbnf(gbnf, { root: "root" }));

/** By its definition: every id is tried. */
function allowedSlowly(matcher: GbnfMatcher, { vocabSize, bytesOf }: VocabularyTrie, eogIds: readonly number[]) {
  const allowed: number[] = [];
  for (let id = 0; id < vocabSize; id++) {
    const bytes = bytesOf(id);
    if (bytes.length === 0 || bytes[0] === 0 || eogIds.includes(id)) continue;
    if (matcher.clone().acceptToken(id, bytes)) allowed.push(id);
  }
  return allowed;
}

describe("a vocabulary's trie", () => {
  const vocabularies = fc.array(fc.uint8Array({ maxLength: 4, max: 3 }), { maxLength: 40 });

  it("has every token that writes text under its bytes, and no other", () => {
    fc.assert(
      fc.property(vocabularies, fc.array(fc.nat(45)), (tokens, eogIds) => {
        const bytesOf = (id: number) => tokens[id]!;
        const trie = vocabularyTrie({ bytesOf, vocabSize: tokens.length, eogIds });
        const isIn = (id: number) => bytesOf(id).length > 0 && bytesOf(id)[0] !== 0 && !eogIds.includes(id);
        expect([...trie.ids].sort((a, b) => a - b)).toEqual([...tokens.keys()].filter(isIn));
        for (const [id, bytes] of tokens.entries()) {
          const same = [...tokens.keys()].filter((one) => isIn(one) && Buffer.compare(bytesOf(one), bytes) === 0);
          expect(idsWriting(trie, bytesOf(id))).toEqual(same);
        }
      }),
    );
  });

  it("numbers its nodes so that what goes on from a node follows it", () => {
    fc.assert(
      fc.property(vocabularies, (tokens) => {
        const trie = vocabularyTrie({ bytesOf: (id) => tokens[id]!, vocabSize: tokens.length, eogIds: [] });
        const { depths, behind, bytes } = trie;
        for (let node = 0; node < bytes.length; node++) {
          let end = node + 1;
          while (end < bytes.length && depths[end]! > depths[node]!) end++;
          expect(behind[node]).toBe(end);
        }
      }),
    );
  });
});

describe("the ids that can be next", () => {
  const eogIds = [2];
  const trie = vocabularyTrie({ bytesOf: pieceOf, vocabSize: pieces.length, eogIds });
  const ids = fc.array(fc.nat({ max: pieces.length - 1 }), { maxLength: 8 });

  it("are those that the matcher takes, wherever it is", () => {
    const counts = [0, 0, 0];
    fc.assert(
      fc.property(runnable.map(withTokens), ids, (gbnf, before) => {
        const matcher = gbnfMatcher(gbnf);
        for (const id of [undefined, ...before]) {
          if (id !== undefined && !matcher.acceptToken(id, pieceOf(id))) continue;
          const slowly = allowedSlowly(matcher, trie, eogIds);
          const allowed = allowedIds(matcher, trie);
          expect([...idsOf(allowed)]).toEqual(slowly);
          expect(allowed.count).toBe(slowly.length);
          const may = [...slowly, ...(matcher.isComplete() ? eogIds : [])];
          expect(bannedIds(matcher, trie, eogIds)).toEqual([...pieces.keys()].filter((id) => !may.includes(id)));
          expect(soleAllowed(matcher, trie)).toBe(slowly.length === 1 ? slowly[0] : undefined);
          counts[Math.min(slowly.length, 2)]!++;
        }
      }),
      { numRuns: 400 },
    );
    expect(Math.min(...counts)).toBeGreaterThan(30);
  });

  it("are worked out once for a state, whatever led to it", () => {
    const gbnf = parseGbnf('root ::= ("a" | "b" | [é-ü])* "]"');
    const [one, other] = [gbnfMatcher(gbnf), gbnfMatcher(gbnf)];
    one.accept("ab");
    other.accept("baé");
    expect(allowedIds(one, trie)).toBe(allowedIds(other, trie));
    one.accept(Uint8Array.of(0xc3));
    expect(allowedIds(one, trie)).not.toBe(allowedIds(other, trie));
    other.accept(Uint8Array.of(0xc3));
    expect(allowedIds(one, trie)).toBe(allowedIds(other, trie));
  });

  it("are those that the matcher takes however deep it is", () => {
    const gbnf = parseGbnf('root ::= "a" root? "b"');
    for (const depth of [3, 120_000, 120_000, 4]) {
      const matcher = gbnfMatcher(gbnf);
      matcher.accept("a".repeat(depth));
      expect([...idsOf(allowedIds(matcher, trie))]).toEqual(allowedSlowly(matcher, trie, eogIds));
    }
  });

  it("are those of tokens named by text, looked up or by their bytes", () => {
    const gbnf = parseGbnf("root ::= <x> | !<y> <x>");
    const texts = ["<x>", "<y>", "a", ""];
    const bytesOf = (id: number) => new TextEncoder().encode(texts[id]);
    const named = vocabularyTrie({ bytesOf, vocabSize: 4, eogIds: [] });
    for (const tokens of [undefined, (text: string) => texts.indexOf(text), () => 3]) {
      const matcher = gbnfMatcher(gbnf, tokens && { tokens });
      expect([...idsOf(allowedIds(matcher, named))]).toEqual(allowedSlowly(matcher, named, []));
    }
  });

  it("are kept as long as there is room, the last used for longest", () => {
    const mask = (): IdSet => ({ kind: "ids", words: new Uint32Array(2), count: 0 });
    const kept = boundedMasks(24);
    const masks = Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, mask()]));
    for (const key of ["a", "b", "c"]) kept.set(key, masks[key]!);
    expect(kept.get("a")).toBe(masks.a);
    kept.set("d", masks.d!);
    expect(["a", "b", "c", "d"].map((key) => kept.get(key))).toEqual([masks.a, undefined, masks.c, masks.d]);
  });
});

describe("of the whole vocabulary of the embedded model", () => {
  const vocabSize = 151_936;
  const table = Array.from({ length: vocabSize }, (_, id) => Uint8Array.from(tokenizer.decodeBytes([id])));
  const eogIds = [151_643, 151_645];
  const trie = vocabularyTrie({ bytesOf: (id) => table[id]!, vocabSize, eogIds });
  const schema = {
    type: "object",
    properties: { città: { enum: ["Oslo", "São Paulo", "日本"] }, days: { type: "integer", minimum: 1, maximum: 14 } },
    required: ["città"],
  };
  const call = parseGbnf('root ::= <[151657]> "\\n" [^<]* (<[151658]> | "</" | [日-本] "🚀"+)');

  it.each([
    ["a schema", jsonSchemaToGbnf(schema, { dialect: "json" }), '{"città": "日本", "days": 12}'],
    ["a call with its markers", call, "<tool_call>\nsome 語🚀 text</tool_call>"],
  ])("those that the matcher takes: %s", (_, gbnf, text) => {
    const matcher = gbnfMatcher(gbnf);
    const encoded = [...qwenIds(text)];
    const places = new Set([0, encoded.length >> 1, encoded.length - 1]);
    const check = (one: GbnfMatcher) => {
      const slowly = allowedSlowly(one, trie, eogIds);
      const allowed = allowedIds(one, trie);
      expect(allowed.count).toBe(slowly.length);
      expect(slowly.every((id) => hasId(allowed, id))).toBe(true);
      expect(soleAllowed(one, trie)).toBe(slowly.length === 1 ? slowly[0] : undefined);
    };
    for (let at = 0; at <= encoded.length; at++) {
      if (places.has(at)) check(matcher);
      if (at < encoded.length) expect(matcher.acceptToken(encoded[at]!, table[encoded[at]!]!)).toBe(true);
    }
    expect(matcher.isComplete()).toBe(true);
    const inside = gbnfMatcher(parseGbnf("root ::= [あ-ん日本]+"));
    inside.accept(Uint8Array.of(0xe3, 0x81));
    check(inside);
  });
});
