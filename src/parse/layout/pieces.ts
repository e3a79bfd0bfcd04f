import { isPythonSpace } from "../../messages/index.ts";

/** A stretch of a marker without white space inside. White space between pieces is free. */
export interface Piece {
  readonly text: string;
  /** It is an added token: written with other tokens it is no marker. Counts only where the text comes from ids. */
  readonly atom: boolean;
}

/** A marker's text, taken apart. A text of nothing but white space has no pieces, and is its own `lead` and `trail`. */
export interface Pattern {
  readonly text: string;
  readonly lead: string;
  readonly trail: string;
  readonly pieces: readonly Piece[];
}

/** The text that waits to be read: its start is `pos`, counted from the response's start. */
export interface Waiting {
  buf: string;
  pos: number;
  /** Where added tokens stand, from the response's start; null: the text does not come from ids. */
  atoms: (readonly [start: number, end: number])[] | null;
  /** No text follows. */
  eof: boolean;
}

export const NO = -1;
/** It depends on what follows. */
export const MORE = -2;

/** Longer white space is nobody's layout; the bound keeps what must be looked at again small. */
const maxSpace = 64;

const isSpaceAt = (text: string, at: number): boolean => isPythonSpace(text.charCodeAt(at));

/** `added`: contents of the tokenizer's added tokens, longest first. */
export function patternOf(text: string, added: readonly string[] = []): Pattern {
  let start = 0;
  let end = text.length;
  while (start < end && isSpaceAt(text, start)) start++;
  while (end > start && isSpaceAt(text, end - 1)) end--;
  if (start === end) return { text, lead: text, trail: text, pieces: [] };
  return { text, lead: text.slice(0, start), trail: text.slice(end), pieces: piecesOf(text.slice(start, end), added) };
}

function piecesOf(core: string, added: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  const word = /<[^<>\s]*>?|\[[^[\]\s]*\]?|\]|`+|[^\s<[\]`]+/y;
  const inside = added.filter((content) => core.includes(content));
  for (let at = 0; at < core.length; ) {
    if (isSpaceAt(core, at)) {
      at++;
      continue;
    }
    const token = inside.find((content) => core.startsWith(content, at));
    word.lastIndex = at;
    let end = at + (token ?? word.exec(core)?.[0] ?? core[at]).length;
    if (token === undefined) {
      for (let cut = at + 1; cut < end; cut++) if (inside.some((content) => core.startsWith(content, cut))) end = cut;
    }
    pieces.push({ text: core.slice(at, end), atom: token !== undefined });
    at = end;
  }
  return pieces;
}

/** Where white space ends that begins at `at`; `MORE` if it may go on. */
export function afterSpace({ buf, eof }: Waiting, at: number): number {
  let end = at;
  while (end < buf.length && end - at < maxSpace && isSpaceAt(buf, end)) end++;
  return end === buf.length && !eof && end - at < maxSpace ? MORE : end;
}

/** Does the piece stand at `at`? Its end, or `NO`, or `MORE`. */
export function pieceAt(waiting: Waiting, at: number, piece: Piece): number {
  const { buf, eof } = waiting;
  const { text } = piece;
  if (buf.length - at < text.length) {
    return !eof && text.startsWith(buf.slice(at)) && atomsFit(waiting, at, buf.length, piece, true) ? MORE : NO;
  }
  return buf.startsWith(text, at) && atomsFit(waiting, at, at + text.length, piece, false) ? at + text.length : NO;
}

function atomsFit({ atoms, pos }: Waiting, from: number, to: number, { atom }: Piece, isPart: boolean): boolean {
  if (atoms === null) return true;
  const [start, end] = [pos + from, pos + to];
  for (const [first, last] of atoms) {
    if (last <= start || first >= end) continue;
    return atom && first === start && last === end;
  }
  // An added token arrives as a whole.
  return !atom || (isPart && start === end);
}

/** Where the pattern ends that stands at `at`, white space before it included; `NO`, or `MORE`. */
export function matchAt(waiting: Waiting, at: number, { pieces }: Pattern): number {
  let end = at;
  for (const piece of pieces) {
    const start = afterSpace(waiting, end);
    if (start === MORE) return MORE;
    end = pieceAt(waiting, start, piece);
    if (end < 0) return end;
  }
  return end;
}

/** How many whole pieces of the pattern stand at the end of a text that is over. */
export function matchedPieces(waiting: Waiting, at: number, { pieces }: Pattern): number {
  let end = at;
  for (let count = 0; count < pieces.length; count++) {
    const start = afterSpace(waiting, end);
    const next = start === MORE ? NO : pieceAt(waiting, start, pieces[count]);
    if (next < 0)
      return waiting.buf.slice(start) === "" || pieces[count].text.startsWith(waiting.buf.slice(start)) ? count : 0;
    end = next;
  }
  return pieces.length;
}

/** The patterns one after the other. */
export function joined(...patterns: readonly Pattern[]): Pattern {
  const text = patterns.map((one) => one.text).join("");
  const pieces = patterns.flatMap((one) => one.pieces);
  const lead = pieces.length === 0 ? text : (/^\s*/.exec(text)?.[0] ?? "");
  const trail = pieces.length === 0 ? text : (/\s*$/.exec(text)?.[0] ?? "");
  return { text, lead, trail, pieces };
}

/** Where `part`, or a beginning of it at the text's end, stands first; else the text's end. */
export function findPart(buf: string, part: string, from: number): number {
  const found = buf.indexOf(part, from);
  if (found >= 0) return found;
  for (let at = Math.max(from, buf.length - part.length + 1); at < buf.length; at++) {
    if (part.startsWith(buf.slice(at))) return at;
  }
  return buf.length;
}

/** The better of two matches: one that stands, else one that may. */
export const best = (a: number, b: number): number => (a >= 0 ? a : b >= 0 ? b : Math.min(a, b));
