import { maxCodePoint } from "./codePoints.ts";

/** A character of which some bytes are missing. */
export interface PartialCharacter {
  /** The bits so far. */
  readonly value: number;
  /** How many bytes are missing, and of how many. */
  readonly missing: number;
  readonly length: number;
}

export interface DecodedBytes {
  readonly codes: readonly number[];
  readonly partial: PartialCharacter | null;
}

const smallest = [0, 0, 0x80, 0x800, 0x10000];

/** The code points that a partial character may become; null if none. */
export function reachable({ value, missing, length }: PartialCharacter): readonly [low: number, high: number] | null {
  const span = 2 ** (6 * missing);
  const low = Math.max(value * span, smallest[length]);
  const high = Math.min(value * span + span - 1, maxCodePoint);
  return low > high || (low >= 0xd800 && high <= 0xdfff) ? null : [low, high];
}

/** Strict UTF-8 from where a character was cut; null if the bytes cannot be the beginning of any text. */
export function decodeUtf8(bytes: Uint8Array, pending: PartialCharacter | null): DecodedBytes | null {
  const codes: number[] = [];
  let partial = pending;
  for (const byte of bytes) {
    const read = decodeByte(byte, partial);
    if (read === null) return null;
    partial = typeof read === "number" ? null : read;
    if (typeof read === "number") codes.push(read);
  }
  return { codes, partial };
}

/** The code point that a byte completes, or the character that it leaves open; null if no text goes on with it. */
export function decodeByte(byte: number, pending: PartialCharacter | null): number | PartialCharacter | null {
  let partial: PartialCharacter;
  if (pending === null) {
    if (byte < 0x80) return byte;
    if (byte < 0xc2 || byte > 0xf4) return null;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    partial = { value: byte & (0x7f >> length), missing: length - 1, length };
  } else {
    if ((byte & 0xc0) !== 0x80) return null;
    partial = { value: (pending.value << 6) | (byte & 0x3f), missing: pending.missing - 1, length: pending.length };
  }
  if (reachable(partial) === null) return null;
  return partial.missing === 0 ? partial.value : partial;
}

/** Code points of a text; null if it holds half of a surrogate pair, which has no bytes. */
export function codePointsOf(text: string): number[] | null {
  if (!text.isWellFormed()) return null;
  return Array.from(text, (character) => character.codePointAt(0)!);
}
