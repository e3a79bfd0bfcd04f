import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { type GgufStrings, ggufString, readGgufHeader } from "../../src/models/gguf/index.ts";
import { CHAR_OF_BYTE } from "../../src/tokenizer/bpe/byteAlphabet.ts";
import { tokenizerFromGguf } from "../../src/tokenizer/index.ts";
import { type GgufFile, ggufFile, intArray, text, textArray, typed, u32, u64 } from "./ggufFile.ts";

const folder = mkdtempSync(join(tmpdir(), "tito-gguf-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function write(file: GgufFile, cut?: number): string {
  const path = join(folder, `${files++}.gguf`);
  writeFileSync(path, ggufFile(file).subarray(0, cut));
  return path;
}

const tensor = (name: string, offset: number) =>
  Buffer.concat([text(name), u32(2), u64(4), u64(2), u32(0), u64(offset)]);

describe("GGUF header", () => {
  const values = {
    "general.architecture": typed(8, text("qwen3")),
    u8: typed(0, Buffer.of(255)),
    i8: typed(1, Buffer.of(255)),
    u16: typed(2, Buffer.of(1, 2)),
    i32: typed(5, Buffer.from(Int32Array.of(-7).buffer)),
    f32: typed(6, Buffer.from(Float32Array.of(0.5).buffer)),
    yes: typed(7, Buffer.of(1)),
    u64: typed(10, u64(1n << 40n)),
    huge: typed(10, u64((1n << 60n) + 1n)),
    f64: typed(12, Buffer.from(Float64Array.of(1e-9).buffer)),
    names: textArray(["a", "", "é中"]),
    numbers: intArray([1, -2, 3]),
    nested: typed(9, u32(9), u64(1), intArray([9]).subarray(4)),
  };

  test.each([2, 3])("gives metadata and tensors of version %d", (version) => {
    const { metadata, tensors, ...rest } = readGgufHeader(write({ version, values, tensors: [tensor("w", 32)] }));
    expect(rest.version).toBe(version);
    const plain = Object.fromEntries([...metadata].filter(([key]) => key !== "names"));
    expect(plain).toEqual({
      "general.architecture": "qwen3",
      u8: 255,
      i8: -1,
      u16: 513,
      i32: -7,
      f32: 0.5,
      yes: true,
      u64: 2 ** 40,
      huge: (1n << 60n) + 1n,
      f64: 1e-9,
      numbers: Int32Array.of(1, -2, 3),
      nested: [Int32Array.of(9)],
    });
    const names = metadata.get("names") as GgufStrings;
    expect([0, 1, 2].map((index) => ggufString(names, index))).toEqual(["a", "", "é中"]);
    expect(tensors).toMatchObject([{ name: "w", dimensions: [4, 2], type: 0 }]);
    expect(tensors[0].offset % 32).toBe(0);
  });

  test("is found however long it is", () => {
    const long = Array.from({ length: 60_000 }, (_, index) => `a token of some length ${index}`);
    const { metadata } = readGgufHeader(write({ values: { long: textArray(long), last: typed(7, Buffer.of(0)) } }));
    expect(ggufString(metadata.get("long") as GgufStrings, 59_999)).toBe(long[59_999]);
    expect(metadata.get("last")).toBe(false);
  });

  test("other files are refused with a code", () => {
    const refusal = (code: string) => expect.objectContaining({ name: "TitoError", code });
    const notGguf = join(folder, "not.gguf");
    writeFileSync(notGguf, "PK\u0003\u0004 something else");
    const empty = join(folder, "empty.gguf");
    writeFileSync(empty, "");
    expect(() => readGgufHeader(join(folder, "none.gguf"))).toThrow(refusal("file_not_found"));
    for (const path of [
      notGguf,
      empty,
      write({ version: 1 }),
      write({ version: 50331648 }),
      write({ values: { odd: typed(99) } }),
      write({ tensors: [tensor("w", 4096)] }),
      write({ values: { "general.alignment": typed(4, u32(0)) } }),
    ]) {
      expect(() => readGgufHeader(path), path).toThrow(refusal("invalid_gguf"));
    }
  });

  test("a file cut short anywhere is refused, not misread", () => {
    const whole = readFileSync(write({ values, tensors: [tensor("w", 0)], data: 0 }));
    for (let cut = 0; cut < whole.length - 32; cut += 7) {
      const path = write({ values, tensors: [tensor("w", 0)] }, cut);
      expect(() => readGgufHeader(path), `${cut} bytes`).toThrow(expect.objectContaining({ code: "invalid_gguf" }));
    }
  });
});

describe("GGUF vocabulary", () => {
  const tokens = [...CHAR_OF_BYTE, "he", "Ġhe", "<|end|>", "<think>", "[PAD260]"];
  const types = tokens.map((_, id) => (id < 258 ? 1 : id === 258 ? 3 : id === 259 ? 4 : 5));
  const vocabulary = (over: Record<string, Buffer> = {}) =>
    write({
      values: {
        "general.name": typed(8, text("toy")),
        "tokenizer.ggml.model": typed(8, text("gpt2")),
        "tokenizer.ggml.pre": typed(8, text("qwen2")),
        "tokenizer.ggml.tokens": textArray(tokens),
        "tokenizer.ggml.token_type": intArray(types),
        "tokenizer.ggml.merges": textArray(["h e", "Ġ he"]),
        "tokenizer.ggml.eos_token_id": typed(4, u32(258)),
        "tokenizer.chat_template": typed(8, text("{{ x }}")),
        ...over,
      },
    });

  test("makes a tokenizer", () => {
    const tokenizer = tokenizerFromGguf(vocabulary());
    expect([...tokenizer.encode("he he<|end|><think>")]).toEqual([256, 257, 258, 259]);
    expect(tokenizer.encode("e\u0301")).toEqual(tokenizer.encode("é"));
    expect(tokenizer.addedTokens.map(({ id, special }) => [id, special])).toEqual([
      [258, true],
      [259, false],
    ]);
    expect(tokenizer).toMatchObject({ nameOrPath: "toy", vocabSize: 261, eosTokenId: 258, chatTemplate: "{{ x }}" });
  });

  test("unused ids count in the size and have no bytes", () => {
    const tokenizer = tokenizerFromGguf(vocabulary());
    expect(tokenizer.byteLength(260)).toBe(0);
    expect(tokenizer.idToToken(260)).toBeUndefined();
    expect(tokenizer.decode([256, 260])).toBe("he");
  });

  test("an end or beginning of sequence that is no token is refused", () => {
    const missing = expect.objectContaining({ code: "token_missing" });
    for (const id of [260, 261]) {
      const file = vocabulary({ "tokenizer.ggml.bos_token_id": typed(4, u32(id)) });
      expect(() => tokenizerFromGguf(file)).toThrow(missing);
      expect(tokenizerFromGguf(file, { bosToken: "<think>" }).bosTokenId).toBe(259);
    }
    expect(() => tokenizerFromGguf(vocabulary(), { eosToken: "</s>" })).toThrow(/no token <\/s>/);
  });

  test("an unknown pre-tokenizer or model is refused by name", () => {
    const over = (key: string, value: string) => vocabulary({ [`tokenizer.ggml.${key}`]: typed(8, text(value)) });
    expect(() => tokenizerFromGguf(over("pre", "gibberish"))).toThrow(/"gibberish" is not known; known are qwen2, /);
    expect(() => tokenizerFromGguf(over("model", "bert"))).toThrow(/"bert"/);
    expect(() => tokenizerFromGguf(over("merges", "h e"))).toThrow(/tokenizer\.ggml\.merges/);
  });

  const model = fileURLToPath(new URL("../../embedded-model/tito-calculator-qwen3.gguf", import.meta.url));
  test.skipIf(!existsSync(model))("of the embedded model is Qwen3's", () => {
    const tokenizer = tokenizerFromGguf(model);
    expect(tokenizer.vocabSize).toBe(151_936);
    expect(tokenizer.tokenToId("<|im_end|>")).toBe(151_645);
    expect(tokenizer.eosTokenId).toBe(151_645);
    expect([...tokenizer.encode("Hello, world!<tool_call>")]).toEqual([9707, 11, 1879, 0, 151_657]);
    expect(tokenizer.addedTokens.filter(({ special }) => !special)).toHaveLength(12);
  });
});
