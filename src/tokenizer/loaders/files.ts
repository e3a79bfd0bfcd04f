import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { TitoError } from "../../errors.ts";
import { readDirectoryConfig, readDirectoryTemplates } from "../../template/sources/directory.ts";
import { optionTemplates } from "../../template/sources/layers.ts";
import { readOptional } from "../../template/sources/optionalFile.ts";
import type { Tokenizer } from "../types.ts";
import { nameOf } from "./configValues.ts";
import { tokenizerFromGguf } from "./gguf.ts";
import { tokenizerFromKimi } from "./kimi.ts";
import { mergeMeta, type TokenizerOptions } from "./meta.ts";
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
 * counts. `tokenizer_config.json` beside it gives special tokens, chat templates, name and, for the two `.model` files,
 * added tokens. `chat_template.jinja` and the files in `additional_chat_templates` stand for the config's templates, as does an
 * older `chat_template.json`; options win over files.
 *
 * @throws TitoError `file_not_found`, `aborted`, `tokenizer_invalid` for a damaged file beside it, `token_missing` where an
 *   end or beginning of sequence is named that the vocabulary does not have, and what the loader of the file throws.
 * @example
 * const tokenizer = await loadTokenizer("models/qwen3-8b", { nameOrPath: "Qwen/Qwen3-8B" });
 */
export async function loadTokenizer(path: string, options: LoadTokenizerOptions = {}): Promise<Tokenizer> {
  const { signal, ...given } = options;
  if (signal?.aborted) throw aborted(signal);
  if (path.endsWith(".gguf")) return tokenizerFromGguf(path, given);
  const { file, bytes } = await findFile(path, signal);
  const directory = dirname(file);
  const found = await readDirectoryConfig(directory, signal);
  const { config, specialTokens } = found;
  const templates = await readDirectoryTemplates(directory, found, signal, optionTemplates(given));
  const meta = mergeMeta(given, { nameOrPath: nameOf(config), specialTokens }, templates);
  const merged = { ...meta, addedTokens: given.addedTokens };
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
