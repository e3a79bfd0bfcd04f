import { writeFileSync } from "node:fs";
import type { TinyVocabulary } from "./tinyVocabulary.ts";

/** A metadata value with its type; a bare string is a string. */
export type GgufField = string | { readonly type: number; readonly bytes: Buffer };

export interface TensorToWrite {
  readonly name: string;
  /** Fastest-changing dimension first. */
  readonly dimensions: readonly number[];
  readonly type: "F32" | "F16";
  readonly values: Float32Array;
}

export interface GgufToWrite {
  readonly version?: number;
  readonly metadata?: Readonly<Record<string, GgufField>>;
  readonly tensors?: readonly TensorToWrite[];
}

const bytesOf = (array: ArrayBufferView): Buffer => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const u32Bytes = (value: number): Buffer => bytesOf(Uint32Array.of(value));
const u64Bytes = (value: number): Buffer => bytesOf(BigUint64Array.of(BigInt(value)));
const textBytes = (text: string): Buffer => Buffer.concat([u64Bytes(Buffer.byteLength(text)), Buffer.from(text)]);

const arrayOf = (type: number, length: number, bytes: Buffer): GgufField => ({
  type: 9,
  bytes: Buffer.concat([u32Bytes(type), u64Bytes(length), bytes]),
});

export const u32 = (value: number): GgufField => ({ type: 4, bytes: u32Bytes(value) });
export const f32 = (value: number): GgufField => ({ type: 6, bytes: bytesOf(Float32Array.of(value)) });
export const bool = (value: boolean): GgufField => ({ type: 7, bytes: Buffer.of(Number(value)) });
export const u64 = (value: number): GgufField => ({ type: 10, bytes: u64Bytes(value) });
export const strings = (values: readonly string[]): GgufField =>
  arrayOf(8, values.length, Buffer.concat(values.map(textBytes)));
export const i32s = (values: readonly number[]): GgufField =>
  arrayOf(5, values.length, bytesOf(Int32Array.from(values)));
export const f32s = (values: readonly number[]): GgufField =>
  arrayOf(6, values.length, bytesOf(Float32Array.from(values)));

const ALIGNMENT = 32;
const TYPES = { F32: 0, F16: 1 } as const;

/** The bytes of a GGUF file: metadata in the order given, then tensors. */
export function ggufBytes({ version = 3, metadata = {}, tensors = [] }: GgufToWrite): Buffer {
  const data = tensors.map(({ type, values }) => padded(bytesOf(type === "F16" ? halves(values) : values)));
  let offset = 0;
  const infos = tensors.map(({ name, dimensions, type }, index) => {
    const start = offset;
    offset += data[index]!.length;
    const sizes = dimensions.map(u64Bytes);
    return Buffer.concat([textBytes(name), u32Bytes(sizes.length), ...sizes, u32Bytes(TYPES[type]), u64Bytes(start)]);
  });
  const values = Object.entries(metadata).flatMap(([key, field]) =>
    typeof field === "string"
      ? [textBytes(key), u32Bytes(8), textBytes(field)]
      : [textBytes(key), u32Bytes(field.type), field.bytes],
  );
  const counts = [u64Bytes(tensors.length), u64Bytes(Object.keys(metadata).length)];
  const header = Buffer.concat([Buffer.from("GGUF"), u32Bytes(version), ...counts, ...values, ...infos]);
  return Buffer.concat([padded(header), ...data]);
}

export function writeGguf(path: string, file: GgufToWrite): void {
  writeFileSync(path, ggufBytes(file));
}

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT)]);

/** Half-precision bits, cut and not rounded; what is too small for a normal number becomes zero. */
function halves(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(bits, (word) => {
    const exponent = ((word >>> 23) & 0xff) - 127 + 15;
    return ((word >>> 16) & 0x8000) | (exponent <= 0 ? 0 : (exponent << 10) | ((word >>> 13) & 0x3ff));
  });
}

/** The metadata of a vocabulary, and of a chat template or several by name. */
export function vocabularyMetadata(
  vocabulary: TinyVocabulary,
  template?: string | Readonly<Record<string, string>>,
): Record<string, GgufField> {
  const { model, pre, tokens, types, scores, merges, bosId, eosId, unknownId } = vocabulary;
  const templates = Object.entries(typeof template === "string" ? { default: template } : (template ?? {}));
  return {
    "tokenizer.ggml.model": model,
    "tokenizer.ggml.pre": pre,
    "tokenizer.ggml.tokens": strings(tokens),
    "tokenizer.ggml.token_type": i32s(types),
    ...(scores && { "tokenizer.ggml.scores": f32s(scores) }),
    ...(merges && { "tokenizer.ggml.merges": strings(merges) }),
    ...(bosId !== undefined && { "tokenizer.ggml.bos_token_id": u32(bosId) }),
    ...(eosId !== undefined && { "tokenizer.ggml.eos_token_id": u32(eosId) }),
    ...(unknownId !== undefined && { "tokenizer.ggml.unknown_token_id": u32(unknownId) }),
    ...(model === "llama" && { "tokenizer.ggml.add_space_prefix": bool(false) }),
    "tokenizer.ggml.add_bos_token": bool(false),
    ...Object.fromEntries(
      templates.map(([name, text]) => [`tokenizer.chat_template${name === "default" ? "" : `.${name}`}`, text]),
    ),
  };
}

export interface TinyModel {
  readonly vocabulary: TinyVocabulary;
  /** A chat template, or several by name (`default`, `tool_use`). */
  readonly template?: string | Readonly<Record<string, string>>;
  /** The same seed gives the same weights. Default 1. */
  readonly seed?: number;
  readonly architecture?: "qwen3" | "llama";
  /** `general.name`. */
  readonly name?: string;
  readonly contextLength?: number;
  /** Of matrices; norms are F32. */
  readonly weights?: "F32" | "F16";
  /** More metadata; it wins. */
  readonly metadata?: Readonly<Record<string, GgufField>>;
}

const WIDTH = 32;
const FORWARD = 64;
const HEADS = 2;
const HEAD = 16;

/** A model of one layer with random weights that llama.cpp loads: it samples anything of the vocabulary. */
export function writeTinyModel(path: string, model: TinyModel): void {
  writeFileSync(path, tinyModelBytes(model));
}

export function tinyModelBytes({
  vocabulary,
  template,
  seed = 1,
  architecture = "qwen3",
  name = "tiny",
  contextLength = 4096,
  weights = "F32",
  metadata = {},
}: TinyModel): Buffer {
  const random = normalNumbers(seed);
  const matrix = (name: string, inputs: number, outputs: number): TensorToWrite => {
    const values = Float32Array.from({ length: inputs * outputs }, () => random() / Math.sqrt(inputs));
    return { name: `${name}.weight`, dimensions: [inputs, outputs], type: weights, values };
  };
  const norm = (name: string, size: number): TensorToWrite => {
    return { name: `${name}.weight`, dimensions: [size], type: "F32", values: new Float32Array(size).fill(1) };
  };
  return ggufBytes({
    metadata: {
      "general.architecture": architecture,
      "general.name": name,
      "general.file_type": u32(weights === "F16" ? 1 : 0),
      [`${architecture}.block_count`]: u32(1),
      [`${architecture}.context_length`]: u32(contextLength),
      [`${architecture}.embedding_length`]: u32(WIDTH),
      [`${architecture}.feed_forward_length`]: u32(FORWARD),
      [`${architecture}.attention.head_count`]: u32(HEADS),
      [`${architecture}.attention.head_count_kv`]: u32(HEADS),
      [`${architecture}.attention.key_length`]: u32(HEAD),
      [`${architecture}.attention.value_length`]: u32(HEAD),
      [`${architecture}.attention.layer_norm_rms_epsilon`]: f32(1e-6),
      [`${architecture}.rope.dimension_count`]: u32(HEAD),
      [`${architecture}.rope.freq_base`]: f32(10_000),
      ...vocabularyMetadata(vocabulary, template),
      ...metadata,
    },
    tensors: [
      matrix("token_embd", WIDTH, vocabulary.tokens.length),
      norm("output_norm", WIDTH),
      // Of its own: tied to the embedding, a random model says the last token again and again.
      matrix("output", WIDTH, vocabulary.tokens.length),
      norm("blk.0.attn_norm", WIDTH),
      matrix("blk.0.attn_q", WIDTH, HEADS * HEAD),
      matrix("blk.0.attn_k", WIDTH, HEADS * HEAD),
      matrix("blk.0.attn_v", WIDTH, HEADS * HEAD),
      matrix("blk.0.attn_output", HEADS * HEAD, WIDTH),
      ...(architecture === "qwen3" ? [norm("blk.0.attn_q_norm", HEAD), norm("blk.0.attn_k_norm", HEAD)] : []),
      norm("blk.0.ffn_norm", WIDTH),
      matrix("blk.0.ffn_gate", WIDTH, FORWARD),
      matrix("blk.0.ffn_up", WIDTH, FORWARD),
      matrix("blk.0.ffn_down", FORWARD, WIDTH),
    ],
  });
}

/** Normally distributed numbers of a seed (mulberry32, Box-Muller). */
function normalNumbers(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
