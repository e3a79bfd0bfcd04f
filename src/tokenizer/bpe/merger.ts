import type { IdBuffer } from "./idBuffer.ts";
import { findMerge } from "./merges.ts";
import { type BpeTables, NO_MERGE } from "./tables.ts";

/** Up to this many bytes the next merge is looked for in a plain array, above it in a heap. */
const LINEAR_LIMIT = 64;
/** A heap key is `rank * POSITIONS + position`: exact in a double up to 2^23 ranks and 2^27 positions. */
const POSITIONS = 2 ** 27;

/** What merging symbols takes. */
export type MergeTables = Pick<BpeTables, "mergeSlots" | "mergedIds">;

/** What merging bytes takes beside. */
export type ByteTables = Pick<BpeTables, "byteIds" | "bytePairRanks">;

/**
 * Byte-pair merging: of all neighbours that have a merge, the one of lowest rank goes first, the leftmost of equals.
 * O(n log n) in the number of bytes. Holds scratch memory, so one call at a time.
 */
export class Merger {
  readonly #tables: MergeTables;
  /** Id of the token that starts at a position. */
  #symbols = new Int32Array(LINEAR_LIMIT);
  /** Rank of the merge of the token at a position with the one after it. */
  #ranks = new Int32Array(LINEAR_LIMIT);
  #previous = new Int32Array(0);
  #next = new Int32Array(0);
  #heap = new Float64Array(0);
  #heapSize = 0;

  constructor(tables: MergeTables) {
    this.#tables = tables;
  }

  /** Appends the ids of `bytes[0, length)` to `out`. */
  mergeBytes(bytes: Uint8Array, length: number, tables: ByteTables, out: IdBuffer): void {
    if (length > LINEAR_LIMIT) this.#reserve(length);
    this.#loadBytes(bytes, length, tables);
    this.#merge(length, out);
  }

  /** Appends what `ids[0, length)` merge to. */
  mergeIds(ids: Int32Array, length: number, out: IdBuffer): void {
    if (length > LINEAR_LIMIT) this.#reserve(length);
    const { mergeSlots } = this.#tables;
    const symbols = this.#symbols;
    const ranks = this.#ranks;
    for (let index = 0; index < length; index++) {
      symbols[index] = ids[index];
      ranks[index] = index + 1 < length ? findMerge(mergeSlots, ids[index], ids[index + 1]) : NO_MERGE;
    }
    this.#merge(length, out);
  }

  #merge(length: number, out: IdBuffer): void {
    out.reserve(length);
    if (length <= LINEAR_LIMIT) this.#mergeShort(length, out);
    else this.#mergeLong(length, out);
  }

  #loadBytes(bytes: Uint8Array, length: number, { byteIds, bytePairRanks }: ByteTables): void {
    const symbols = this.#symbols;
    const ranks = this.#ranks;
    const last = length - 1;
    for (let index = 0; index < last; index++) {
      const byte = bytes[index];
      symbols[index] = byteIds[byte];
      ranks[index] = bytePairRanks[(byte << 8) | bytes[index + 1]];
    }
    symbols[last] = byteIds[bytes[last]];
    ranks[last] = NO_MERGE;
  }

  #mergeShort(length: number, out: IdBuffer): void {
    const { mergeSlots, mergedIds } = this.#tables;
    const symbols = this.#symbols;
    const ranks = this.#ranks;
    let last = length - 1;
    for (;;) {
      let best = NO_MERGE;
      let at = 0;
      for (let index = 0; index < last; index++) {
        const rank = ranks[index];
        if (rank < best) {
          best = rank;
          at = index;
        }
      }
      if (best === NO_MERGE) break;
      const merged = mergedIds[best];
      symbols[at] = merged;
      for (let index = at + 1; index < last; index++) {
        symbols[index] = symbols[index + 1];
        ranks[index] = ranks[index + 1];
      }
      last--;
      ranks[at] = at < last ? findMerge(mergeSlots, merged, symbols[at + 1]) : NO_MERGE;
      if (at > 0) ranks[at - 1] = findMerge(mergeSlots, symbols[at - 1], merged);
    }
    const { ids } = out;
    let end = out.length;
    for (let index = 0; index <= last; index++) ids[end++] = symbols[index];
    out.length = end;
  }

  #mergeLong(length: number, out: IdBuffer): void {
    const { mergeSlots, mergedIds } = this.#tables;
    const symbols = this.#symbols;
    const ranks = this.#ranks;
    const previous = this.#previous;
    const next = this.#next;
    this.#link(length);
    while (this.#heapSize > 0) {
      const key = this.#pop();
      const rank = Math.floor(key / POSITIONS);
      const at = key - rank * POSITIONS;
      // A key whose pair has changed since is left in the heap and dropped here.
      if (ranks[at] !== rank) continue;
      const merged = mergedIds[rank];
      const gone = next[at];
      const after = next[gone];
      symbols[at] = merged;
      ranks[gone] = -1;
      next[at] = after;
      ranks[at] = NO_MERGE;
      if (after < length) {
        previous[after] = at;
        this.#offer(at, findMerge(mergeSlots, merged, symbols[after]));
      }
      const before = previous[at];
      if (before >= 0) this.#offer(before, findMerge(mergeSlots, symbols[before], merged));
    }
    for (let index = 0; index < length; index = next[index]) out.ids[out.length++] = symbols[index];
    if (length > KEPT_BYTES) this.#release();
  }

  #reserve(length: number): void {
    if (length > this.#symbols.length) {
      this.#symbols = new Int32Array(length * 2);
      this.#ranks = new Int32Array(length * 2);
    }
    if (length > this.#previous.length) {
      this.#previous = new Int32Array(length * 2);
      this.#next = new Int32Array(length * 2);
      // A merge removes one key and offers two: never more than the pairs there were and one more each.
      this.#heap = new Float64Array(length * 4);
    }
  }

  #release(): void {
    this.#symbols = new Int32Array(LINEAR_LIMIT);
    this.#ranks = new Int32Array(LINEAR_LIMIT);
    this.#previous = new Int32Array(0);
    this.#next = new Int32Array(0);
    this.#heap = new Float64Array(0);
  }

  #link(length: number): void {
    const heap = this.#heap;
    const ranks = this.#ranks;
    let size = 0;
    for (let index = 0; index < length; index++) {
      this.#previous[index] = index - 1;
      this.#next[index] = index + 1;
      if (ranks[index] !== NO_MERGE) heap[size++] = ranks[index] * POSITIONS + index;
    }
    this.#heapSize = size;
    for (let root = (size >> 1) - 1; root >= 0; root--) siftDown(heap, root, size, heap[root]);
  }

  #pop(): number {
    const heap = this.#heap;
    const top = heap[0];
    const size = --this.#heapSize;
    if (size > 0) siftDown(heap, 0, size, heap[size]);
    return top;
  }

  #offer(position: number, rank: number): void {
    this.#ranks[position] = rank;
    if (rank === NO_MERGE) return;
    const key = rank * POSITIONS + position;
    const heap = this.#heap;
    let index = this.#heapSize++;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (heap[parent] <= key) break;
      heap[index] = heap[parent];
      index = parent;
    }
    heap[index] = key;
  }
}

const KEPT_BYTES = 1 << 18;

function siftDown(heap: Float64Array, root: number, size: number, key: number): void {
  let index = root;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= size) break;
    if (child + 1 < size && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= key) break;
    heap[index] = heap[child];
    index = child;
  }
  heap[index] = key;
}
