import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { TitoError } from "../../src/errors.ts";
import { type ModelInfo, modelInfo, readGgufHeader } from "../../src/models/index.ts";
import { fixturesDir, requireFixtures } from "../support/fixtures.ts";
import { modelFile } from "../support/qwen3.ts";
import { byteLevelVocabulary, sentencePieceVocabulary } from "../support/tinyVocabulary.ts";
import {
  f32s,
  type GgufField,
  ggufBytes,
  i32s,
  strings,
  type TensorToWrite,
  tinyModelBytes,
  u32,
  u64,
  vocabularyMetadata,
} from "../support/writeGguf.ts";

const folder = mkdtempSync(join(tmpdir(), "tito-info-"));
afterAll(() => rmSync(folder, { recursive: true }));

let written = 0;
function file(bytes: Uint8Array): string {
  const path = join(folder, `${written++}.gguf`);
  writeFileSync(path, bytes);
  return path;
}

const info = (bytes: Uint8Array): Promise<ModelInfo> => modelInfo(file(bytes));

/** The error's code, or "info". */
const outcome = (bytes: Uint8Array): Promise<string> =>
  info(bytes).then(
    () => "info",
    (error) => {
      if (error instanceof TitoError) return error.code;
      throw error;
    },
  );

const vocabulary = byteLevelVocabulary({ special: ["<|im_start|>", "<|im_end|>"], eos: "<|im_end|>" });

/** Describes tools, writes calls, or both; in JSON between tags. */
function chat({ tools = false, calls = false }: { readonly tools?: boolean; readonly calls?: boolean } = {}): string {
  const list = "{%- for tool in tools or [] %}{{ tool | tojson }}\n{% endfor %}";
  const call =
    '{%- for call in message.tool_calls or [] %}{{ \'<tool_call>{"name": "\' ~ call.function.name ~ \'", "arguments": \' ~' +
    " call.function.arguments | tojson ~ '}</tool_call>' }}{% endfor %}";
  return `${tools ? list : ""}{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' }}
{{- message.content or '' }}${calls ? call : ""}{{- '<|im_end|>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;
}

const metadataBytes = (metadata: Readonly<Record<string, GgufField>>) => ggufBytes({ metadata });

describe("what is written is read", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 });

  test("for any metadata and tensors", () => {
    const values = fc.oneof(
      fc.string({ unit: "grapheme" }).map((value) => [value, value] as const),
      fc.nat().map((value) => [u32(value), value] as const),
      fc.maxSafeInteger().map((value) => [u64(Math.abs(value)), Math.abs(value)] as const),
      fc.array(fc.integer({ min: -9, max: 9 })).map((value) => [i32s(value), Int32Array.from(value)] as const),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z][a-z.]{0,12}$/), values),
        fc.array(fc.tuple(sizes, fc.constantFrom("F32" as const, "F16" as const)), { maxLength: 4 }),
        (metadata, shapes) => {
          const tensors = shapes.map(([dimensions, type], index): TensorToWrite => {
            const length = dimensions.reduce((product, size) => product * size, 1);
            return { name: `t${index}`, dimensions, type, values: new Float32Array(length) };
          });
          const fields = Object.fromEntries(Object.entries(metadata).map(([key, [field]]) => [key, field]));
          const path = file(ggufBytes({ metadata: fields, tensors }));
          const header = readGgufHeader(path);
          expect([...header.metadata]).toEqual(Object.entries(metadata).map(([key, [, value]]) => [key, value]));
          expect(header.tensors.map(({ name, dimensions }) => [name, dimensions])).toEqual(
            tensors.map(({ name, dimensions }) => [name, dimensions]),
          );
          const size = readFileSync(path).length;
          for (const { offset } of header.tensors) expect(offset % 32 === 0 && offset < size).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("parameters are the elements of all tensors, whatever their types", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sizes, { maxLength: 5 }), async (shapes) => {
        const counts = shapes.map((dimensions) => dimensions.reduce((product, size) => product * size, 1));
        const tensors = shapes.map(
          (dimensions, index): TensorToWrite => ({
            name: `t${index}`,
            dimensions,
            type: index % 2 === 0 ? "F32" : "F16",
            values: new Float32Array(counts[index]!),
          }),
        );
        const { n_params } = await info(ggufBytes({ tensors }));
        expect(n_params).toBe(counts.reduce((sum, count) => sum + count, 0));
      }),
      { numRuns: 20 },
    );
  });
});

describe("damaged files", () => {
  const whole = tinyModelBytes({ vocabulary, template: chat({ tools: true, calls: true }) });
  const small = metadataBytes(vocabularyMetadata(byteLevelVocabulary({ words: [] }), chat()));

  test("cut short within the header or before the last tensor, are no GGUF", async () => {
    const { tensors } = readGgufHeader(file(whole));
    const lastTensor = tensors.at(-1)!.offset;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: lastTensor }), async (length) => {
        expect(await outcome(whole.subarray(0, length))).toBe("invalid_gguf");
      }),
      { numRuns: 60 },
    );
    expect(await outcome(whole.subarray(0, lastTensor + 1))).toBe("info");
  });

  test("with other bytes anywhere, give an answer or an error that says what is wrong", async () => {
    const allowed = /^(?:info|invalid_gguf|template_\w+|tokenizer_\w+)$/;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: small.length - 1 }), fc.integer({ min: 0, max: 255 })), { minLength: 1 }),
        async (changes) => {
          const bytes = Buffer.from(small);
          for (const [at, byte] of changes) bytes[at] = byte;
          expect(await outcome(bytes)).toMatch(allowed);
        },
      ),
      { numRuns: 40 },
    );
  });

  const u32le = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const u64le = (value: bigint) => Buffer.from(BigUint64Array.of(value).buffer);
  const head = (version: number, tensors: bigint, values: bigint, ...rest: Uint8Array[]) =>
    Buffer.concat([Buffer.from("GGUF"), u32le(version), u64le(tensors), u64le(values), ...rest]);
  const huge = 2n ** 60n;
  const key = Buffer.concat([u64le(1n), Buffer.from("k")]);
  const nested = (depth: number) => Buffer.concat(Array.from({ length: depth }, () => [u32le(9), u64le(1n)]).flat());
  const tensor = (...dimensions: bigint[]) =>
    Buffer.concat([key, u32le(dimensions.length), ...dimensions.map(u64le), u32le(0), u64le(0n)]);

  test.each([
    ["empty", Buffer.alloc(0), "empty"],
    ["something else", Buffer.from("PK\u0003\u0004".padEnd(64, "x")), 'begin with "GGUF"'],
    ["the magic alone", Buffer.from("GGUF"), "cut short"],
    ["version 1", head(1, 0n, 0n), "version is 1"],
    ["version 99", head(99, 0n, 0n), "version is 99"],
    ["big-endian", head(0x03000000, 0n, 0n), "big-endian"],
    ["a huge count of values", head(3, 0n, huge), "cut short"],
    ["a huge count of tensors", head(3, huge, 0n), "cut short"],
    ["a key longer than the file", head(3, 0n, 1n, u64le(huge), Buffer.alloc(64)), "cut short"],
    ["a text longer than the file", head(3, 0n, 1n, key, u32le(8), u64le(2n ** 63n), Buffer.alloc(64)), "cut short"],
    ["an array longer than the file", head(3, 0n, 1n, key, u32le(9), u32le(4), u64le(huge)), "cut short"],
    ["texts longer than the file", head(3, 0n, 1n, key, u32le(9), u32le(8), u64le(huge)), "cut short"],
    ["an unknown type", head(3, 0n, 1n, key, u32le(77), Buffer.alloc(64)), "unknown value type 77"],
    [
      "arrays in arrays in arrays",
      head(3, 0n, 1n, key, u32le(9), nested(100), Buffer.alloc(64)),
      "arrays inside of arrays",
    ],
    ["a tensor of many dimensions", head(3, 1n, 0n, key, u32le(1_000_000), Buffer.alloc(64)), "1000000 dimensions"],
    ["an impossible tensor", head(3, 1n, 0n, tensor(2n ** 40n, 2n ** 40n), Buffer.alloc(64)), "impossible size"],
  ])("%s", async (_, bytes, reason) => {
    await expect(info(bytes)).rejects.toMatchObject({
      code: "invalid_gguf",
      message: expect.stringContaining(reason),
    });
  });

  test("a length beyond a large file does not ask for memory", async () => {
    const bytes = Buffer.concat([head(3, 0n, 1n, key, u32le(8), u64le(2n ** 40n)), Buffer.alloc(3 << 20)]);
    const before = process.memoryUsage().arrayBuffers;
    await expect(info(bytes)).rejects.toMatchObject({ code: "invalid_gguf" });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20);
  });

  test("a directory, and no file at all", async () => {
    const directory = join(folder, "directory.gguf");
    mkdirSync(directory);
    await expect(modelInfo(directory)).rejects.toMatchObject({ code: "file_not_found" });
    await expect(modelInfo(join(folder, "absent.gguf"))).rejects.toMatchObject({ code: "file_not_found" });
    await expect(modelInfo(modelFile, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  });

  test("a vocabulary or a template that cannot be used", async () => {
    const broken = metadataBytes({ ...vocabularyMetadata(vocabulary), "tokenizer.chat_template": "{% for %}" });
    expect(await outcome(broken)).toBe("template_syntax");
    const foreign = metadataBytes({ ...vocabularyMetadata(vocabulary, chat()), "tokenizer.ggml.model": "bert" });
    expect((await info(foreign)).renderer).toMatchObject({ family: null, by: null, code: "tokenizer_unsupported" });
    const none = await info(ggufBytes({}));
    expect(none).toMatchObject({ architecture: null, context_length: null, n_params: 0, supports_tools: false });
    expect(none.tokenizer).toMatchObject({ model: null, vocab_size: null, bos_token: null, eos_token_id: null });
  });
});

describe("which template decides about tools", () => {
  const templates = {
    none: undefined,
    "default, without tools": { default: chat() },
    "default, with both": { default: chat({ tools: true, calls: true }) },
    "default that describes": { default: chat({ tools: true }) },
    "default that writes calls": { default: chat({ calls: true }) },
    "tool_use, with both": { default: chat(), tool_use: chat({ tools: true, calls: true }) },
    "tool_use without tools": { default: chat({ tools: true, calls: true }), tool_use: chat() },
    "another name": { default: chat(), rag: chat({ tools: true, calls: true }) },
    "an empty one": { default: "" },
  } as const;
  const expected: Readonly<Record<keyof typeof templates, readonly [tools: boolean, calls: boolean]>> = {
    none: [false, false],
    "default, without tools": [false, false],
    "default, with both": [true, true],
    "default that describes": [true, false],
    "default that writes calls": [false, true],
    "tool_use, with both": [true, true],
    "tool_use without tools": [false, false],
    "another name": [false, false],
    "an empty one": [false, false],
  };
  test.each(Object.keys(templates) as (keyof typeof templates)[])("%s", async (name) => {
    const found = await info(metadataBytes(vocabularyMetadata(vocabulary, templates[name])));
    const [tools, calls] = expected[name];
    expect(found.caps).toMatchObject({ supports_tools: tools, supports_tool_calls: calls });
    expect(found.supports_tools).toBe(tools && calls);
    expect(found.has_tool_use_template).toBe("tool_use" in (templates[name] ?? {}));
    expect(found.chat_format).toBe(calls ? "peg-native" : "Content-only");
  });
});

describe("a file's facts", () => {
  test("of the embedded model", async () => {
    expect(await modelInfo(modelFile)).toMatchObject({
      type: "model_info",
      supports_tools: true,
      chat_format: "peg-native",
      has_tool_use_template: false,
      architecture: "qwen3",
      n_params: 9_970_496,
      context_length: 4096,
      tokenizer: {
        model: "gpt2",
        pre: "qwen2",
        vocab_size: 151_936,
        bos_token: null,
        eos_token: "<|im_end|>",
        eos_token_id: 151_645,
      },
      renderer: { family: "qwen3", by: "template" },
    });
  });

  test.each(["qwen3", "llama"] as const)("of a %s with a SentencePiece vocabulary", async (architecture) => {
    const pieces = sentencePieceVocabulary({ special: ["<|im_start|>", "<|im_end|>"] });
    const found = await info(
      tinyModelBytes({ vocabulary: pieces, architecture, template: chat(), contextLength: 777 }),
    );
    expect(found).toMatchObject({
      architecture,
      context_length: 777,
      tokenizer: {
        model: "llama",
        pre: "default",
        vocab_size: pieces.tokens.length,
        bos_token: "<s>",
        bos_token_id: 1,
        eos_token: "</s>",
        eos_token_id: 2,
      },
      renderer: { family: "default", by: "default" },
    });
    expect(found.heuristic).toBeUndefined();
  });

  test("are JSON, and nothing else", async () => {
    const found = await info(tinyModelBytes({ vocabulary, template: chat({ tools: true, calls: true }) }));
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
    const scores = { "tokenizer.ggml.scores": f32s([0]), "tokenizer.ggml.tokens": strings(["a"]) };
    expect(await outcome(metadataBytes({ "tokenizer.ggml.model": "llama", ...scores }))).toBe("info");
  });
});

describe.skipIf(requireFixtures() === undefined)("published templates, each in a file", () => {
  const fixtures = fixturesDir() ?? "";
  // The others' capabilities are held against the same records where templates are tested.
  test.each([
    "Qwen-Qwen3-0.6B",
    "Qwen3-Coder",
    "google-gemma-2-2b-it",
    "google-gemma-4-31B-it",
    "meta-llama-Llama-3.1-8B-Instruct",
    "microsoft-Phi-3.5-mini-instruct",
    "NousResearch-Hermes-3-Llama-3.1-8B-tool_use",
    "openai-gpt-oss-120b",
  ])("%s has llama.cpp's capabilities and chat format", async (name) => {
    const template = readFileSync(join(fixtures, "templates", `${name}.jinja`), "utf8");
    const recorded = JSON.parse(readFileSync(join(fixtures, "llama-cpp", "analysis", `${name}.jinja.json`), "utf8"));
    const found = await info(metadataBytes(vocabularyMetadata(vocabulary, template)));
    expect(found.caps).toEqual(recorded.caps);
    // llama.cpp names the parser of what has calls also where a template has none.
    const { format } = recorded.apply.tools_auto;
    expect(found.chat_format).toBe(found.caps.supports_tool_calls ? format : "Content-only");
  });
});
