import { type BpeTables, sharedInts, tableSize } from "./tables.ts";

// A slot holds `id + 1` in 20 bits and the rest of the hash above: bytes are only compared on a likely hit.
const ID_BITS = 0xfffff;

/** FNV-1a, to be continued over further bytes; spread it with `finishHash` before use. */
export function hashBytes(bytes: Uint8Array, start: number, end: number, seed = 0x811c9dc5 | 0): number {
  let hash = seed;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ bytes[index], 0x01000193);
  return hash;
}

export function finishHash(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}

export type VocabularyTables = Pick<BpeTables, "tokenBytes" | "tokenOffsets" | "vocabularySlots">;

export function createVocabularySlots(entries: number): Int32Array {
  return sharedInts(tableSize(entries, 0.6));
}

export function insertToken(slots: Int32Array, hash: number, id: number): void {
  const mask = slots.length - 1;
  let slot = hash & mask;
  while (slots[slot] !== 0) slot = (slot + 1) & mask;
  slots[slot] = (hash & ~ID_BITS) | (id + 1);
}

/** Id of the token with bytes `source[start, end)`, whose finished hash is `hash`, or -1. */
export function findToken(
  tables: VocabularyTables,
  hash: number,
  source: Uint8Array,
  start: number,
  end: number,
): number {
  const { vocabularySlots: slots, tokenOffsets, tokenBytes } = tables;
  const mask = slots.length - 1;
  const tag = hash & ~ID_BITS;
  for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const entry = slots[slot];
    if ((entry & ~ID_BITS) !== tag) continue;
    const id = (entry & ID_BITS) - 1;
    const offset = tokenOffsets[id];
    if (tokenOffsets[id + 1] - offset !== end - start) continue;
    let index = start;
    while (index < end && tokenBytes[offset + index - start] === source[index]) index++;
    if (index === end) return id;
  }
  return -1;
}
