import fc from "fast-check";
import { expect, test } from "vitest";
import { WHOLE } from "../../src/tokenizer/bpe/tables.ts";
import type { BpeTokenizer } from "../../src/tokenizer/bpe/tokenizer.ts";
import { tokenizerFromJson } from "../../src/tokenizer/index.ts";
import { naiveMerge, toyJson } from "./toy.ts";

const toy = (merges: readonly string[]) => tokenizerFromJson(toyJson({ merges })) as BpeTokenizer;

/** Merges of which each joins two tokens that exist: by places in the list of tokens so far, of any order of ranks. */
const mergeLists = fc
  .tuple(fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 14 }), fc.boolean(), fc.infiniteStream(fc.nat()))
  .map(([picks, isShuffled, random]) => {
    const tokens = ["a", "b", "c"];
    const merges: string[] = [];
    for (const [left, right] of picks) {
      const merge = `${tokens[left % tokens.length]} ${tokens[right % tokens.length]}`;
      if (merges.includes(merge) || merge.length > 12) continue;
      merges.push(merge);
      tokens.push(merge.replace(" ", ""));
    }
    if (isShuffled) merges.sort(() => (random.next().value % 2 === 0 ? -1 : 1));
    return merges;
  });

const words = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 14 });

test("merges as the definition says", () => {
  fc.assert(
    fc.property(mergeLists, fc.array(words, { minLength: 1, maxLength: 8 }), (merges, samples) => {
      const tokenizer = toy(merges);
      for (const word of samples) {
        expect([...tokenizer.encode(word)].map((id) => tokenizer.idToToken(id))).toEqual(naiveMerge(word, merges));
      }
    }),
    { numRuns: 150 },
  );
});

test("long words take another path to the same ids", () => {
  fc.assert(
    fc.property(
      mergeLists,
      fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 65, maxLength: 200 }),
      (merges, word) => {
        const tokenizer = toy(merges);
        expect([...tokenizer.encode(word)].map((id) => tokenizer.idToToken(id))).toEqual(naiveMerge(word, merges));
      },
    ),
    { numRuns: 100 },
  );
});

test("a token is marked whole only if its bytes merge to it", () => {
  let marked = 0;
  fc.assert(
    fc.property(mergeLists, (merges) => {
      const tokenizer = toy(merges);
      tokenizer.tables.tokenFlags.forEach((flags, id) => {
        if ((flags & WHOLE) === 0) return;
        const entry = tokenizer.idToToken(id) as string;
        if (entry.length === 1) return;
        marked++;
        expect(naiveMerge(entry, merges)).toEqual([entry]);
      });
    }),
    { numRuns: 150 },
  );
  expect(marked).toBeGreaterThan(100);
});

test("tokens that other merges break up are not marked", () => {
  // "abc" is a + bc, but "a b" comes first and leaves ab + c.
  const tokenizer = toy(["a b", "b c", "a bc"]);
  expect(tokenizer.tables.tokenFlags[tokenizer.tokenToId("abc") as number] & WHOLE).toBe(0);
  expect(tokenizer.decode(tokenizer.encode("abc"))).toBe("abc");
  expect([...tokenizer.encode("abc")].map((id) => tokenizer.idToToken(id))).toEqual(["ab", "c"]);
});

test("ignore_merges takes a pre-token that is in the vocabulary as it is", () => {
  const tokenizer = tokenizerFromJson(toyJson({ merges: ["a b", "b c", "a bc"], ignoreMerges: true }));
  expect([...tokenizer.encode("abc")].map((id) => tokenizer.idToToken(id))).toEqual(["abc"]);
});
