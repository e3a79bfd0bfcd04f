// 's|'t|'re|'ve|'m|'ll|'d |  ?\p{L}+ |  ?\p{N}+ |  ?[^\s\p{L}\p{N}]+ | \s+(?!\S) | \s+
import { CLASSES, classAt, LETTER, NUMBER, SPACE } from "../unicode/classes.ts";
import { classRun, contraction, otherRun } from "./runs.ts";
import type { Scanner } from "./types.ts";

const APOSTROPHE = 39;
const BLANK = 32;

/** The pattern of GPT-2, which `ByteLevel` applies by itself (`use_regex`). */
export const gpt2Scanner: Scanner = (units, start, end) => {
  if (units[start] === APOSTROPHE) {
    const after = contraction(units, start);
    // Lower case only here.
    if (after > start && isLowerAscii(units, start + 1, after)) return after;
  }
  const from = units[start] === BLANK && start + 1 < end ? start + 1 : start;
  const bits = classAt(units, from, end);
  if ((bits & LETTER) !== 0) return classRun(units, from, end, LETTER);
  if ((bits & NUMBER) !== 0) return classRun(units, from, end, NUMBER);
  if ((bits & SPACE) === 0) return otherRun(units, from, end, SPACE | LETTER | NUMBER);
  let index = start;
  while ((CLASSES[units[index]] & SPACE) !== 0) index++;
  return index === end || index === start + 1 ? index : index - 1;
};

function isLowerAscii(units: Uint16Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (units[index] < 97 || units[index] > 122) return false;
  return true;
}
