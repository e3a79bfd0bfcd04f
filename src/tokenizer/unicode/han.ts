import { CLASSES, LOWER, MARK, UPPER } from "./classes.ts";

/** Half-open ranges of the code points of the script Han (`\p{Han}`) in Unicode 16.0. */
const HAN_RANGES: readonly (readonly [start: number, end: number])[] = [
  [0x2e80, 0x2e9a],
  [0x2e9b, 0x2ef4],
  [0x2f00, 0x2fd6],
  [0x3005, 0x3006],
  [0x3007, 0x3008],
  [0x3021, 0x302a],
  [0x3038, 0x303c],
  [0x3400, 0x4dc0],
  [0x4e00, 0xa000],
  [0xf900, 0xfa6e],
  [0xfa70, 0xfada],
  [0x16fe2, 0x16fe4],
  [0x16ff0, 0x16ff2],
  [0x20000, 0x2a6e0],
  [0x2a700, 0x2b73a],
  [0x2b740, 0x2b81e],
  [0x2b820, 0x2cea2],
  [0x2ceb0, 0x2ebe1],
  [0x2ebf0, 0x2ee5e],
  [0x2f800, 0x2fa1e],
  [0x30000, 0x3134b],
  [0x31350, 0x323b0],
];

/** `\p{Han}`, in the table of `hanApart` only. It takes the bit of `MARK`, which no pattern with Han apart asks for. */
export const HAN = MARK;

let apart: Uint8Array | undefined;

/** As `CLASSES`, but Han characters have `HAN` in place of `UPPER` and `LOWER`: `[... && [^\p{Han}]]`. */
export function hanApart(): Uint8Array {
  if (apart !== undefined) return apart;
  const classes = CLASSES.map((bits) => bits & ~MARK);
  for (const [start, end] of HAN_RANGES) {
    for (let point = start; point < end; point++) classes[point] = (classes[point] & ~(UPPER | LOWER)) | HAN;
  }
  apart = classes;
  return classes;
}
