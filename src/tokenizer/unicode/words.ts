import { WORD } from "./data.ts";
import { CODE_POINTS, forEachRange } from "./ranges.ts";

let words: Uint8Array | undefined;

/** Whether a code point is `\w` in Rust's regular expressions (Unicode 16.0). */
export function isWordCodePoint(point: number): boolean {
  if (words === undefined) {
    const table = new Uint8Array(CODE_POINTS >> 3);
    forEachRange(WORD, (start, end) => {
      for (let member = start; member < end; member++) table[member >> 3] |= 1 << (member & 7);
    });
    words = table;
  }
  return (words[point >> 3] & (1 << (point & 7))) !== 0;
}
