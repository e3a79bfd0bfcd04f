import type { IdBuffer } from "./bpe/idBuffer.ts";
import type { TokenTables } from "./bpe/packTokens.ts";

/** What a kind of tokenizer is made of: text without added tokens to ids, and a vocabulary. `EngineTokenizer` does the rest. */
export interface Engine {
  /** Where `append` puts ids. */
  readonly out: IdBuffer;
  /** Bytes of every id, those of added tokens included. */
  readonly tokens: TokenTables;
  /** Appends the ids of a text, in which no added token is looked for. */
  append(text: string): void;
  /** The same for a text that `normalize` gave, or a part of one. */
  appendNormalized(text: string): void;
  /** The text that is really encoded, well-formed; without the blank at the start. */
  normalize(text: string): string;
  /** A normalised text with the blank that the tokenizer puts at the start of one; absent where it puts none. */
  prefixed?(normalized: string): string;
  /** Id of a vocabulary entry by its spelling. */
  idOf(entry: string): number | undefined;
  entryOf(id: number): string | undefined;
}
