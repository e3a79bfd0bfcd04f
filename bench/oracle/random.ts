/** Choices that a seed repeats. */
export interface Random {
  /** An integer from 0 up to, but not including, `end`. */
  below(end: number): number;
  /** True once in so many times. */
  oneIn(times: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** Between `least` and `most` values. */
  several<T>(least: number, most: number, make: (index: number) => T): T[];
}

/** mulberry32; the case of an index is the same whatever ran before it. */
export function random(seed: number, index = 0): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) | 0;
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: (choices) => choices[below(choices.length)],
    several: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, (_, i) => make(i)),
  };
}
