import type { ResolvedImage } from "../images/types.ts";

/** Where a piece of a prompt comes from. Every token inherits it from the span that its first byte belongs to. */
export interface Origin {
  /** Index of the message, or -1 for scaffold that belongs to no message. */
  readonly message: number;
  /** The model samples this piece: its own words and the token that ends its turn. */
  readonly sampled: boolean;
  /** Body of a message as opposed to the scaffold around it; on an assistant's turn the same as `sampled`. */
  readonly content: boolean;
}

/** Text of the wire format. Only trusted text may turn into control tokens and markers. */
export interface TextSpan extends Origin {
  readonly kind: "text";
  readonly text: string;
  readonly trusted: boolean;
  /**
   * A token that begins in scaffold but has a byte of this span is `"content"`, or this span's as a `"token"`: its message's,
   * too.
   */
  readonly hugs?: "content" | "token";
}

/** One token by its id. */
export interface TokenSpan extends Origin {
  readonly kind: "token";
  readonly id: number;
}

/** An image: as many placeholder tokens as the model has for it. */
export interface ImageSpan extends Origin {
  readonly kind: "image";
  /** The placeholder. */
  readonly id: number;
  readonly image: ResolvedImage;
}

export type Span = TextSpan | TokenSpan | ImageSpan;
