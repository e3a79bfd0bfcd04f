import type { AddedToken } from "../types.ts";

/** What is known of a tokenizer beside its vocabulary. */
export interface TokenizerMeta {
  /** The model's name, the key of the model map: `"Qwen/Qwen3-8B"`. */
  readonly nameOrPath?: string | undefined;
  /** Content of the end-of-sequence token. */
  readonly eosToken?: string | undefined;
  readonly bosToken?: string | undefined;
  /** Jinja source. */
  readonly chatTemplate?: string | undefined;
}

export interface TokenizerOptions extends TokenizerMeta {
  /** Stands for the whole list of added tokens in the file. */
  readonly addedTokens?: readonly AddedToken[] | undefined;
}
