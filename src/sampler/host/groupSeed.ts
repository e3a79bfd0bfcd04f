// llama.cpp reads the largest 32-bit value as "draw a random seed".
const seeds = 0xffffffff;

const mix = (word: number): number => {
  let mixed = word >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/**
 * The seed of a group's member: MurmurHash3's 32-bit finaliser `mix` as `mix(seed ^ mix(index + 1)) mod (2 ** 32 - 1)`. Members of one
 * group differ in theirs, except that two of all 2 ** 32 indices share one; groups with neighbouring seeds (`seed: step`, say) have
 * nothing in common, which `seed + index` would not give.
 */
export function groupSeed(seed: number, index: number): number {
  return mix(seed ^ mix(index + 1)) % seeds;
}
