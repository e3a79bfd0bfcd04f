// word (?i:'s|'t|'re|'ve|'m|'ll|'d)? | \p{N}{1,maxDigits} |  ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
// where word is [^\r\n\p{L}\p{N}]?U*L+ or, failing that, [^\r\n\p{L}\p{N}]?U+L*
//   U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]   L = [\p{Ll}\p{Lm}\p{Lo}\p{M}]
import {
  CLASSES,
  charWidth,
  classAt,
  isPair,
  isSurrogate,
  LETTER,
  LOWER,
  NEWLINE,
  NUMBER,
  SPACE,
  UPPER,
} from "../unicode/classes.ts";
import { HAN, hanApart } from "../unicode/han.ts";
import { contraction, newlineRun, numberRun, otherRun, whiteSpaceRun } from "./runs.ts";
import type { Scanner } from "./types.ts";

const APOSTROPHE = 39;
const BLANK = 32;
const SLASH = 47;

export interface O200kOptions {
  readonly maxDigits: number;
  readonly contractions: boolean;
}

/** The pattern of GPT-4o and gpt-oss; Mistral's Tekken is the same without contractions, digit by digit. */
export function o200kScanner({ maxDigits, contractions }: O200kOptions): Scanner {
  return (units, start, end) => {
    const bits = classAt(units, start, end);
    const next = start + charWidth(units, start, end);
    const word = wordEnd(CLASSES, units, start, next, end, bits);
    if (word > start) return contractions && units[word] === APOSTROPHE ? contraction(units, word) : word;
    if ((bits & NUMBER) !== 0) return numberRun(units, start, end, maxDigits);
    let symbols = symbolRun(units, start, next, end);
    if (symbols === start) return whiteSpaceRun(units, start, end);
    while (units[symbols] === 10 || units[symbols] === 13 || units[symbols] === SLASH) symbols++;
    return symbols;
  };
}

/**
 * The pattern of Kimi: `[\p{Han}]+` comes first, U and L are without Han, and what follows symbols is `[\r\n]*`. A Han
 * character is a run of its own even where it is no letter; in the middle of numbers or symbols it stays with them.
 */
export const kimiScanner: Scanner = (units, start, end) => {
  const classes = hanApart();
  const bits = pointClass(classes, units, start, end);
  if ((bits & HAN) !== 0) return wordRun(classes, units, start, end, HAN);
  const next = start + charWidth(units, start, end);
  const word = wordEnd(classes, units, start, next, end, bits);
  if (word > start) return units[word] === APOSTROPHE ? contraction(units, word) : word;
  if ((bits & NUMBER) !== 0) return numberRun(units, start, end, 3);
  const symbols = symbolRun(units, start, next, end);
  return symbols > start ? newlineRun(units, symbols) : whiteSpaceRun(units, start, end);
};

/** ` ?[^\s\p{L}\p{N}]+`: the end, or `start` if it does not match. `next` follows the first character. */
function symbolRun(units: Uint16Array, start: number, next: number, end: number): number {
  const from = units[start] === BLANK ? next : start;
  const symbols = otherRun(units, from, end, SPACE | LETTER | NUMBER);
  return symbols > from ? symbols : start;
}

/** The end of `word`, or `start`. `bits` are those of the character in `[start, next)`; `classes` says what U and L are. */
function wordEnd(
  classes: Uint8Array,
  units: Uint16Array,
  start: number,
  next: number,
  end: number,
  bits: number,
): number {
  const mayLead = (bits & (NEWLINE | LETTER | NUMBER)) === 0;
  if (mayLead) {
    const led = lowerWord(classes, units, next, end);
    if (led > next) return led;
  }
  if ((bits & (UPPER | LOWER)) !== 0) {
    const bare = lowerWord(classes, units, start, end);
    if (bare > start) return bare;
  }
  if (mayLead) {
    const led = wordRun(classes, units, next, end, UPPER);
    if (led > next) return led;
  }
  return wordRun(classes, units, start, end, UPPER);
}

/** `U*L+`: the end, or `start` if it does not match. */
function lowerWord(classes: Uint8Array, units: Uint16Array, start: number, end: number): number {
  const upper = wordRun(classes, units, start, end, UPPER);
  const lower = wordRun(classes, units, upper, end, LOWER);
  if (lower > upper) return lower;
  // U* gives back characters from its end until one is an L.
  for (let index = upper; index > start; ) {
    const before = index - 1 > start && (units[index - 1] & 0xfc00) === 0xdc00 ? index - 2 : index - 1;
    if ((pointClass(classes, units, before, end) & LOWER) !== 0) return index;
    index = before;
  }
  return start;
}

/** `[...]*` over the classes in `mask`, which must not hold for U+0000. */
function wordRun(classes: Uint8Array, units: Uint16Array, start: number, end: number, mask: number): number {
  let index = start;
  for (;;) {
    while ((classes[units[index]] & mask) !== 0) index++;
    if (!isSurrogate(units[index]) || index >= end || (pointClass(classes, units, index, end) & mask) === 0) {
      return index;
    }
    index += charWidth(units, index, end);
  }
}

/** Bits that `classes` has for the character at `index`; a lone surrogate has none that a word could hold. */
function pointClass(classes: Uint8Array, units: Uint16Array, index: number, end: number): number {
  const unit = units[index];
  if (!isSurrogate(unit)) return classes[unit];
  if (!isPair(units, index, end)) return 0;
  return classes[0x10000 + ((unit & 0x3ff) << 10) + (units[index + 1] & 0x3ff)];
}
