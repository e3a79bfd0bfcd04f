import * as data from "./data.ts";
import { CODE_POINTS, forEachRange } from "./ranges.ts";

// Character classes of the pre-tokenizer patterns, one bit each. A code point may have several.
/** `\p{L}` that an upper-case run may hold, and `\p{M}`: `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`. */
export const UPPER = 1;
/** `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`. */
export const LOWER = 2;
/** `\p{L}`. */
export const LETTER = 4;
/** `\p{M}`. */
export const MARK = 8;
/** `\p{N}`. */
export const NUMBER = 16;
/** `[\p{P}\p{S}]`. */
export const SYMBOL = 32;
/** `\s` as Rust and Oniguruma read it: with U+0085, without U+FEFF. */
export const SPACE = 64;
/** `[\r\n]`. */
export const NEWLINE = 128;

/**
 * Class bits by code point, of Unicode 16.0 whatever the Unicode version of the JavaScript engine.
 * Surrogates have none: a scanner that meets one calls `astralClass`.
 */
export const CLASSES: Uint8Array = buildClasses();

function buildClasses(): Uint8Array {
  const classes = new Uint8Array(CODE_POINTS);
  const add = (encoded: string, bits: number): void =>
    forEachRange(encoded, (start, end) => {
      for (let point = start; point < end; point++) classes[point] |= bits;
    });
  add(data.UPPERCASE, LETTER | UPPER);
  add(data.LOWERCASE, LETTER | LOWER);
  add(data.UNCASED, LETTER | UPPER | LOWER);
  add(data.MARK, MARK | UPPER | LOWER);
  add(data.NUMBER, NUMBER);
  add(data.PUNCTUATION, SYMBOL);
  add(data.SYMBOL, SYMBOL);
  add(data.WHITE_SPACE, SPACE);
  classes[10] |= NEWLINE;
  classes[13] |= NEWLINE;
  return classes;
}

export const isSurrogate = (unit: number): boolean => (unit & 0xf800) === 0xd800;

/** Whether a surrogate pair starts at `index`; `end` bounds the text. */
export function isPair(units: Uint16Array, index: number, end: number): boolean {
  return (units[index] & 0xfc00) === 0xd800 && index + 1 < end && (units[index + 1] & 0xfc00) === 0xdc00;
}

/** Class bits of the surrogate pair at `index`; a lone surrogate reads as U+FFFD, a symbol. */
export function astralClass(units: Uint16Array, index: number, end: number): number {
  if (!isPair(units, index, end)) return SYMBOL;
  return CLASSES[0x10000 + ((units[index] & 0x3ff) << 10) + (units[index + 1] & 0x3ff)];
}

/** Code units that the character at `index` takes: 2 for a surrogate pair. */
export function charWidth(units: Uint16Array, index: number, end: number): 1 | 2 {
  return isSurrogate(units[index]) && isPair(units, index, end) ? 2 : 1;
}

/** Class bits of the character at `index`. */
export function classAt(units: Uint16Array, index: number, end: number): number {
  const unit = units[index];
  return isSurrogate(unit) ? astralClass(units, index, end) : CLASSES[unit];
}
