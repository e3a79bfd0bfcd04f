/** A set of token ids, a bit for each of the vocabulary. */
export interface IdSet {
  readonly kind: "ids";
  /** Bit `id & 31` of word `id >>> 5`. */
  readonly words: Uint32Array;
  /** How many ids are in it. */
  readonly count: number;
}

export const hasId = ({ words }: IdSet, id: number): boolean => ((words[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0;

/** The ids, in order. */
export function* idsOf({ words }: IdSet): Generator<number> {
  for (let i = 0; i < words.length; i++) {
    for (let left = words[i]; left !== 0; left &= left - 1) yield i * 32 + 31 - Math.clz32(left & -left);
  }
}
