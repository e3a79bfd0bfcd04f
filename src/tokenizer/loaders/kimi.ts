import { TitoError } from "../../errors.ts";
import type { ChunkLimits } from "../bpe/chunks.ts";
import type { AddedToken, Tokenizer } from "../types.ts";
import { readAddedTokensDecoder } from "./addedTokens.ts";
import { metaOfConfig, type TokenizerConfig } from "./configValues.ts";
import type { TokenizerOptions } from "./meta.ts";
import { readRanks, tokenizerFromRanks } from "./tiktoken.ts";

/** Ids after the ranks that are control tokens, whether the config names them or not. */
const RESERVED = 256;

/**
 * Kimi's tokenizer class cuts text between added tokens before it encodes: every 400,000 characters, and a stretch of
 * white space, or of anything else, every 25,000. The ids at such a place are those of the two sides.
 */
const CHUNKS: ChunkLimits = { text: 400_000, stretch: 25_000 };

/**
 * Makes the tokenizer of Kimi K2 and its successors from their `tiktoken.model` and the value of their
 * `tokenizer_config.json`. Ids that `added_tokens_decoder` does not name, among the 256 after the ranks, are the control
 * tokens `<|reserved_token_ID|>`.
 *
 * @throws TitoError as `tokenizerFromTiktoken`; `token_missing` if the config's own end or beginning of sequence is no token.
 * @example
 * const tokenizer = tokenizerFromKimi(readFileSync("tiktoken.model"), JSON.parse(readFileSync("tokenizer_config.json", "utf8")));
 */
export function tokenizerFromKimi(
  ranks: string | Uint8Array,
  config: TokenizerConfig,
  options: TokenizerOptions = {},
): Tokenizer {
  const vocabulary = readRanks(ranks);
  const addedTokens = options.addedTokens ?? kimiTokens(vocabulary.vocabSize, config.added_tokens_decoder);
  return tokenizerFromRanks(vocabulary, addedTokens, {
    pattern: "kimi",
    chunks: CHUNKS,
    ...metaOfConfig(config, options),
  });
}

function kimiTokens(firstId: number, decoder: unknown): AddedToken[] {
  const named = readAddedTokensDecoder(decoder);
  const early = named.find(({ id }) => id < firstId);
  if (early !== undefined) {
    throw new TitoError(
      "tokenizer_invalid",
      `tokenizer_config.json gives ${early.content} the id ${early.id}, which is one of the ${firstId} ranks of tiktoken.model. ` +
        "Use the two files of one model.",
      { details: { token: early.content, id: early.id, ranks: firstId } },
    );
  }
  const ids = new Set(named.map(({ id }) => id));
  const reserved = Array.from({ length: RESERVED }, (_, index) => firstId + index).filter((id) => !ids.has(id));
  const plain = { special: true, lstrip: false, rstrip: false, singleWord: false, normalized: false };
  return [...named, ...reserved.map((id) => ({ id, content: `<|reserved_token_${id}|>`, ...plain }))].sort(
    (a, b) => a.id - b.id,
  );
}
