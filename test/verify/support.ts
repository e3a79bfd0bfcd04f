import { type Tokenizer, type TokenizerOptions, tokenizerFromGguf } from "../../src/index.ts";
import { readGgufHeader } from "../../src/models/gguf/header.ts";
import { modelFile } from "../support/qwen3.ts";

const header = readGgufHeader(modelFile);

/** The embedded model's tokenizer with other options; its own template is the Qwen3 format in other words. */
export const qwen3Tokenizer = (options: TokenizerOptions = {}): Tokenizer => tokenizerFromGguf(header, options);

/** The same from a model file without a chat template. */
export function bareTokenizer(options: TokenizerOptions = {}): Tokenizer {
  const metadata = new Map([...header.metadata].filter(([key]) => !key.startsWith("tokenizer.chat_template")));
  return tokenizerFromGguf({ ...header, metadata }, options);
}

export const ownTemplate = qwen3Tokenizer().chatTemplate!;

/** A text with one place changed; an error if it is not there. */
export function changed(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`there is no ${JSON.stringify(from)}`);
  return text.replace(from, () => to);
}
