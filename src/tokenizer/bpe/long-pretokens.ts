/** Longer pre-tokens are not kept: they rarely come again. */
export const MAX_LONG_UNITS = 127;

const SLOTS = 1 << 15;
const MAX_ENTRIES = SLOTS * 0.6;
const KEY_UNITS = SLOTS * 12;
const VALUE_IDS = SLOTS * 4;

/**
 * Ids by pre-token, of any number. Bounded: full, it forgets all, which costs less than keeping track of use.
 * An entry is four words of `entries`: hash, length and place of the key, the only id or the place of the ids, their
 * number. A key's place is never 0, so a word of 0 in its place is a vacant slot.
 */
export class LongPretokens {
  readonly entries = new Int32Array(SLOTS * 4);
  /** Ids of the entries with more than one. */
  readonly ids = new Int32Array(VALUE_IDS);
  readonly #keys = new Uint16Array(KEY_UNITS);
  #size = 0;
  #keysEnd = 1;
  #idsEnd = 0;
  /** Where the last `find` that failed would have had its entry, and its hash. */
  #vacant = 0;
  #hash = 0;

  clear(): void {
    if (this.#size === 0) return;
    this.entries.fill(0);
    this.#size = 0;
    this.#keysEnd = 1;
    this.#idsEnd = 0;
  }

  /** Index in `entries` of the entry for `units[start, end)`, or -1. */
  find(units: Uint16Array, start: number, end: number): number {
    const length = end - start;
    let hash = length;
    for (let index = start; index < end; index++) hash = Math.imul(hash ^ units[index], 0x01000193) ^ (hash >>> 15);
    hash ^= hash >>> 13;
    const entries = this.entries;
    const keys = this.#keys;
    let entry = (hash & (SLOTS - 1)) << 2;
    for (let key = entries[entry + 1]; key !== 0; key = entries[entry + 1]) {
      if (entries[entry] === hash && key >>> 24 === length) {
        let place = key & 0xffffff;
        let index = start;
        while (index < end && keys[place] === units[index]) {
          index++;
          place++;
        }
        if (index === end) return entry;
      }
      entry = (entry + 4) & (SLOTS * 4 - 1);
    }
    this.#vacant = entry;
    this.#hash = hash;
    return -1;
  }

  /** Keeps `ids[from, to)` for the pre-token that the last `find` did not find. */
  insert(units: Uint16Array, start: number, end: number, ids: Int32Array, from: number, to: number): void {
    const length = end - start;
    const count = to - from;
    if (
      this.#size >= MAX_ENTRIES ||
      this.#keysEnd + length > KEY_UNITS ||
      (count > 1 && this.#idsEnd + count > VALUE_IDS)
    ) {
      this.clear();
      this.#vacant = (this.#hash & (SLOTS - 1)) << 2;
    }
    const entries = this.entries;
    const entry = this.#vacant;
    entries[entry] = this.#hash;
    entries[entry + 1] = (length << 24) | this.#keysEnd;
    entries[entry + 3] = count;
    for (let index = start; index < end; index++) this.#keys[this.#keysEnd++] = units[index];
    if (count === 1) {
      entries[entry + 2] = ids[from];
    } else {
      entries[entry + 2] = this.#idsEnd;
      for (let index = from; index < to; index++) this.ids[this.#idsEnd++] = ids[index];
    }
    this.#size++;
  }
}
