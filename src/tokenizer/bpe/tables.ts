/**
 * A byte-level BPE vocabulary as flat arrays over shared memory: `postMessage` hands the same memory to a worker.
 * Written once by `TableBuilder`, read only afterwards.
 */
export interface BpeTables {
  /** One more than the largest id. */
  readonly vocabSize: number;
  /** Bytes of all tokens in the order of their ids, followed by 8 bytes of padding so that copies may read past. */
  readonly tokenBytes: Uint8Array;
  /** `vocabSize + 1` offsets into `tokenBytes`; an id that does not exist has no bytes. */
  readonly tokenOffsets: Int32Array;
  /** `TokenFlag` bits by id. */
  readonly tokenFlags: Uint8Array;
  /** Id of each single byte. */
  readonly byteIds: Int32Array;
  /** Open-addressing table of the ids that are spelled in the byte alphabet, by hash of their bytes. See `vocabulary.ts`. */
  readonly vocabularySlots: Int32Array;
  /** Open-addressing table from a pair of ids to the rank of its merge. See `merges.ts`. */
  readonly mergeSlots: Int32Array;
  /** Id that a merge gives, by rank. */
  readonly mergedIds: Int32Array;
  /** Rank of the merge of two single bytes, at `first << 8 | second`; `NO_MERGE` where there is none. */
  readonly bytePairRanks: Int32Array;
}

// Flags of a token.
/** The id is in the vocabulary or is an added token. */
export const EXISTS = 1;
/** Its entry is not spelled in the byte alphabet: its bytes are the UTF-8 of the entry. */
export const VERBATIM = 2;
/** Merging its bytes is proven to give the token itself. */
export const WHOLE = 4;

/** Ids are below this: they take 20 bits in the tables, where one value means "none". */
export const MAX_VOCAB_SIZE = 2 ** 20 - 1;

/** Greater than any rank. */
export const NO_MERGE = 0x7fffffff;

export const sharedBytes = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length));
export const sharedInts = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(length * 4));

/** The smallest power of two that keeps `entries` within `load` of the table. */
export function tableSize(entries: number, load: number): number {
  let size = 16;
  while (size * load < entries) size *= 2;
  return size;
}
