import type { PatternName } from "./patterns.ts";

/** What a GGUF does not say of its vocabulary, and the original tokenizer.json does. */
export interface GgufPreTokenizer {
  readonly pattern: PatternName;
  readonly nfc: boolean;
  readonly ignoreMerges: boolean;
}

const qwen2: GgufPreTokenizer = { pattern: "qwen2", nfc: true, ignoreMerges: false };
const llama3: GgufPreTokenizer = { pattern: "llama3", nfc: false, ignoreMerges: true };
const o200k: GgufPreTokenizer = { pattern: "o200k", nfc: false, ignoreMerges: true };

/** By `tokenizer.ggml.pre`. Names are llama.cpp's, the rest is in the tokenizer.json of the models that carry them. */
export const GGUF_PRE_TOKENIZERS: ReadonlyMap<string, GgufPreTokenizer> = new Map([
  ["qwen2", qwen2],
  ["deepseek-r1-qwen", qwen2],
  ["qwen35", { pattern: "qwen3.5", nfc: true, ignoreMerges: false }],
  ["llama-bpe", llama3],
  ["llama3", llama3],
  ["llama-v3", llama3],
  ["deepseek-v3", { pattern: "deepseek_v3", nfc: false, ignoreMerges: false }],
  ["gpt-4o", o200k],
  ["llama4", o200k],
  ["tekken", { pattern: "tekken", nfc: false, ignoreMerges: true }],
  ["gpt-2", { pattern: "gpt2", nfc: false, ignoreMerges: false }],
]);
