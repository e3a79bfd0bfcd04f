import type { ChatTemplates } from "../template/sources/types.ts";

/** Token ids as an argument. Results are `Int32Array`. */
export type Ids = Int32Array | readonly number[];

/** A token that is matched in text before any merge: control tokens (`special`) and whole markers such as `<think>`. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** A control token, which a decoder may skip. Markers that belong to the text (`<tool_call>`) are not special. */
  readonly special: boolean;
  /** Take white space on this side into the match. */
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** Match only where no word character touches the token. */
  readonly singleWord: boolean;
  /** Matched in the normalised text instead of the text as given. */
  readonly normalized: boolean;
}

/** Half-open range of UTF-16 indices of a text. */
export type TextRange = readonly [start: number, end: number];

/** An added token found in a text: half-open UTF-16 range and id. */
export interface AddedTokenMatch {
  readonly start: number;
  readonly end: number;
  readonly id: number;
}

export interface EncodeOptions {
  /**
   * How marker text is read. `"match"` (default): as a chat template's output is, every added token is one id.
   * `"plain"`: no added token is matched, not even one that is not `special`.
   * Ranges: matched only where every character lies in one of these ranges (sorted, disjoint; touching ranges are joined).
   * Neither reading ever adds a beginning- or end-of-sequence token.
   */
  readonly addedTokens?: "match" | "plain" | readonly TextRange[];
  /**
   * Put the blank before the first word that SentencePiece and Metaspace tokenizers put at the start of a text (default
   * false). It goes before text only: never where an added token stands first, never after one, whatever the tokenizer's
   * files say (`legacy: false` of transformers). The result has one byte more than `normalize(text)`, where the tokenizer
   * has such a blank; others ignore this.
   */
  readonly prefixSpace?: boolean;
}

/**
 * Text to ids and back. Implementations are immutable and synchronous.
 * Every id's bytes are known, so that a token can be attributed to the span of text which its first byte comes from.
 */
export interface Tokenizer extends ChatTemplates {
  /** The model's name as its files or its owner give it (`"Qwen/Qwen3-8B"`), the key of the model map. */
  readonly nameOrPath: string | undefined;
  /** One more than the largest id. */
  readonly vocabSize: number;
  readonly addedTokens: readonly AddedToken[];
  /** Ids from the tokenizer's own files, where they say so. */
  readonly eosTokenId: number | undefined;
  readonly bosTokenId: number | undefined;
  /**
   * Content of the special tokens by the names under which chat templates see them (`bos_token`, `eos_token`, `pad_token` …),
   * as far as they are known. They need not be in the vocabulary.
   */
  readonly specialTokens: ReadonlyMap<string, string>;
  /** The default one of `chatTemplates`: the Jinja chat template that came with the tokenizer's files, if any. */
  readonly chatTemplate: string | undefined;

  encode(text: string, options?: EncodeOptions): Int32Array;
  /** The text that is really encoded: after the normaliser (NFC for some). Same string when nothing changes. */
  normalize(text: string): string;
  /** UTF-8 text of the ids, control tokens included; malformed bytes become U+FFFD, nothing is cleaned up. */
  decode(ids: Ids): string;
  decodeBytes(ids: Ids): Uint8Array;
  /** How many bytes `decodeBytes([id])` has; the bytes of a sequence are the concatenation of its ids' bytes. */
  byteLength(id: number): number;
  /** Id of an added token by its content, or of a vocabulary entry by its spelling in the vocabulary. */
  tokenToId(token: string): number | undefined;
  /** Content of an added token, or a vocabulary entry's spelling in the vocabulary. */
  idToToken(id: number): string | undefined;
}
