/** Longer pre-tokens are not kept: they rarely come again. */
export const MAX_LONG_UNITS = 127;

const SLOTS = 1 << 15;
const MAX_ENTRIES = SLOTS * 0.6;
const KEY_WORDS = SLOTS * 6;
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
  /** Two code units a word. */
  readonly #keys = new Int32Array(KEY_WORDS);
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

  /** Index in `entries` of the entry for the `length` units at `start`, or -1. */
  find(units: DataView, start: number, length: number): number {
    const words = (length + 1) >> 1;
    let hash = length;
    for (let word = 0; word < words; word++) {
      hash = Math.imul(hash ^ keyWord(units, start, length, word), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    const entries = this.entries;
    const keys = this.#keys;
    let entry = (hash & (SLOTS - 1)) << 2;
    for (let key = entries[entry + 1]; key !== 0; key = entries[entry + 1]) {
      if (entries[entry] === hash && key >>> 24 === length) {
        const place = key & 0xffffff;
        let word = 0;
        while (word < words && keys[place + word] === keyWord(units, start, length, word)) word++;
        if (word === words) return entry;
      }
      entry = (entry + 4) & (SLOTS * 4 - 1);
    }
    this.#vacant = entry;
    this.#hash = hash;
    return -1;
  }

  /** Keeps `ids[from, to)` for the pre-token that the last `find` did not find. */
  insert(units: DataView, start: number, length: number, ids: Int32Array, from: number, to: number): void {
    const words = (length + 1) >> 1;
    const count = to - from;
    if (
      this.#size >= MAX_ENTRIES ||
      this.#keysEnd + words > KEY_WORDS ||
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
    for (let word = 0; word < words; word++) this.#keys[this.#keysEnd++] = keyWord(units, start, length, word);
    if (count === 1) {
      entries[entry + 2] = ids[from];
    } else {
      entries[entry + 2] = this.#idsEnd;
      for (let index = from; index < to; index++) this.ids[this.#idsEnd++] = ids[index];
    }
    this.#size++;
  }
}

/** Units `2 * word` and the next of a key, the latter 0 beyond its end. */
function keyWord(units: DataView, start: number, length: number, word: number): number {
  const pair = units.getInt32(2 * (start + 2 * word), true);
  return 2 * word + 1 === length ? pair & 0xffff : pair;
}
