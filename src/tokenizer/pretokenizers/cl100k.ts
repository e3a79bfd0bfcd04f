// (?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,maxDigits} |  ?[^\s\p{L}\p{N}]+[\r\n]*
//   | \s*[\r\n]+ | \s+(?!\S) | \s+
// The pattern of GPT-4 and of the many that changed only how many digits go together, or let marks into words.
import { CLASSES, charWidth, classAt, isSurrogate, LETTER, MARK, NEWLINE, NUMBER, SPACE } from "../unicode/classes.ts";
import { classRun, contraction, newlineRun, numberRun, otherRun, whiteSpaceRun } from "./runs.ts";
import type { Scanner } from "./types.ts";

const APOSTROPHE = 39;
const BLANK = 32;
// V8 folds a file's own constants into compiled code; imported ones it reads each time. This is the hottest code there is.
const classes = CLASSES;
const NOT_BEFORE_WORD = NUMBER | NEWLINE;
const LETTERS = LETTER;
const LETTERS_AND_MARKS = LETTER | MARK;

/** Digit by digit. */
export const qwen2Scanner: Scanner = (units, start, end) => scan(units, start, end, LETTERS, 1);

/** Up to three digits. */
export const llama3Scanner: Scanner = (units, start, end) => scan(units, start, end, LETTERS, 3);

/** Digit by digit; words are `[\p{L}\p{M}]+`, symbols `[^\s\p{L}\p{M}\p{N}]+`. */
export const qwen35Scanner: Scanner = (units, start, end) => scan(units, start, end, LETTERS_AND_MARKS, 1);

function scan(units: Uint16Array, start: number, end: number, word: number, maxDigits: number): number {
  // Words are most of a text, so they come first and on their own. A surrogate has no class in the table: what starts
  // with a pair goes the other way, and a lone one may stand before a word as U+FFFD may.
  const unit = units[start];
  const bits = classes[unit];
  let index = start;
  if ((bits & word) === 0) {
    const isLead = (bits & NOT_BEFORE_WORD) === 0 && unit !== APOSTROPHE && (classes[units[start + 1]] & word) !== 0;
    if (!isLead) return scanOther(units, start, end, word, maxDigits);
    index++;
  }
  do index++;
  while ((classes[units[index]] & word) !== 0);
  return isSurrogate(units[index]) ? classRun(units, index, end, word) : index;
}

function scanOther(units: Uint16Array, start: number, end: number, word: number, maxDigits: number): number {
  const bits = classAt(units, start, end);
  const unit = units[start];
  const next = start + charWidth(units, start, end);
  if ((bits & word) !== 0) return classRun(units, next, end, word);
  if ((bits & NUMBER) !== 0) return numberRun(units, start, end, maxDigits);
  if (unit === APOSTROPHE) {
    const after = contraction(units, start);
    if (after > start) return after;
  }
  if ((bits & NEWLINE) === 0 && (classAt(units, next, end) & word) !== 0) return classRun(units, next, end, word);
  const from = unit === BLANK ? next : start;
  const symbols = otherRun(units, from, end, SPACE | NUMBER | word);
  return symbols > from ? newlineRun(units, symbols) : whiteSpaceRun(units, start, end);
}
