// The pieces that the patterns share.
import { astralClass, CLASSES, charWidth, classAt, isSurrogate, NEWLINE, NUMBER, SPACE } from "../unicode/classes.ts";

// A constant of this file is folded into compiled code, an imported one is read each time.
const classes = CLASSES;

/** `[...]*` over the classes in `mask`, which must not hold for U+0000. */
export function classRun(units: Uint16Array, start: number, end: number, mask: number): number {
  let index = start;
  for (;;) {
    while ((classes[units[index]] & mask) !== 0) index++;
    if (!isSurrogate(units[index]) || index >= end || (astralClass(units, index, end) & mask) === 0) return index;
    index += charWidth(units, index, end);
  }
}

/** `[^...]*` over the classes in `mask`. */
export function otherRun(units: Uint16Array, start: number, end: number, mask: number): number {
  let index = start;
  for (;;) {
    const unit = units[index];
    if ((classes[unit] & mask) !== 0 || index >= end) return index;
    if (!isSurrogate(unit)) index++;
    else if ((astralClass(units, index, end) & mask) !== 0) return index;
    else index += charWidth(units, index, end);
  }
}

/** `\p{N}{0,limit}`. */
export function numberRun(units: Uint16Array, start: number, end: number, limit: number): number {
  let index = start;
  for (let count = 0; count < limit && (classAt(units, index, end) & NUMBER) !== 0; count++) {
    index += charWidth(units, index, end);
  }
  return index;
}

/** `[\r\n]*`. */
export function newlineRun(units: Uint16Array, start: number): number {
  let index = start;
  while (units[index] === 10 || units[index] === 13) index++;
  return index;
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+`, at a white-space character. */
export function whiteSpaceRun(units: Uint16Array, start: number, end: number): number {
  let index = start;
  let afterNewline = -1;
  for (let bits = classes[units[index]]; (bits & SPACE) !== 0; bits = classes[units[index]]) {
    index++;
    if ((bits & NEWLINE) !== 0) afterNewline = index;
  }
  if (afterNewline >= 0) return afterNewline;
  return index === end || index === start + 1 ? index : index - 1;
}

/** `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at an apostrophe: the end of the match, or `start` if there is none. */
export function contraction(units: Uint16Array, start: number): number {
  const first = units[start + 1];
  // U+017F, the long s, folds to s.
  if (first >= 128) return first === 0x17f ? start + 2 : start;
  switch (first | 32) {
    case 100: // d
    case 109: // m
    case 115: // s
    case 116: // t
      return start + 2;
    case 108: // l
      return isLetter(units[start + 2], 108) ? start + 3 : start;
    case 114: // r
    case 118: // v
      return isLetter(units[start + 2], 101) ? start + 3 : start;
    default:
      return start;
  }
}

const isLetter = (unit: number, lower: number): boolean => unit < 128 && (unit | 32) === lower;
