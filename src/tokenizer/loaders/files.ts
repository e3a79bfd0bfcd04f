import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { TitoError } from "../../errors.ts";
import { isHubId } from "../../models/hub/names.ts";
import type { FetchOptions } from "../../models/hub/repo.ts";
import { fetchTokenizerFiles, VOCABULARIES } from "../../models/hub/tokenizerFiles.ts";
import { readDirectoryConfig, readDirectoryTemplates } from "../../template/sources/directory.ts";
import { optionTemplates } from "../../template/sources/layers.ts";
import { readOptional } from "../../template/sources/optionalFile.ts";
import type { Tokenizer } from "../types.ts";
import { nameOf } from "./configValues.ts";
import { tokenizerFromGguf } from "./gguf.ts";
import { tokenizerFromKimi } from "./kimi.ts";
import { mergeMeta, metaOf, type TokenizerOptions } from "./meta.ts";
import { tokenizerFromSentencePiece } from "./sentencePiece/load.ts";
import { tokenizerFromJson } from "./tokenizerJson.ts";

/** `signal` ends loading with an `aborted` error; the other options of `FetchOptions` are for a hub's model. */
export interface LoadTokenizerOptions extends TokenizerOptions, FetchOptions {}

/**
 * Loads a tokenizer from a model's directory or from its file: a `tokenizer.json`, a `.gguf`, Kimi's `tiktoken.model` or a
 * SentencePiece `tokenizer.model`; in a directory the first of `tokenizer.json`, `tiktoken.model` and `tokenizer.model`
 * counts. `tokenizer_config.json` beside it gives special tokens, chat templates, name and, for the two `.model` files,
 * added tokens. `chat_template.jinja` and the files in `additional_chat_templates` stand for the config's templates, as does an
 * older `chat_template.json`; options win over files.
 *
 * What is no file or directory here and has the form `org/name` is a hub's model: the same files are fetched into the cache, or
 * are in it and still the hub's. Offline, or where the hub cannot be reached, the cache is enough. Its name is the id.
 *
 * @throws TitoError `file_not_found`, `aborted`, `tokenizer_invalid` for a damaged file beside it, `token_missing` where an
 *   end or beginning of sequence is named that the vocabulary does not have, and what the loader of the file throws; for a
 *   hub's model also what `fetchTokenizerFiles` throws.
 * @example
 * const tokenizer = await loadTokenizer("Qwen/Qwen3-8B", { revision: "main" });
 * const same = await loadTokenizer("models/qwen3-8b", { nameOrPath: "Qwen/Qwen3-8B" });
 */
export async function loadTokenizer(path: string, options: LoadTokenizerOptions = {}): Promise<Tokenizer> {
  const { signal } = options;
  const given: TokenizerOptions = { ...metaOf(options), addedTokens: options.addedTokens };
  if (signal?.aborted) throw aborted(signal);
  if (path.endsWith(".gguf")) return tokenizerFromGguf(path, given);
  if (!isHubId(path) || existsSync(path)) return loadFiles(path, given, signal);
  const directory = await fetchTokenizerFiles(path, options).catch((error) => {
    throw notHereEither(error, path);
  });
  return loadFiles(directory, { ...given, nameOrPath: given.nameOrPath ?? path }, signal);
}

async function loadFiles(path: string, given: TokenizerOptions, signal: AbortSignal | undefined): Promise<Tokenizer> {
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
  for (const file of isDirectory ? VOCABULARIES.map((name) => join(path, name)) : [path]) {
    const bytes = await readOptional(file, signal);
    if (bytes !== undefined) return { file, bytes };
  }
  throw new TitoError(
    "file_not_found",
    isDirectory
      ? `There is none of ${VOCABULARIES.join(", ")} in ${path}. Pass the directory of a model's tokenizer.`
      : `There is no tokenizer at ${path}. Pass one of ${VOCABULARIES.join(", ")}, its directory, a .gguf or a hub's org/name.`,
    { details: { path } },
  );
}

/** Where the hub has nothing, a path may have been meant. */
function notHereEither(error: unknown, path: string): unknown {
  if (!(error instanceof TitoError) || !ABSENT.includes(error.code)) return error;
  const { code, message, details } = error;
  return new TitoError(code, `${message} Nor is there a directory ${path} here.`, { details, cause: error });
}

const ABSENT: readonly string[] = ["hub_not_found", "hub_unauthorized", "hub_unavailable", "hub_offline"];

function aborted(signal: AbortSignal): TitoError {
  return new TitoError("aborted", "Loading the tokenizer was aborted.", { cause: signal.reason });
}
