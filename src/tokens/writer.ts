import type { Span } from "./span.ts";

/** How text that a user, a tool or the system wrote is read: as plain text, or as a chat template would read it. */
export type ContentSpecials = "text" | "template";

/**
 * Collects the spans of a conversation. A family writes its wire format with these few words, which say what each piece
 * is; what that means for masks and for trust is decided here, once for all families.
 */
export class SpanWriter {
  readonly spans: Span[] = [];
  readonly #trustBodies: boolean;
  #message = -1;

  constructor(options: { contentSpecials: ContentSpecials }) {
    this.#trustBodies = options.contentSpecials === "template";
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

  /** Text from outside that is not a message's body: tool specs. */
  foreign(text: string): this {
    return this.#text(text, false, false, this.#trustBodies);
  }

  /** What the model samples: its reasoning, its words, its calls, with the format around them. */
  sampled(text: string): this {
    return this.#text(text, true, true, true);
  }

  /** A token that the model samples, its turn's end above all. */
  sampledToken(id: number): this {
    this.spans.push({ kind: "token", id, message: this.#message, sampled: true, content: true });
    return this;
  }

  #text(text: string, sampled: boolean, content: boolean, trusted: boolean): this {
    if (text !== "") this.spans.push({ kind: "text", text, message: this.#message, sampled, content, trusted });
    return this;
  }
}
