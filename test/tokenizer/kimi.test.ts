import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forEachChunk } from "../../src/tokenizer/bpe/chunks.ts";
import { loadTokenizer, tokenizerFromKimi, tokenizerFromTiktoken } from "../../src/tokenizer/index.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { sentencePieceFile } from "./sentencePieceFile.ts";

const words = [...Array.from({ length: 256 }, (_, byte) => Buffer.of(byte)), Buffer.from("he"), Buffer.from("中文")];
const ranks = words.map((bytes, rank) => `${bytes.toString("base64")} ${rank}`).join("\n");
const config = {
  bos_token: "[BOS]",
  eos_token: { content: "[EOS]" },
  chat_template: "{{ x }}",
  added_tokens_decoder: {
    "258": { content: "[BOS]", special: true },
    "259": { content: "[EOS]", special: true },
    "262": { content: "<|im_end|>", special: true },
    "263": { content: "<|tool_call_begin|>", special: false },
  },
};

describe("Kimi's tiktoken.model", () => {
  const tokenizer = tokenizerFromKimi(ranks, config);

  test("has 256 control tokens after the ranks, named by the config or by their id", () => {
    expect(tokenizer.vocabSize).toBe(258 + 256);
    expect([...tokenizer.encode("he[BOS]<|im_end|><|reserved_token_261|>中文a")]).toEqual([
      256, 258, 262, 261, 257, 97,
    ]);
    expect(tokenizer.idToToken(258 + 255)).toBe(`<|reserved_token_${258 + 255}|>`);
    expect(tokenizer.tokenToId("<|reserved_token_258|>")).toBeUndefined();
    expect(tokenizer.addedTokens.map(({ id }) => id)).toEqual(Array.from({ length: 256 }, (_, index) => 258 + index));
    expect(tokenizer.addedTokens.filter(({ special }) => !special).map(({ content }) => content)).toEqual([
      "<|tool_call_begin|>",
    ]);
    expect([tokenizer.bosTokenId, tokenizer.eosTokenId, tokenizer.chatTemplate]).toEqual([258, 259, "{{ x }}"]);
  });

  test("names the token that is missing", () => {
    expect(() => tokenizerFromKimi(ranks, { ...config, eos_token: "[END]" }, { nameOrPath: "acme/kimi" })).toThrow(
      expect.objectContaining({
        code: "token_missing",
        message: expect.stringMatching(/acme\/kimi has no token \[END\]/),
      }),
    );
    expect(() => tokenizerFromKimi(ranks, { ...config, added_tokens_decoder: {} })).toThrow(
      expect.objectContaining({ code: "token_missing", details: expect.objectContaining({ missing: ["[EOS]"] }) }),
    );
  });

  test("is refused with a config of other ranks", () => {
    const added_tokens_decoder = { "7": { content: "[BOS]", special: true } };
    for (const decoder of [added_tokens_decoder, { x: { content: "a" } }, "none"]) {
      expect(() => tokenizerFromKimi(ranks, { added_tokens_decoder: decoder })).toThrow(
        expect.objectContaining({ code: "tokenizer_invalid" }),
      );
    }
  });

  test("cuts a long text before merging, and only there", () => {
    const before = "a".repeat(24_999);
    expect([...tokenizer.encode(`${before}he`).subarray(-2)]).toEqual([104, 101]);
    expect([...tokenizer.encode(`${before} he`).subarray(-1)]).toEqual([256]);
    const uncut = tokenizerFromTiktoken(ranks, { pattern: "kimi" });
    expect([...uncut.encode(`${before}he`).subarray(-1)]).toEqual([256]);
  });
});

describe("chunks", () => {
  const chunksOf = (text: string, limits: { text: number; stretch: number }): string[] => {
    const chunks: string[] = [];
    forEachChunk(text, limits, (chunk) => chunks.push(chunk));
    return chunks;
  };
  const limits = { text: 20, stretch: 6 };
  const texts = fc
    .array(fc.constantFrom("a", " ", "\n", "\u001c", "中", "😀", "word"), { maxLength: 60 })
    .map((parts) => parts.join(""));

  test("are the text, none above a limit, and cut no character", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const chunks = chunksOf(text, limits);
        expect(chunks.join("")).toBe(text);
        for (const chunk of chunks) {
          expect(chunk.isWellFormed()).toBe(true);
          expect([...chunk].length).toBeLessThanOrEqual(limits.text);
          expect(chunk).not.toMatch(/[^\s\u001c]{7}|[\s\u001c]{7}/u);
        }
      }),
    );
  });

  test("fall where the limits say", () => {
    expect(chunksOf("abcdefgh ij", limits)).toEqual(["abcdef", "gh ij"]);
    expect(chunksOf("ab cd ef gh ij kl mn op", limits)).toEqual(["ab cd ef gh ij kl mn", " op"]);
    expect(chunksOf("abc", limits)).toEqual(["abc"]);
    expect(chunksOf("", limits)).toEqual([""]);
  });
});

describe("loading a directory", () => {
  let folder = "";
  const write = (name: string, content: string | Uint8Array) => writeFile(join(folder, name), content);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tito-tokenizer-"));
    await write("tiktoken.model", ranks);
    await write("tokenizer_config.json", JSON.stringify(config));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("finds tiktoken.model, and tokenizer.model where that is not there", async () => {
    for (const path of [folder, join(folder, "tiktoken.model")]) {
      const tokenizer = await loadTokenizer(path, { nameOrPath: "moonshotai/Kimi-K2-Instruct" });
      expect([...tokenizer.encode("he<|im_end|>")]).toEqual([256, 262]);
      expect([tokenizer.eosTokenId, tokenizer.nameOrPath]).toEqual([259, "moonshotai/Kimi-K2-Instruct"]);
    }
    await rm(join(folder, "tiktoken.model"));
    await write("tokenizer.model", sentencePieceFile({ pieces: [["h"], ["e"], ["he", -1]] }));
    await write("tokenizer_config.json", JSON.stringify({ eos_token: "</s>" }));
    const tokenizer = await loadTokenizer(folder);
    expect([...tokenizer.encode("he</s>")]).toEqual([261, 2]);
    expect(tokenizer.eosTokenId).toBe(2);
    await rm(join(folder, "tokenizer.model"));
    await expect(loadTokenizer(folder)).rejects.toMatchObject({ code: "file_not_found" });
  });
});

const fixtures = requireFixtures();
const o200k = join(fixtures ?? "", "golden/o200k_base.tiktoken");

describe.skipIf(fixtures === undefined || !existsSync(o200k))("Kimi's pattern on the ranks of o200k", () => {
  const cases: [text: string, ids: number[]][] = JSON.parse(
    readFileSync(new URL("./data/kimiO200k.json", import.meta.url), "utf8"),
  );

  test("gives the ids of tiktoken", () => {
    const tokenizer = tokenizerFromTiktoken(readFileSync(o200k), { pattern: "kimi" });
    expect(cases.length).toBeGreaterThan(200);
    expect(cases.filter(([text, ids]) => tokenizer.encode(text).join() !== ids.join())).toEqual([]);
  });
});
