import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BpeTokenizer } from "../../src/tokenizer/bpe/tokenizer.ts";
import {
  fromSharedTables,
  shareTables,
  type Tokenizer,
  tokenizerFromGguf,
  tokenizerFromJson,
} from "../../src/tokenizer/index.ts";
import { toyJson } from "./toy.ts";

const model = fileURLToPath(new URL("../../embedded-model/tito-calculator-qwen3.gguf", import.meta.url));
const merges = ["Ġ Ġ", "Ġ t", "h e", "Ġt he", "a n", "Ã ©", "ä ¸", "ä¸ Ń", "l l", "e r", "i n", "in g"];

const tokenizers: [name: string, tokenizer: Tokenizer][] = [
  ["toy, NFC", tokenizerFromJson(toyJson({ merges, normalizer: { type: "NFC" }, added: ["<think>", "<|im_end|>"] }))],
  ["toy, o200k", tokenizerFromJson(toyJson({ merges, pattern: "o200k", added: ["<think>"], ignoreMerges: true }))],
  ["toy, DeepSeek", tokenizerFromJson(toyJson({ merges, pattern: "deepseek_v3", added: ["<think>"] }))],
];
if (existsSync(model)) tokenizers.push(["Qwen3, from the embedded GGUF", tokenizerFromGguf(model)]);

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom("the ", "calling", " 42", "\n\n", "é", "e\u0301", "中", "<think>", "<|im_end|>", "'ll", "😀"),
      {
        maxLength: 20,
      },
    )
    .map((parts) => parts.join("")),
);

describe.each(tokenizers)("%s", (_, tokenizer) => {
  test("decoding gives back the normalised text", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(tokenizer.decode(tokenizer.encode(text, { addedTokens: "plain" }))).toBe(tokenizer.normalize(text));
      }),
    );
  });

  test("byte lengths add up, and bytes of ids are the bytes of the whole", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const ids = tokenizer.encode(text);
        const bytes = tokenizer.decodeBytes(ids);
        const each = [...ids].map((id) => tokenizer.decodeBytes([id]));
        expect(Buffer.concat(each)).toEqual(Buffer.from(bytes));
        expect([...ids].map((id) => tokenizer.byteLength(id))).toEqual(each.map(({ length }) => length));
        expect(tokenizer.decode(ids)).toBe(Buffer.from(bytes).toString("utf8"));
      }),
    );
  });

  test("a text that was seen before has the same ids", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (part, times) => {
        const text = part.repeat(times);
        const cached = tokenizer.encode(text);
        (tokenizer as BpeTokenizer).clearCache();
        expect(tokenizer.encode(text)).toEqual(cached);
        // What the caller does with the ids is no business of the cache.
        tokenizer.encode(text).fill(0);
        expect(tokenizer.encode(text)).toEqual(cached);
      }),
    );
  });

  test("lone surrogates are U+FFFD", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("\ud800", "\udc00", "a", " ", "é"), { maxLength: 9 }), (parts) => {
        const text = parts.join("");
        expect(tokenizer.encode(text)).toEqual(tokenizer.encode(text.toWellFormed()));
        expect(tokenizer.normalize(text)).toBe(tokenizer.normalize(text.toWellFormed()));
      }),
    );
  });

  test("ids and tokens name each other", () => {
    for (let id = 0; id < tokenizer.vocabSize; id += 1 + Math.floor(id / 97)) {
      const token = tokenizer.idToToken(id);
      if (token !== undefined) expect(tokenizer.tokenToId(token)).toBe(id);
    }
    expect(tokenizer.idToToken(-1)).toBeUndefined();
    expect(tokenizer.idToToken(tokenizer.vocabSize)).toBeUndefined();
    expect(tokenizer.tokenToId("no such token")).toBeUndefined();
  });

  test("ids that do not exist have no bytes", () => {
    expect(tokenizer.decode([-1, tokenizer.vocabSize, 1e9])).toBe("");
    expect(tokenizer.byteLength(tokenizer.vocabSize)).toBe(0);
  });

  test("a byte order mark is text", () => {
    const ids = tokenizer.encode("\ufeffa");
    expect(tokenizer.decode(ids)).toBe("\ufeffa");
  });

  test("another thread's tokenizer over the same tables is the same", () => {
    const shared = structuredClone(shareTables(tokenizer));
    const twin = fromSharedTables(shared);
    expect(shared.tables.tokenBytes.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(twin.encode("the calling <think> 中")).toEqual(tokenizer.encode("the calling <think> 中"));
    expect(twin.eosTokenId).toBe(tokenizer.eosTokenId);
  });

  test.each([
    "a",
    "中",
    " ",
    "\n",
    "é",
    "1",
    "'",
    "😀",
    "a\u0301",
    "ʰA",
    " \n",
    "<",
    "\u0000",
    "A\u0301a",
    "\u0301",
    "ab1",
  ])("100,000 × %j reads back, within the test's time limit", (unit) => {
    const text = unit.repeat(100_000);
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(tokenizer.normalize(text));
  });
});

test("the cache is bounded and survives being full", () => {
  const tokenizer = tokenizerFromJson(toyJson({ merges }));
  const expected = tokenizer.encode("the calling");
  for (let round = 0; round < 30; round++) {
    const words = Array.from(
      { length: 5000 },
      (_, index) => ` w${(round * 5000 + index).toString(36).replace(/\d/g, "é")}`,
    );
    const text = words.join("");
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  }
  expect(tokenizer.encode("the calling")).toEqual(expected);
});
