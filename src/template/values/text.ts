import { Markup, type Piece, type Text, Traced } from "./scalars.ts";
import type { Source } from "./source.ts";
import type { Value } from "./types.ts";

/** A text that is not Markup. */
export type PlainText = string | Traced;

export function isText(value: Value): value is Text {
  return (
    typeof value === "string" || (value instanceof Traced && typeof value.value === "string") || value instanceof Markup
  );
}

/** The characters of a text. */
export function textOf(text: Text): string {
  if (typeof text === "string") return text;
  return text instanceof Markup ? textOf(text.text) : (text.value as string);
}

/** The value itself, without its source. Markup stays. */
export function plain(value: Value): Value {
  return value instanceof Traced ? value.value : value;
}

/** The pieces of a text with their sources. */
export function piecesOf(text: Text): readonly Piece[] {
  if (text instanceof Markup) return piecesOf(text.text);
  if (typeof text === "string") return text === "" ? [] : [{ text, source: null }];
  if (text.pieces !== null) return text.pieces;
  return text.value === "" ? [] : [{ text: text.value as string, source: text.source }];
}

/** A text with one source; null: from the template. */
export function traced(text: string, source: Source | null): PlainText {
  return source === null ? text : new Traced(text, source);
}

/** A text of pieces, neighbours of one source joined. */
export function fromPieces(pieces: readonly Piece[]): PlainText {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    if (piece.text === "") continue;
    const last = joined[joined.length - 1];
    if (last !== undefined && last.source === piece.source) {
      joined[joined.length - 1] = { text: last.text + piece.text, source: last.source };
    } else joined.push(piece);
  }
  if (joined.length === 0) return "";
  if (joined.length === 1) return traced(joined[0]!.text, joined[0]!.source);
  let text = "";
  for (const piece of joined) text += piece.text;
  return new Traced(text, null, joined);
}

/** Texts one after another. */
export function concatTexts(texts: readonly Text[]): PlainText {
  let text = "";
  for (let i = 0; i < texts.length; i++) {
    const part = texts[i]!;
    if (typeof part !== "string") return fromPieces(texts.flatMap(piecesOf));
    text += part;
  }
  return text;
}

/** The part from one UTF-16 index to another; both within the text. */
export function sliceText(text: PlainText, start: number, end: number): PlainText {
  if (typeof text === "string") return text.slice(start, end);
  if (text.pieces === null) {
    const part = (text.value as string).slice(start, end);
    return part === "" ? "" : part === text.value ? text : new Traced(part, text.source);
  }
  const pieces: Piece[] = [];
  let at = 0;
  for (const piece of text.pieces) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, piece.text.length);
    if (from < to) pieces.push({ text: piece.text.slice(from, to), source: piece.source });
    at += piece.text.length;
    if (at >= end) break;
  }
  return fromPieces(pieces);
}

/**
 * A new text made of the characters of an old one: `upper`, escapes. Every piece is mapped on its own where that gives the
 * same text; else all of it has the source of the first piece that has one.
 */
export function mapText(text: PlainText, map: (characters: string) => string): PlainText {
  if (typeof text === "string") return map(text);
  const whole = map(text.value as string);
  if (text.pieces === null) return traced(whole, text.source);
  const pieces = text.pieces.map((piece) => ({ text: map(piece.text), source: piece.source }));
  const mapped = fromPieces(pieces);
  return textOf(mapped) === whole ? mapped : traced(whole, firstSource(text));
}

/** The first source of a value, if it has any: for results whose parts cannot be told apart. */
export function firstSource(value: Value): Source | null {
  if (value instanceof Markup) return firstSource(value.text);
  if (!(value instanceof Traced)) return null;
  return value.source ?? value.pieces?.find((piece) => piece.source !== null)?.source ?? null;
}

/** Collects a text piece by piece. It stays a plain string as long as no piece has a source. */
export class TextBuilder {
  readonly #runtime: { allow(length: number): void };
  #pieces: Piece[] | null = null;
  #text = "";

  constructor(runtime: { allow(length: number): void }) {
    this.#runtime = runtime;
  }

  add(text: string, source: Source | null): void {
    if (source !== null && this.#pieces === null) {
      this.#pieces = this.#text === "" ? [] : [{ text: this.#text, source: null }];
    }
    this.#pieces?.push({ text, source });
    this.#text += text;
    this.#runtime.allow(this.#text.length);
  }

  addText(text: Text): this {
    if (typeof text === "string") this.add(text, null);
    else for (const piece of piecesOf(text)) this.add(piece.text, piece.source);
    return this;
  }

  text(): PlainText {
    return this.#pieces === null ? this.#text : fromPieces(this.#pieces);
  }
}
