import { Markup, type Piece, type Text, Traced } from "../values/scalars.ts";
import type { Source } from "../values/source.ts";
import { fromPieces, type PlainText, piecesOf } from "../values/text.ts";

/** What a render writes to: the output itself, or a block that is collected for a macro, an assignment, a filter. */
export interface Output {
  /** UTF-16 units so far. */
  readonly length: number;
  /** The template's own text, from this offset of it. */
  literal(text: string, at: number): void;
  /** A printed value, by an expression at this offset of the template. */
  value(text: Text, at: number): void;
  collected(): PlainText;
}

/** Text alone, where provenance is not kept. */
export class PlainOutput implements Output {
  #text = "";

  get length(): number {
    return this.#text.length;
  }

  literal(text: string): void {
    this.#text += text;
  }

  value(text: Text): void {
    this.#text += text as string;
  }

  collected(): string {
    return this.#text;
  }
}

/** A piece of the output. */
export interface TracePiece {
  readonly text: string;
  /** Where in the context it comes from; null: it is the template's own text. */
  readonly source: Source | null;
  /** The message that the template was writing: the one that the loop around it stands at; -1: outside of such a loop. */
  readonly writing: number;
  /** Offset in the template of what wrote it. */
  readonly at: number;
}

/** What an output asks of its render. */
export interface MessageAt {
  /** The message that the template is writing; -1: none. */
  readonly message: number;
}

/** The pieces of a render's output; what one statement writes of the template's own words without a break is one. */
export class TracedOutput implements Output {
  readonly pieces: TracePiece[] = [];
  readonly #run: MessageAt;
  #last: { text: string; readonly source: Source | null; readonly writing: number; readonly at: number } | null = null;
  #text = "";

  constructor(run: MessageAt) {
    this.#run = run;
  }

  get text(): string {
    return this.#text;
  }

  get length(): number {
    return this.#text.length;
  }

  literal(text: string, at: number): void {
    this.#push(text, null, this.#run.message, at);
  }

  value(text: Text, at: number): void {
    const writing = this.#run.message;
    if (typeof text === "string") this.#push(text, null, writing, at);
    else if (text instanceof Traced && text.pieces === null)
      this.#write(text.value as string, text.source, writing, at);
    else for (const piece of piecesOf(text)) this.#write(piece.text, piece.source, writing, at);
  }

  #write(text: string, source: Source | null, writing: number, at: number): void {
    // Words that were collected earlier belong where they are printed, if that is at a message.
    if (source?.isTemplate) this.#push(text, null, writing >= 0 ? writing : source.message, at);
    else this.#push(text, source, writing, at);
  }

  #push(text: string, source: Source | null, writing: number, at: number): void {
    if (text === "") return;
    this.#text += text;
    const last = this.#last;
    const goesOn = last !== null && source === null && last.source === null;
    if (goesOn && last.at === at && last.writing === writing) last.text += text;
    else {
      this.#last = { text, source, writing, at };
      this.pieces.push(this.#last);
    }
  }

  collected(): PlainText {
    return fromPieces(this.pieces);
  }
}

/**
 * A block that is collected where provenance is kept. The template's own text in it remembers which message was being
 * written, because it may be printed elsewhere.
 */
export class TracedBlock implements Output {
  readonly #pieces: Piece[] = [];
  readonly #run: MessageAt & { templateSource(): Source | null };
  #length = 0;

  constructor(run: MessageAt & { templateSource(): Source | null }) {
    this.#run = run;
  }

  get length(): number {
    return this.#length;
  }

  literal(text: string): void {
    this.#length += text.length;
    this.#pieces.push({ text, source: this.#run.templateSource() });
  }

  value(text: Text): void {
    if (typeof text === "string") {
      if (text !== "") this.literal(text);
      return;
    }
    const whole = text instanceof Markup ? text.text : text;
    for (const piece of piecesOf(whole)) {
      this.#length += piece.text.length;
      this.#pieces.push(piece.source === null ? { text: piece.text, source: this.#run.templateSource() } : piece);
    }
  }

  collected(): PlainText {
    return fromPieces(this.#pieces);
  }
}
