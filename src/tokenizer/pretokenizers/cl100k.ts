// (?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,maxDigits} |  ?[^\s\p{L}\p{N}]+[\r\n]*
//   | \s*[\r\n]+ | \s+(?!\S) | \s+
import { charWidth, classAt, LETTER, MARK, NEWLINE, NUMBER, SPACE } from "../unicode/classes.ts";
import { classRun, contraction, newlineRun, numberRun, otherRun, whiteSpaceRun } from "./runs.ts";
import type { Scanner } from "./types.ts";

const APOSTROPHE = 39;
const BLANK = 32;

export interface Cl100kOptions {
  readonly maxDigits: number;
  /** Words are `[\p{L}\p{M}]+`, and symbols exclude `\p{M}`. */
  readonly marksInWords?: boolean;
}

/** The pattern of GPT-4 and of the many that changed only how many digits go together. */
export function cl100kScanner({ maxDigits, marksInWords = false }: Cl100kOptions): Scanner {
  const word = marksInWords ? LETTER | MARK : LETTER;
  const notSymbol = SPACE | NUMBER | word;
  return (units, start, end) => {
    const bits = classAt(units, start, end);
    const unit = units[start];
    const next = start + charWidth(units, start, end);
    if ((bits & word) === 0) {
      if ((bits & NUMBER) !== 0) return numberRun(units, start, end, maxDigits);
      if (unit === APOSTROPHE) {
        const after = contraction(units, start);
        if (after > start) return after;
      }
      if ((bits & NEWLINE) !== 0 || (classAt(units, next, end) & word) === 0) {
        const from = unit === BLANK ? next : start;
        const symbols = otherRun(units, from, end, notSymbol);
        return symbols > from ? newlineRun(units, symbols) : whiteSpaceRun(units, start, end);
      }
    }
    return classRun(units, next, end, word);
  };
}
