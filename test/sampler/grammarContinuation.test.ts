import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkGbnf } from "../../src/gbnf/checkGbnf.ts";
import { continuationOf } from "../../src/gbnf/continuation.ts";
import { type Gbnf, type GbnfMatcher, gbnfMatcher, jsonSchemaToGbnf, parseGbnf } from "../../src/gbnf/index.ts";
import { allowedIds, hasId, idsOf, type VocabularyTrie } from "../../src/sampler/grammar/index.ts";
import { grammars, letters } from "../support/grammars.ts";
import { type NativeGrammars, type NativeState, nativeGrammars } from "../support/nativeGrammar.ts";
import { ids as encoded } from "../support/qwen3.ts";

let native: NativeGrammars;
let trie: VocabularyTrie;
beforeAll(async () => {
  native = await nativeGrammars();
  trie = native.trie;
});
afterAll(() => native?.dispose());

const take = (matcher: GbnfMatcher, id: number): boolean => matcher.acceptToken(id, trie.bytesOf(id));

/** What llama.cpp makes of what may follow. */
async function following(matcher: GbnfMatcher): Promise<NativeState> {
  const rest = continuationOf(matcher);
  if (rest.kind !== "grammar") throw new Error(rest.kind);
  return native.begin(rest.gbnf, rest.root);
}

const schema = {
  type: "object",
  properties: {
    city: { enum: ["Oslo", "São Paulo"] },
    note: { type: "string", maxLength: 9 },
    ok: { type: "boolean" },
  },
  required: ["city", "note"],
};
const call = `root ::= <[151657]> "\\n" call{1,3} <[151658]>
call ::= "{" [a-z日]{2,4} ("=" | ": ") (value | "[" value ("," value)* "]") "}" "\\n"?
value ::= [0-9]+ | "\\"" [^"\\x00]* "\\""`;

describe("llama.cpp, which begins with what may follow, goes on as if it had drawn what came before", () => {
  it.each<[string, Gbnf, string]>([
    ["a schema", jsonSchemaToGbnf(schema, { dialect: "json" }), '{"city": "São Paulo", "note": "日é🚀", "ok": true}'],
    ["a call", parseGbnf(call), '<tool_call>\n{a日b=[12,"x y"]}\n{ab: 3}</tool_call>'],
  ])("%s", async (_, gbnf, text) => {
    const whole = await native.begin(gbnf);
    const matcher = gbnfMatcher(gbnf);
    const ids = [...encoded(text)];
    for (const [at, id] of ids.entries()) {
      if (continuationOf(matcher).kind === "grammar") {
        const rest = await following(matcher);
        const allowed = allowedIds(matcher, trie);
        const some = [...idsOf(allowed)].filter((_, i) => i < 40 || i % 2000 === 0);
        for (const one of [...some, ...trie.ids.filter((_, i) => i % 700 === 0), ...ids, ...native.eogIds]) {
          expect(rest.allows(one), `${at}: ${one}`).toBe(whole.allows(one));
          if (!native.eogIds.includes(one)) expect(rest.allows(one), `${at}: ${one}`).toBe(hasId(allowed, one));
        }
        for (const later of ids.slice(at)) {
          expect(rest.allows(later)).toBe(true);
          rest.accept(later);
        }
        expect(native.eogIds.map(rest.allows)).toEqual(native.eogIds.map(() => true));
      }
      expect(whole.allows(id)).toBe(true);
      whole.accept(id);
      expect(take(matcher, id)).toBe(true);
    }
    expect(matcher.isComplete()).toBe(true);
  });

  it("with random grammars", async () => {
    const runnable = grammars((gbnf) => checkGbnf(gbnf, { root: "root" }));
    const spelled = [...letters, "ab", "aa", "b]", "]a"].flatMap((text) => [...encoded(text)]);
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(runnable, fc.array(fc.constantFrom(...spelled), { maxLength: 6 }), async (gbnf, before) => {
        const matcher = gbnfMatcher(gbnf);
        const whole = await native.begin(gbnf);
        for (const id of before) if (take(matcher, id)) whole.accept(id);
        if (continuationOf(matcher).kind !== "grammar") return;
        const rest = await following(matcher);
        for (const id of [...spelled, ...native.eogIds]) {
          expect(rest.allows(id)).toBe(whole.allows(id));
          if (rest.allows(id)) compared++;
        }
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThan(60);
  });
});

it("llama.cpp takes no token by its id that begins inside of a character, so that a state cannot begin there", async () => {
  const inside = [...trie.ids].filter((id) => (trie.bytesOf(id)[0]! & 0xc0) === 0x80);
  expect(inside.length).toBeGreaterThan(60);
  for (const id of inside.slice(0, 60)) {
    const state = await native.begin(parseGbnf(`root ::= <[${id}]> .*`));
    expect(state.allows(id)).toBe(false);
  }
});
