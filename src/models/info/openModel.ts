import { TitoError } from "../../errors.ts";
import { type LoadTokenizerOptions, loadTokenizer } from "../../tokenizer/loaders/files.ts";
import { tokenizerFromGguf } from "../../tokenizer/loaders/gguf.ts";
import type { TokenizerOptions } from "../../tokenizer/loaders/meta.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import { type GgufHeader, readGgufHeader } from "../gguf/index.ts";
import { modelNames } from "./modelNames.ts";

/** A model's tokenizer, and what else says which family it is of. */
export interface OpenModel {
  readonly tokenizer: Tokenizer;
  /** Name of a known model that it was made from. */
  readonly base: string | undefined;
}

/** @throws TitoError as `loadTokenizer` */
export async function openModel(source: string, options: LoadTokenizerOptions = {}): Promise<OpenModel> {
  if (!source.endsWith(".gguf")) return { tokenizer: await loadTokenizer(source, options), base: undefined };
  const { signal, ...given } = options;
  if (signal?.aborted) throw new TitoError("aborted", "Loading the model was aborted.", { cause: signal.reason });
  return openHeader(readGgufHeader(source), given);
}

/** As `openModel`, for a header that has been read. Its tokenizer has the name of a known model if the file says one. */
export function openHeader(header: GgufHeader, options: TokenizerOptions = {}): OpenModel {
  const { own, base } = modelNames(header.metadata);
  const nameOrPath = options.nameOrPath ?? own;
  return {
    tokenizer: tokenizerFromGguf(header, { ...options, ...(nameOrPath !== undefined && { nameOrPath }) }),
    base,
  };
}
