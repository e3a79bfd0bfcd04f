import { NO_MERGE, sharedInts, tableSize } from "./tables.ts";

// A slot is two words that hold left (20 bits), right (20 bits) and rank (24 bits) exactly.
/** Ranks are below this. */
export const MAX_RANK = 1 << 23;

const EMPTY = -1;

export function createMergeSlots(entries: number): Int32Array {
  return sharedInts(tableSize(entries, 0.5) * 2).fill(EMPTY);
}

function hashPair(left: number, right: number): number {
  const hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}

/** Enters a merge; one that is already there gets the new rank, as the last of two equal lines of a merges file wins. */
export function insertMerge(slots: Int32Array, left: number, right: number, rank: number): void {
  const mask = slots.length - 2;
  const low = left | (right << 20);
  const high = right >>> 12;
  let slot = (hashPair(left, right) << 1) & mask;
  while (slots[slot + 1] !== EMPTY && (slots[slot] !== low || (slots[slot + 1] & 0xff) !== high)) {
    slot = (slot + 2) & mask;
  }
  slots[slot] = low;
  slots[slot + 1] = high | (rank << 8);
}

/** Rank of the merge of two ids, or `NO_MERGE`. */
export function findMerge(slots: Int32Array, left: number, right: number): number {
  const mask = slots.length - 2;
  const low = left | (right << 20);
  const high = right >>> 12;
  for (let slot = (hashPair(left, right) << 1) & mask; ; slot = (slot + 2) & mask) {
    const word = slots[slot + 1];
    if (word === EMPTY) return NO_MERGE;
    if (slots[slot] === low && (word & 0xff) === high) return word >>> 8;
  }
}
