import { TitoError } from "../../errors.ts";
import { buildTables } from "../bpe/buildTables.ts";
import type { ChunkLimits } from "../bpe/chunks.ts";
import { MergeList } from "../bpe/mergeList.ts";
import { BpeTokenizer } from "../bpe/tokenizer.ts";
import { findToken, finishHash, hashBytes } from "../bpe/vocabulary.ts";
import { type Vocabulary, VocabularyBuilder } from "../bpe/vocabularyBuilder.ts";
import { PATTERN_NAMES, PATTERNS, type PatternName } from "../pretokenizers/patterns.ts";
import type { AddedToken, Tokenizer } from "../types.ts";
import { metaOf, type TokenizerOptions } from "./meta.ts";

export interface TiktokenOptions extends TokenizerOptions {
  /** The pre-tokenizer that goes with the ranks, which a ranks file does not name: `"o200k"` for gpt-oss. */
  readonly pattern: PatternName;
  /** Limits at which long texts are cut first, as the model's own code does; none by default. */
  readonly chunks?: ChunkLimits | undefined;
}

/**
 * Makes a tokenizer from a tiktoken ranks file (`*.tiktoken`, `tokenizer.model`): a line per token, its bytes in base64
 * and its rank, which is its id. Two neighbours merge where the ranks hold what they make together, lowest rank first.
 *
 * @throws TitoError `tokenizer_invalid` for a malformed file, `tokenizer_unsupported` for an unknown pattern.
 */
export function tokenizerFromTiktoken(ranks: string | Uint8Array, options: TiktokenOptions): Tokenizer {
  const { pattern, addedTokens = [] } = options;
  if (!Object.hasOwn(PATTERNS, pattern)) {
    throw new TitoError(
      "tokenizer_unsupported",
      `There is no pattern ${pattern}; there are ${PATTERN_NAMES.join(", ")}.`,
    );
  }
  return tokenizerFromRanks(readRanks(ranks), addedTokens, options);
}

/** A tokenizer over ranks that were read before. */
export function tokenizerFromRanks(
  vocabulary: Vocabulary,
  addedTokens: readonly AddedToken[],
  { pattern, chunks, ...meta }: TiktokenOptions,
): Tokenizer {
  const tables = buildTables(vocabulary, splitTokens(vocabulary), addedTokens, { proveWholeTokens: false });
  return new BpeTokenizer(tables, {
    pattern,
    nfc: false,
    ignoreMerges: true,
    chunks,
    addedTokens,
    ...metaOf(meta),
  });
}

/** The vocabulary of a ranks file: a rank is an id. */
export function readRanks(ranks: string | Uint8Array): Vocabulary {
  const text = typeof ranks === "string" ? ranks : Buffer.from(ranks).toString("latin1");
  const builder = new VocabularyBuilder();
  let line = 1;
  for (let start = 0; start < text.length; line++) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const blank = text.indexOf(" ", start);
    if (end > start) {
      const rank = Number(text.slice(blank + 1, end));
      if (blank < 0 || blank >= end || !Number.isInteger(rank)) {
        throw new TitoError("tokenizer_invalid", `Line ${line} of the ranks is not "base64 rank". Check the file.`);
      }
      builder.addBytes(rank, Buffer.from(text.slice(start, blank), "base64"));
    }
    start = end + 1;
  }
  return builder.build();
}

/** Every way to cut a token into two others is a merge, of the token's own rank. */
function splitTokens(vocabulary: Vocabulary): MergeList {
  const { vocabSize, tokenBytes, tokenOffsets } = vocabulary;
  const merges = new MergeList(vocabulary, vocabSize * 3);
  for (let id = 0; id < vocabSize; id++) {
    const start = tokenOffsets[id];
    const end = tokenOffsets[id + 1];
    let hash = hashBytes(tokenBytes, start, start);
    for (let seam = start + 1; seam < end; seam++) {
      hash = hashBytes(tokenBytes, seam - 1, seam, hash);
      const left = findToken(vocabulary, finishHash(hash), tokenBytes, start, seam);
      if (left < 0) continue;
      const right = findToken(vocabulary, finishHash(hashBytes(tokenBytes, seam, end)), tokenBytes, seam, end);
      if (right >= 0) merges.add(left, right, id, id);
    }
  }
  return merges;
}
