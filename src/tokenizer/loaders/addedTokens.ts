import { TitoError } from "../../errors.ts";
import type { AddedToken } from "../types.ts";

/** An entry of `added_tokens` as a tokenizer.json has it. */
interface AddedTokenJson {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
  readonly single_word?: boolean;
  readonly normalized?: boolean;
}

/** Reads `added_tokens`; flags that are left out have the defaults of Hugging Face `tokenizers`. */
export function readAddedTokens(json: unknown): AddedToken[] {
  if (json === undefined || json === null) return [];
  if (!Array.isArray(json)) throw invalid("is not an array");
  return json.map((entry: Partial<AddedTokenJson> | null, index) => {
    if (typeof entry?.content !== "string" || !Number.isInteger(entry.id) || (entry.id as number) < 0) {
      throw invalid(`has no content or no id at index ${index}`);
    }
    const special = entry.special ?? false;
    return {
      id: entry.id as number,
      content: entry.content,
      special,
      lstrip: entry.lstrip ?? false,
      rstrip: entry.rstrip ?? false,
      singleWord: entry.single_word ?? false,
      normalized: entry.normalized ?? !special,
    };
  });
}

/**
 * Reads `added_tokens_decoder` of a tokenizer_config.json: the same entries, by id. Tokens that are not `special` are
 * matched in the text as given here, unless they say otherwise.
 */
export function readAddedTokensDecoder(json: unknown): AddedToken[] {
  if (json === undefined || json === null) return [];
  if (typeof json !== "object") throw invalid("are no object from id to token");
  const entries = Object.entries(json).map(([id, token]) => ({
    normalized: false,
    ...(token as object),
    id: Number(id),
  }));
  return readAddedTokens(entries);
}

function invalid(fact: string): TitoError {
  return new TitoError("tokenizer_invalid", `The tokenizer's added_tokens ${fact}. Check the file.`);
}
