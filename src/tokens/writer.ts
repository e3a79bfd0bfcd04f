import type { ResolvedImage } from "../images/types.ts";
import type { Span, TextSpan } from "./span.ts";

/** How text that a user, a tool or the system wrote is read: as plain text, or as a chat template would read it. */
export type ContentSpecials = "text" | "template";

/**
 * Collects the spans of a conversation. A family writes its wire format with these few words, which say what each piece
 * is; what that means for masks and for trust is decided here, once for all families.
 */
export class SpanWriter {
  readonly spans: Span[] = [];
  readonly #trustBodies: boolean;
  readonly #ordinaryText: boolean;
  #message = -1;

  /** `ordinaryText`: no text is trusted, because the format writes control tokens by id alone. */
  constructor(options: { readonly contentSpecials: ContentSpecials; readonly ordinaryText?: boolean | undefined }) {
    this.#trustBodies = options.contentSpecials === "template";
    this.#ordinaryText = options.ordinaryText ?? false;
  }

  /** What follows belongs to this message (-1: to none). */
  at(message: number): this {
    this.#message = message;
    return this;
  }

  /** A control token or marker of the wire format. */
  token(id: number): this {
    this.spans.push({ kind: "token", id, message: this.#message, sampled: false, content: false });
    return this;
  }

  /** Fixed text of the wire format. */
  scaffold(text: string): this {
    return this.#text(text, false, false, true);
  }

  /** What a user, a tool or the system says. */
  body(text: string): this {
    return this.#text(text, false, true, this.#trustBodies);
  }

  /** A body that the format puts so close to its tags that one token may hold both: such a token is the body's. */
  huggedBody(text: string): this {
    return this.#text(text, false, true, this.#trustBodies, "token");
  }

  /** A body that counts as content to its last byte: a token shared with scaffold is content, but stays where it begins. */
  sharedBody(text: string): this {
    return this.#text(text, false, true, this.#trustBodies, "content");
  }

  /** A control token that the format writes a body's value with. */
  bodyToken(id: number): this {
    this.spans.push({ kind: "token", id, message: this.#message, sampled: false, content: true });
    return this;
  }

  /** An image in a body: its placeholder, as often as the model has it. */
  image(id: number, image: ResolvedImage): this {
    this.spans.push({ kind: "image", id, image, message: this.#message, sampled: false, content: true });
    return this;
  }

  /** Text from outside that is not a message's body: tool specs. */
  foreign(text: string): this {
    return this.#text(text, false, false, this.#trustBodies);
  }

  /** What the model samples: its reasoning, its words, its calls, with the format around them. */
  sampled(text: string): this {
    return this.#text(text, true, true, true);
  }

  /** The same for a format with `sharedBody`. */
  sharedSampled(text: string): this {
    return this.#text(text, true, true, true, "content");
  }

  /** A token that the model samples, its turn's end above all. */
  sampledToken(id: number): this {
    this.spans.push({ kind: "token", id, message: this.#message, sampled: true, content: true });
    return this;
  }

  #text(text: string, sampled: boolean, content: boolean, trusted: boolean, hugs?: TextSpan["hugs"]): this {
    if (text === "") return this;
    const isTrusted = trusted && !this.#ordinaryText;
    const span = { kind: "text", text, message: this.#message, sampled, content, trusted: isTrusted } as const;
    this.spans.push(hugs ? { ...span, hugs } : span);
    return this;
  }
}
