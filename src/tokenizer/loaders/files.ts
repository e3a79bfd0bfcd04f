import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TitoError } from "../../errors.ts";
import type { Tokenizer } from "../types.ts";
import { asText, defaultTemplate, tokenText } from "./configValues.ts";
import { tokenizerFromGguf } from "./gguf.ts";
import type { TokenizerOptions } from "./meta.ts";
import { tokenizerFromJson } from "./tokenizerJson.ts";

export interface LoadTokenizerOptions extends TokenizerOptions {
  /** Ends loading with an `aborted` error. */
  readonly signal?: AbortSignal | undefined;
}

/** The fields of `tokenizer_config.json` that are read. */
interface TokenizerConfig {
  readonly eos_token?: unknown;
  readonly bos_token?: unknown;
  readonly chat_template?: unknown;
  readonly name_or_path?: unknown;
}

/**
 * Loads a tokenizer from a model's directory, a `tokenizer.json` or a `.gguf` file. Beside a `tokenizer.json`,
 * `tokenizer_config.json` gives end and beginning of sequence, chat template and name, and `chat_template.jinja` the
 * template; options win over files.
 *
 * @throws TitoError `file_not_found`, `aborted`, and what `tokenizerFromJson` and `tokenizerFromGguf` throw.
 * @example
 * const tokenizer = await loadTokenizer("models/qwen3-8b", { nameOrPath: "Qwen/Qwen3-8B" });
 */
export async function loadTokenizer(path: string, options: LoadTokenizerOptions = {}): Promise<Tokenizer> {
  const { signal } = options;
  if (signal?.aborted) throw aborted(signal);
  if (path.endsWith(".gguf")) return tokenizerFromGguf(path, options);
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "tokenizer.json") : path;
  const json = await readOptional(file, signal);
  if (json === undefined) {
    throw new TitoError(
      "file_not_found",
      `There is no tokenizer at ${file}. Pass a tokenizer.json, its directory or a .gguf.`,
      {
        details: { path: file },
      },
    );
  }
  const directory = dirname(file);
  const config = parseConfig(await readOptional(join(directory, "tokenizer_config.json"), signal));
  const template = await readOptional(join(directory, "chat_template.jinja"), signal);
  return tokenizerFromJson(json, {
    nameOrPath: options.nameOrPath ?? asText(config.name_or_path),
    eosToken: options.eosToken ?? tokenText(config.eos_token),
    bosToken: options.bosToken ?? tokenText(config.bos_token),
    chatTemplate: options.chatTemplate ?? template?.toString("utf8") ?? defaultTemplate(config.chat_template),
    addedTokens: options.addedTokens,
  });
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
