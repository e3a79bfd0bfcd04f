import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHAR_OF_BYTE } from "../../src/tokenizer/bpe/byteAlphabet.ts";
import {
  adaptTransformersTokenizer,
  loadTokenizer,
  readAddedTokens,
  shareTables,
  type Tokenizer,
  tokenizerFromJson,
  tokenizerFromTiktoken,
} from "../../src/tokenizer/index.ts";
import { matchPreTokenizer } from "../../src/tokenizer/pretokenizers/allowList.ts";
import { toyJson } from "./toy.ts";

const merges = ["h e", "l l", "he ll", "hell o", "Ġ w", '" "', "\\ \\", "é é"];
const json = toyJson({ merges, added: ["<|im_end|>", { content: "<think>", special: false }] });
const text = 'hello world "" \\\\ é<|im_end|><think>';

function tokens(tokenizer: Tokenizer, input: string): (string | undefined)[] {
  return [...tokenizer.encode(input)].map((id) => tokenizer.idToToken(id));
}

describe("tokenizer.json", () => {
  const tokenizer = tokenizerFromJson(json, { nameOrPath: "acme/toy", eosToken: "<|im_end|>" });

  test("gives the ids that its merges say", () => {
    expect(tokens(tokenizer, "hello w")).toEqual(["hello", "Ġw"]);
    expect(tokens(tokenizer, "hell<|im_end|>")).toEqual(["hell", "<|im_end|>"]);
    expect(tokens(tokenizer, '""')).toEqual(['""']);
  });

  test("value, text, indented text, escaped text and bytes are alike", () => {
    const escaped = JSON.stringify(json).replace(
      /[\u0080-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const spellings = [JSON.stringify(json), JSON.stringify(json, undefined, 1), escaped];
    for (const spelling of spellings) {
      expect(tokenizerFromJson(spelling).encode(text)).toEqual(tokenizer.encode(text));
      expect(tokenizerFromJson(Buffer.from(spelling)).encode(text)).toEqual(tokenizer.encode(text));
    }
  });

  test("merges may be pairs, members in any order", () => {
    const { merges: lines, vocab, ...model } = json.model;
    const pairs = lines.map((line) => line.split(" "));
    const { model: _, ...rest } = json;
    const other = { model: { merges: pairs, vocab, ...model }, ...rest };
    expect(tokenizerFromJson(other).encode(text)).toEqual(tokenizer.encode(text));
  });

  test("keeps what it is told beside the file", () => {
    expect(tokenizer.nameOrPath).toBe("acme/toy");
    expect(tokenizer.eosTokenId).toBe(tokenizer.tokenToId("<|im_end|>"));
    expect(tokenizer.bosTokenId).toBeUndefined();
    expect(tokenizer.addedTokens.map(({ special }) => special)).toEqual([true, false]);
  });

  test("other added tokens can stand for the file's", () => {
    const first = tokenizer.tokenToId("<|im_end|>") as number;
    const added = readAddedTokens([{ id: first, content: "<|end|>", special: true, single_word: true }]);
    const other = tokenizerFromJson(json, { addedTokens: added });
    expect(other.addedTokens).toMatchObject([{ content: "<|end|>", singleWord: true, normalized: false }]);
    expect(other.decode([first])).toBe("<|end|>");
    expect(other.tokenToId("<|im_end|>")).toBeUndefined();
    expect(other.vocabSize).toBe(first + 1);
  });

  test("entries outside the byte alphabet keep their text and are never merged to", () => {
    const model = { ...json.model, vocab: { ...json.model.vocab, "<｜bos▁｜>": 900, __proto__x: 901 } };
    const other = tokenizerFromJson({ ...json, model });
    expect(other.tokenToId("<｜bos▁｜>")).toBe(900);
    expect(other.idToToken(900)).toBe("<｜bos▁｜>");
    expect(other.decode([900])).toBe("<｜bos▁｜>");
    expect(other.byteLength(900)).toBe(Buffer.byteLength("<｜bos▁｜>"));
    expect(other.decode(other.encode("<｜bos▁｜>"))).toBe("<｜bos▁｜>");
    expect(other.encode("<｜bos▁｜>")).not.toContain(900);
    expect(other.byteLength(899)).toBe(0);
  });

  test("a key __proto__ is an entry like any other", () => {
    const spelling = JSON.stringify(json).replace('"vocab":{', '"vocab":{"__proto__":900,');
    expect(tokenizerFromJson(spelling).tokenToId("__proto__")).toBe(900);
  });

  test.each([
    ["", "tokenizer_invalid"],
    ["[]", "tokenizer_invalid"],
    ["{}", "tokenizer_invalid"],
    [JSON.stringify(json).slice(0, -20), "tokenizer_invalid"],
    [JSON.stringify(json).replace('"h e"', '"h zz"'), "tokenizer_invalid"],
    [JSON.stringify(json).replace('"h e"', '"he"'), "tokenizer_invalid"],
    [JSON.stringify(json).replace('"a":', '"aa":'), "tokenizer_invalid"],
    [JSON.stringify({ ...json, added_tokens: [{ content: "x" }] }), "tokenizer_invalid"],
    [JSON.stringify({ ...json, added_tokens: [{ content: "x", id: 1e9 }] }), "tokenizer_invalid"],
    [JSON.stringify({ ...json, decoder: { type: "WordPiece" } }), "tokenizer_unsupported"],
    [JSON.stringify({ ...json, normalizer: { type: "Prepend", prepend: "▁" } }), "tokenizer_unsupported"],
    [JSON.stringify({ ...json, pre_tokenizer: { type: "Whitespace" } }), "tokenizer_unsupported"],
  ])("refuses damaged or unknown files with a code (%#)", (spelling, code) => {
    expect(() => tokenizerFromJson(spelling)).toThrow(expect.objectContaining({ name: "TitoError", code }));
  });
});

describe("allow-list", () => {
  const { pre_tokenizer } = json;

  test("knows a pre-tokenizer whatever the order of its members", () => {
    const [split, byteLevel] = pre_tokenizer.pretokenizers;
    const reordered = {
      pretokenizers: [Object.fromEntries(Object.entries(split).reverse()), byteLevel],
      type: "Sequence",
    };
    expect(matchPreTokenizer(reordered)).toBe("qwen2");
  });

  test("takes nothing that differs in a character", () => {
    const changed = JSON.parse(JSON.stringify(pre_tokenizer).replace("p{N}|", "p{Nd}|"));
    expect(matchPreTokenizer(changed)).toBeUndefined();
    expect(matchPreTokenizer({ ...pre_tokenizer, extra: 1 })).toBeUndefined();
    expect(matchPreTokenizer(null)).toBeUndefined();
  });
});

describe("fallback", () => {
  // The same tokenizer, spelled so that the built-in engine does not know it.
  const other = JSON.parse(JSON.stringify(json).replace("\\\\p{N}|", "[\\\\p{N}]|")) as object;
  const ours = tokenizerFromJson(json);
  const fallback = tokenizerFromJson(other, { eosToken: "<|im_end|>", chatTemplate: "{{ x }}" });

  test("gives the same ids, bytes and text in each reading", () => {
    expect(() => shareTables(fallback)).toThrow(expect.objectContaining({ code: "tokenizer_unsupported" }));
    for (const input of [text, "<m>", "héllo\n\n 42 \ud800", "<think>hello"]) {
      for (const addedTokens of ["match", "plain", [[0, 3]]] as const) {
        const ids = ours.encode(input, { addedTokens });
        expect(fallback.encode(input, { addedTokens })).toEqual(ids);
        expect(fallback.decode(ids)).toBe(ours.decode(ids));
        expect([...ids].map((id) => fallback.byteLength(id))).toEqual([...ids].map((id) => ours.byteLength(id)));
      }
    }
    expect(fallback.vocabSize).toBe(ours.vocabSize);
    expect(fallback.eosTokenId).toBe(ours.tokenToId("<|im_end|>"));
    expect(fallback.idToToken(fallback.tokenToId("Ġw") as number)).toBe("Ġw");
    expect(fallback.chatTemplate).toBe("{{ x }}");
  });

  test("never cleans up", () => {
    const input = "he 's . ok !";
    expect(fallback.decode(fallback.encode(input))).toBe(input);
  });

  test("reads Metaspace with byte fallback", () => {
    const vocab: Record<string, number> = { "<unk>": 0 };
    const entries = [
      ...Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`),
      ..."▁helowrd",
      "he",
      "ll",
      "hell",
      "hello",
      "▁w",
    ];
    for (const entry of entries) vocab[entry] ??= Object.keys(vocab).length;
    const gemma = tokenizerFromJson({
      added_tokens: [{ id: 400, content: "<bos>", special: true }],
      normalizer: { type: "Replace", pattern: { String: " " }, content: "▁" },
      pre_tokenizer: { type: "Split", pattern: { String: " " }, behavior: "MergedWithPrevious", invert: false },
      post_processor: null,
      decoder: {
        type: "Sequence",
        decoders: [
          { type: "Replace", pattern: { String: "▁" }, content: " " },
          { type: "ByteFallback" },
          { type: "Fuse" },
        ],
      },
      model: {
        type: "BPE",
        dropout: null,
        unk_token: "<unk>",
        fuse_unk: true,
        byte_fallback: true,
        vocab,
        merges: ["h e", "l l", "he ll", "hell o", "▁ w"],
      },
    });
    const input = "hello world é<bos>  ";
    const ids = gemma.encode(input);
    expect(tokens(gemma, "hello w")).toEqual(["hello", "▁w"]);
    expect(gemma.decode(ids)).toBe(input);
    expect(gemma.normalize(input)).toBe(input);
    expect([...ids].reduce((sum, id) => sum + gemma.byteLength(id), 0)).toBe(Buffer.byteLength(input));
    expect(gemma.byteLength(gemma.tokenToId("<0xC3>") as number)).toBe(1);
  });
});

describe("tiktoken ranks", () => {
  const words = [
    ...CHAR_OF_BYTE.map((_, byte) => Buffer.of(byte)),
    ...["he", "ll", "llo", "hello", " w"].map((word) => Buffer.from(word)),
  ];
  const ranks = `${words.map((bytes, rank) => `${bytes.toString("base64")} ${rank}`).join("\n")}\n`;
  const added = readAddedTokens([{ id: 300, content: "<|end|>", special: true }]);

  test("merge what the ranks hold, lowest first", () => {
    const tokenizer = tokenizerFromTiktoken(ranks, { pattern: "o200k", addedTokens: added, eosToken: "<|end|>" });
    expect(tokens(tokenizer, "hello heo w<|end|>")).toEqual(["hello", "Ġ", "he", "o", "Ġw", "<|end|>"]);
    expect(tokenizer.eosTokenId).toBe(300);
    expect(tokenizer.vocabSize).toBe(301);
    expect(tokenizerFromTiktoken(Buffer.from(ranks), { pattern: "o200k" }).encode("hello")).toEqual(Int32Array.of(259));
  });

  test("are refused if malformed or with an unknown pattern", () => {
    const code = (expected: string) => expect.objectContaining({ code: expected });
    expect(() => tokenizerFromTiktoken("aGk=\n", { pattern: "o200k" })).toThrow(code("tokenizer_invalid"));
    expect(() => tokenizerFromTiktoken(ranks, { pattern: "p50k" as "o200k" })).toThrow(code("tokenizer_unsupported"));
  });
});

describe("transformers.js objects", () => {
  const ids = tokenizerFromJson(json).encode(text);
  const config = { eos_token: { content: "<|im_end|>" }, chat_template: [{ name: "default", template: "{{ y }}" }] };

  test("of version 4", () => {
    const tokenizer = adaptTransformersTokenizer({ config, _tokenizerJSON: json }, { nameOrPath: "acme/toy" });
    expect(tokenizer.encode(text)).toEqual(ids);
    expect(tokenizer.eosTokenId).toBe(tokenizer.tokenToId("<|im_end|>"));
    expect(tokenizer.chatTemplate).toBe("{{ y }}");
  });

  test("of version 3, from its parts", () => {
    const part = (value: unknown) => ({ config: value });
    const tokenizer = adaptTransformersTokenizer({
      config,
      model: part(json.model),
      normalizer: null,
      pre_tokenizer: { tokenizers: json.pre_tokenizer.pretokenizers.map(part) },
      decoder: part(json.decoder),
      added_tokens: json.added_tokens,
    });
    expect(tokenizer.encode(text)).toEqual(ids);
  });

  test("without data are refused", () => {
    expect(() => adaptTransformersTokenizer({})).toThrow(expect.objectContaining({ code: "tokenizer_unsupported" }));
  });
});

describe("loadTokenizer", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tito-tokenizer-"));
    await writeFile(join(folder, "tokenizer.json"), JSON.stringify(json));
    const config = { eos_token: "<|im_end|>", bos_token: null, chat_template: "{{ z }}" };
    await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(config));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("reads a directory and a file alike", async () => {
    for (const path of [folder, join(folder, "tokenizer.json")]) {
      const tokenizer = await loadTokenizer(path, { nameOrPath: "acme/toy" });
      expect(tokenizer.encode(text)).toEqual(tokenizerFromJson(json).encode(text));
      expect(tokenizer.eosTokenId).toBe(tokenizer.tokenToId("<|im_end|>"));
      expect(tokenizer.bosTokenId).toBeUndefined();
      expect(tokenizer.chatTemplate).toBe("{{ z }}");
      expect(tokenizer.nameOrPath).toBe("acme/toy");
    }
  });

  test("names an end or beginning of sequence that is no token", async () => {
    const missing = { code: "token_missing", message: expect.stringMatching(/acme\/toy has no token <\|end\|>/) };
    for (const named of [{ eosToken: "<|end|>" }, { bosToken: "<|end|>" }]) {
      await expect(loadTokenizer(folder, { nameOrPath: "acme/toy", ...named })).rejects.toMatchObject(missing);
    }
    expect(() =>
      tokenizerFromTiktoken(
        `${CHAR_OF_BYTE.map((_, byte) => `${Buffer.of(byte).toString("base64")} ${byte}`).join("\n")}`,
        { pattern: "o200k", eosToken: "</s>" },
      ),
    ).toThrow(expect.objectContaining({ code: "token_missing" }));
  });

  test("says what is missing", async () => {
    await expect(loadTokenizer(join(folder, "none"))).rejects.toMatchObject({ code: "file_not_found" });
    await expect(loadTokenizer(join(folder, "none.gguf"))).rejects.toMatchObject({ code: "file_not_found" });
    const signal = AbortSignal.abort();
    await expect(loadTokenizer(join(folder, "none"), { signal })).rejects.toMatchObject({ code: "aborted" });
  });
});
