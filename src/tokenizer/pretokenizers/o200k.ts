// word (?i:'s|'t|'re|'ve|'m|'ll|'d)? | \p{N}{1,maxDigits} |  ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
// where word is [^\r\n\p{L}\p{N}]?U*L+ or, failing that, [^\r\n\p{L}\p{N}]?U+L*
//   U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]   L = [\p{Ll}\p{Lm}\p{Lo}\p{M}]
import { charWidth, classAt, LETTER, LOWER, NEWLINE, NUMBER, SPACE, UPPER } from "../unicode/classes.ts";
import { classRun, contraction, numberRun, otherRun, whiteSpaceRun } from "./runs.ts";
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
    const unit = units[start];
    const next = start + charWidth(units, start, end);
    const word = wordEnd(units, start, next, end, bits);
    if (word > start) return contractions && units[word] === APOSTROPHE ? contraction(units, word) : word;
    if ((bits & NUMBER) !== 0) return numberRun(units, start, end, maxDigits);
    const from = unit === BLANK ? next : start;
    let symbols = otherRun(units, from, end, SPACE | LETTER | NUMBER);
    if (symbols === from) return whiteSpaceRun(units, start, end);
    while (units[symbols] === 10 || units[symbols] === 13 || units[symbols] === SLASH) symbols++;
    return symbols;
  };
}

/** The end of `word`, or `start`. `bits` are those of the character in `[start, next)`. */
function wordEnd(units: Uint16Array, start: number, next: number, end: number, bits: number): number {
  const mayLead = (bits & (NEWLINE | LETTER | NUMBER)) === 0;
  if (mayLead) {
    const led = lowerWord(units, next, end);
    if (led > next) return led;
  }
  if ((bits & (UPPER | LOWER)) !== 0) {
    const bare = lowerWord(units, start, end);
    if (bare > start) return bare;
  }
  if (mayLead) {
    const led = classRun(units, next, end, UPPER);
    if (led > next) return led;
  }
  return classRun(units, start, end, UPPER);
}

/** `U*L+`: the end, or `start` if it does not match. */
function lowerWord(units: Uint16Array, start: number, end: number): number {
  const upper = classRun(units, start, end, UPPER);
  const lower = classRun(units, upper, end, LOWER);
  if (lower > upper) return lower;
  // U* gives back characters from its end until one is an L.
  for (let index = upper; index > start; ) {
    const before = index - 1 > start && (units[index - 1] & 0xfc00) === 0xdc00 ? index - 2 : index - 1;
    if ((classAt(units, before, end) & LOWER) !== 0) return index;
    index = before;
  }
  return start;
}
