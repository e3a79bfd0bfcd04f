/** Numbers from 0 (inclusive) to 1 (exclusive); the same seed gives the same numbers (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A seed for part `index` of something that has a seed. */
export const subSeed = (seed: number, index: number): number =>
  (Math.imul(seed ^ 0x9e3779b1, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;

/** One of the items. */
export const pick = <Item>(items: readonly Item[], next: () => number): Item =>
  items[Math.floor(next() * items.length)];
