export const CODE_POINTS = 0x110000;

/** Calls `visit` with each half-open code-point range of a set as `data.ts` spells it. */
export function forEachRange(encoded: string, visit: (start: number, end: number) => void): void {
  let position = 0;
  let start = -1;
  for (const digits of encoded.split(" ")) {
    position += Number.parseInt(digits, 36);
    if (start < 0) start = position;
    else {
      visit(start, position);
      start = -1;
    }
  }
}
