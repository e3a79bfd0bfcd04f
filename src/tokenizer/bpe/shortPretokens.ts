import type { IdBuffer } from "./idBuffer.ts";

/** Code units up to which a pre-token is kept here. */
export const MAX_SHORT_UNITS = 8;
/** Ids that an entry holds itself. */
export const INLINE_IDS = 3;

const SLOTS = 1 << 16;
const WORDS = 8;
const END = SLOTS * WORDS - 1;
const MAX_ENTRIES = SLOTS * 0.5;
const SPILLED_IDS = SLOTS * 2;

/** `MASKS[length * 4 + word]` keeps the code units of a word of the key that belong to a pre-token of that length. */
const MASKS: Int32Array = Int32Array.from({ length: (MAX_SHORT_UNITS + 1) * 4 }, (_, index) => {
  const units = (index >> 2) - 2 * (index & 3);
  return units >= 2 ? -1 : units === 1 ? 0xffff : 0;
});

/**
 * Ids by pre-token, for the short ones that most text is made of. An entry is half a cache line and its key is compared
 * without a loop: four words of code units, length and number of ids, and three ids, or the place of more than three in
 * `spilled`. Bounded: full, it forgets all.
 */
export class ShortPretokens {
  readonly entries = new Int32Array(SLOTS * WORDS);
  readonly spilled = new Int32Array(SPILLED_IDS);
  #spilledEnd = 0;
  #size = 0;
  #vacant = 0;

  clear(): void {
    if (this.#size > 0) this.entries.fill(0);
    this.#size = 0;
    this.#spilledEnd = 0;
  }

  /**
   * Index in `entries` of the ids of the pre-token of `length` units at `start`, or -1. Before it stands the word whose
   * upper 24 bits are their number.
   */
  find(units: DataView, start: number, length: number): number {
    const at = start * 2;
    const masks = length * 4;
    const a = units.getInt32(at, true) & MASKS[masks];
    const b = units.getInt32(at + 4, true) & MASKS[masks + 1];
    const c = units.getInt32(at + 8, true) & MASKS[masks + 2];
    const d = units.getInt32(at + 12, true) & MASKS[masks + 3];
    const entries = this.entries;
    let entry = slotOf(a, b, c, d);
    for (let meta = entries[entry + 4]; meta !== 0; meta = entries[entry + 4]) {
      const difference =
        (entries[entry] ^ a) | (entries[entry + 1] ^ b) | (entries[entry + 2] ^ c) | (entries[entry + 3] ^ d);
      if ((difference | ((meta & 0xff) ^ length)) === 0) return entry + 5;
      entry = (entry + WORDS) & END;
    }
    this.#vacant = entry;
    return -1;
  }

  /** Appends the ids of an entry that `find` gave. */
  append(entry: number, out: IdBuffer): void {
    const count = this.entries[entry - 1] >>> 8;
    if (count > INLINE_IDS) out.append(this.spilled, this.entries[entry], count);
    else out.append(this.entries, entry, count);
  }

  /** Keeps `ids[from, to)` for the pre-token that the last `find` did not find. */
  insert(units: DataView, start: number, length: number, ids: Int32Array, from: number, to: number): void {
    const count = to - from;
    if (this.#size >= MAX_ENTRIES || this.#spilledEnd + count > SPILLED_IDS) {
      this.clear();
      this.find(units, start, length);
    }
    const { entries } = this;
    const entry = this.#vacant;
    for (let word = 0; word < 4; word++) {
      entries[entry + word] = units.getInt32(start * 2 + word * 4, true) & MASKS[length * 4 + word];
    }
    entries[entry + 4] = length | (count << 8);
    if (count > INLINE_IDS) {
      entries[entry + 5] = this.#spilledEnd;
      this.spilled.set(ids.subarray(from, to), this.#spilledEnd);
      this.#spilledEnd += count;
    } else {
      for (let index = 0; index < count; index++) entries[entry + 5 + index] = ids[from + index];
    }
    this.#size++;
  }
}

function slotOf(a: number, b: number, c: number, d: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35) ^ Math.imul(d, 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 16), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 15)) & (SLOTS - 1)) * WORDS;
}
