import type { ResolvedImage } from "../images/types.ts";
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

  /** A body that the format puts so close to its tags that one token may hold both: such a token is the body's. */
  huggedBody(text: string): this {
    return this.#text(text, false, true, this.#trustBodies, true);
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

  /** A token that the model samples, its turn's end above all. */
  sampledToken(id: number): this {
    this.spans.push({ kind: "token", id, message: this.#message, sampled: true, content: true });
    return this;
  }

  #text(text: string, sampled: boolean, content: boolean, trusted: boolean, hugs = false): this {
    if (text === "") return this;
    const span = { kind: "text", text, message: this.#message, sampled, content, trusted } as const;
    this.spans.push(hugs ? { ...span, hugs } : span);
    return this;
  }
}
