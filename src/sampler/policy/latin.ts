import { patternOf } from "../../parse/layout/pieces.ts";

const encoder = new TextEncoder();

/** A text's UTF-8 bytes, a character for each, so that bytes are compared as strings. */
export const latin = (text: string): string => latinOf(encoder.encode(text));

export function latinOf(bytes: Uint8Array): string {
  let out = "";
  for (const byte of bytes) out += String.fromCharCode(byte);
  return out;
}

export const isSpace = (char: string): boolean => char === " " || char === "\n" || char === "\r" || char === "\t";

/** A marker in bytes as characters, taken apart where white space in it is free. */
export interface BytePattern {
  readonly pieces: readonly string[];
  /** The pieces joined. */
  readonly core: string;
  /** White space that the marker ends with. */
  readonly trail: string;
}

export function bytePattern(text: string): BytePattern {
  const { pieces, trail } = patternOf(text);
  const texts = pieces.map((piece) => latin(piece.text));
  return { pieces: texts, core: texts.join(""), trail: latin(trail) };
}

/** Where the pattern begins with which the text ends; -1: it does not end with it. */
export function startOfEnd(text: string, { pieces }: BytePattern): number {
  let at = text.length;
  for (let i = pieces.length - 1; i >= 0; i--) {
    if (i < pieces.length - 1) while (at > 0 && isSpace(text[at - 1])) at--;
    if (!text.endsWith(pieces[i], at)) return -1;
    at -= pieces[i].length;
  }
  return pieces.length === 0 ? -1 : at;
}
