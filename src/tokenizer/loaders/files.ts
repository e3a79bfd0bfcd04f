import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { TitoError } from "../../errors.ts";
import type { Tokenizer } from "../types.ts";
import { metaOfConfig, type TokenizerConfig } from "./configValues.ts";
import { tokenizerFromGguf } from "./gguf.ts";
import { tokenizerFromKimi } from "./kimi.ts";
import type { TokenizerOptions } from "./meta.ts";
import { tokenizerFromSentencePiece } from "./sentencePiece/load.ts";
import { tokenizerFromJson } from "./tokenizerJson.ts";

export interface LoadTokenizerOptions extends TokenizerOptions {
  /** Ends loading with an `aborted` error. */
  readonly signal?: AbortSignal | undefined;
}

/** What a directory is searched for, in this order. */
const FILE_NAMES = ["tokenizer.json", "tiktoken.model", "tokenizer.model"] as const;

/**
 * Loads a tokenizer from a model's directory or from its file: a `tokenizer.json`, a `.gguf`, Kimi's `tiktoken.model` or a
 * SentencePiece `tokenizer.model`; in a directory the first of `tokenizer.json`, `tiktoken.model` and `tokenizer.model`
 * counts. `tokenizer_config.json` beside it gives end and beginning of sequence, chat template, name and, for the two
 * `.model` files, added tokens; `chat_template.jinja` gives the template; options win over files.
 *
 * @throws TitoError `file_not_found`, `aborted`, `token_missing` where an end or beginning of sequence is named that the
 *   vocabulary does not have, and what the loader of the file throws.
 * @example
 * const tokenizer = await loadTokenizer("models/qwen3-8b", { nameOrPath: "Qwen/Qwen3-8B" });
 */
export async function loadTokenizer(path: string, options: LoadTokenizerOptions = {}): Promise<Tokenizer> {
  const { signal, ...given } = options;
  if (signal?.aborted) throw aborted(signal);
  if (path.endsWith(".gguf")) return tokenizerFromGguf(path, given);
  const { file, bytes } = await findFile(path, signal);
  const directory = dirname(file);
  const config = parseConfig(await readOptional(join(directory, "tokenizer_config.json"), signal));
  const template = await readOptional(join(directory, "chat_template.jinja"), signal);
  const chatTemplate = given.chatTemplate ?? template?.toString("utf8");
  const merged = { ...metaOfConfig(config, { ...given, chatTemplate }), addedTokens: given.addedTokens };
  switch (basename(file)) {
    case "tiktoken.model":
      return tokenizerFromKimi(bytes, config, merged);
    case "tokenizer.model":
      return tokenizerFromSentencePiece(bytes, { ...merged, config });
    default:
      return tokenizerFromJson(bytes, merged);
  }
}

async function findFile(path: string, signal: AbortSignal | undefined): Promise<{ file: string; bytes: Buffer }> {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  for (const file of isDirectory ? FILE_NAMES.map((name) => join(path, name)) : [path]) {
    const bytes = await readOptional(file, signal);
    if (bytes !== undefined) return { file, bytes };
  }
  throw new TitoError(
    "file_not_found",
    isDirectory
      ? `There is none of ${FILE_NAMES.join(", ")} in ${path}. Pass the directory of a model's tokenizer.`
      : `There is no tokenizer at ${path}. Pass one of ${FILE_NAMES.join(", ")}, its directory or a .gguf.`,
    { details: { path } },
  );
}

function aborted(signal: AbortSignal): TitoError {
  return new TitoError("aborted", "Loading the tokenizer was aborted.", { cause: signal.reason });
}

async function readOptional(path: string, signal: AbortSignal | undefined): Promise<Buffer | undefined> {
  try {
    return await readFile(path, signal ? { signal } : {});
  } catch (error) {
    if (signal?.aborted) throw aborted(signal);
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function parseConfig(bytes: Buffer | undefined): TokenizerConfig {
  if (bytes === undefined) return {};
  try {
    return JSON.parse(bytes.toString("utf8")) as TokenizerConfig;
  } catch (cause) {
    throw new TitoError("tokenizer_invalid", "tokenizer_config.json is no JSON. Check the file.", { cause });
  }
}
