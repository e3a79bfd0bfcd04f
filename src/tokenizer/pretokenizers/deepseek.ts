// Three splits, one inside the other:
//   \p{N}{1,3}
//   [一-龥぀-ゟ゠-ヿ]+
//   [!-/:-~ of ASCII punctuation][A-Za-z]+ | [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+ |  ?[\p{P}\p{S}]+[\r\n]*
//     | \s*[\r\n]+ | \s+(?!\S) | \s+
// The innermost sees only a stretch without numbers that is wholly inside or wholly outside the second's range, and the
// end of a stretch is the end of its text. So the range is folded into the classes: a word of one side never matches on
// the other, and a number has no class that the innermost knows.
import {
  astralClass,
  CLASSES,
  charWidth,
  isSurrogate,
  LETTER,
  MARK,
  NUMBER,
  SPACE,
  SYMBOL,
} from "../unicode/classes.ts";
import { newlineRun, numberRun } from "./runs.ts";
import type { Scanner } from "./types.ts";

const BLANK = 32;

const WORD = 1;
const SIGN = 2;
const WORD_EAST = 4;
const SIGN_EAST = 8;
/** In the range, and neither word nor sign: unassigned there. */
const GAP_EAST = 32;
const DIGIT = 128;
const EAST = WORD_EAST | SIGN_EAST | GAP_EAST;
// SPACE keeps its bit (64); line ends are read from the code unit.

const UNIT_CLASSES: Uint8Array = buildUnitClasses();

function buildUnitClasses(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (let unit = 0; unit < 0x10000; unit++) {
    const bits = westClass(CLASSES[unit]);
    const east = (unit >= 0x4e00 && unit <= 0x9fa5) || (unit >= 0x3040 && unit <= 0x30ff);
    table[unit] = !east ? bits : bits === WORD ? WORD_EAST : bits === SIGN ? SIGN_EAST : GAP_EAST;
  }
  return table;
}

function westClass(bits: number): number {
  if ((bits & NUMBER) !== 0) return DIGIT;
  if ((bits & (LETTER | MARK)) !== 0) return WORD;
  if ((bits & SYMBOL) !== 0) return SIGN;
  return bits & SPACE;
}

function stretchClass(units: Uint16Array, index: number, end: number): number {
  const unit = units[index];
  return isSurrogate(unit) && index < end ? westClass(astralClass(units, index, end)) : UNIT_CLASSES[unit];
}

/** The pattern of DeepSeek V3 and R1. */
export const deepseekScanner: Scanner = (units, start, end) => {
  const bits = stretchClass(units, start, end);
  if ((bits & (WORD | WORD_EAST)) !== 0) return run(units, start, end, bits);
  if ((bits & DIGIT) !== 0) return numberRun(units, start, end, 3);
  const unit = units[start];
  const next = start + charWidth(units, start, end);
  if (unit < 128 && bits === SIGN && isAsciiLetter(units[next])) {
    let index = next + 1;
    while (isAsciiLetter(units[index])) index++;
    return index;
  }
  const isNewline = unit === 10 || unit === 13;
  const word = (bits & EAST) !== 0 ? WORD_EAST : WORD;
  if ((bits & (SIGN | SIGN_EAST)) === 0 && !isNewline && (stretchClass(units, next, end) & word) !== 0) {
    return run(units, next, end, word);
  }
  if ((bits & SIGN_EAST) !== 0) return run(units, start, end, SIGN_EAST);
  const from = unit === BLANK ? next : start;
  const signs = run(units, from, end, SIGN);
  if (signs > from) return newlineRun(units, signs);
  return (bits & SPACE) !== 0 ? whiteSpace(units, start, end) : gap(units, start, end, bits);
};

/** `[...]*` over one of this pattern's classes, none of which U+0000 has. */
function run(units: Uint16Array, start: number, end: number, mask: number): number {
  let index = start;
  for (;;) {
    while ((UNIT_CLASSES[units[index]] & mask) !== 0) index++;
    if (!isSurrogate(units[index]) || index >= end || (stretchClass(units, index, end) & mask) === 0) return index;
    index += charWidth(units, index, end);
  }
}

/** As `whiteSpaceRun`, where a number or the other side of the range ends the text too. */
function whiteSpace(units: Uint16Array, start: number, end: number): number {
  let index = start;
  let afterNewline = -1;
  while ((UNIT_CLASSES[units[index]] & SPACE) !== 0) {
    const unit = units[index++];
    if (unit === 10 || unit === 13) afterNewline = index;
  }
  if (afterNewline >= 0) return afterNewline;
  const atEnd = index === end || (stretchClass(units, index, end) & (DIGIT | EAST)) !== 0;
  return atEnd || index === start + 1 ? index : index - 1;
}

/** Characters that nothing matches (controls, unassigned): all up to the next match, which may take the last one along. */
function gap(units: Uint16Array, start: number, end: number, bits: number): number {
  let index = start;
  let last = start;
  while (index < end && stretchClass(units, index, end) === bits) {
    last = index;
    index += charWidth(units, index, end);
  }
  const word = (bits & EAST) !== 0 ? WORD_EAST : WORD;
  return last > start && (stretchClass(units, index, end) & word) !== 0 ? last : index;
}

function isAsciiLetter(unit: number): boolean {
  const lower = unit | 32;
  return lower >= 97 && lower <= 122;
}
