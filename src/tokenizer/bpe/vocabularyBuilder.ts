import { CHAR_OF_BYTE, readSpelling } from "./byteAlphabet.ts";
import { invalidVocabulary } from "./invalid.ts";
import { type BpeTables, EXISTS, MAX_VOCAB_SIZE, VERBATIM } from "./tables.ts";
import { createVocabularySlots, finishHash, hashBytes, insertToken } from "./vocabulary.ts";

/** The tables of a vocabulary without its merges and added tokens, not yet in shared memory where those may change it. */
export type Vocabulary = Pick<
  BpeTables,
  "vocabSize" | "tokenBytes" | "tokenOffsets" | "tokenFlags" | "vocabularySlots"
> & {
  readonly byteIds: Int32Array;
};

/** Collects the entries of a vocabulary, in any order. Sources hand over bytes: no token is a string on the way. */
export class VocabularyBuilder {
  #bytes = new Uint8Array(1 << 20);
  #end = 0;
  /** By id. */
  #starts = new Int32Array(1 << 17);
  #lengths = new Int32Array(1 << 17);
  #flags = new Uint8Array(1 << 17);
  #vocabSize = 0;
  #spelled = 0;

  /** Adds the entry that `source[start, end)` spells in the byte alphabet; any other text stands for its own UTF-8. */
  addSpelled(id: number, source: Uint8Array, start: number, end: number): void {
    this.#reserveBytes(end - start);
    const length = readSpelling(source, start, end, this.#bytes, this.#end);
    if (length >= 0) {
      this.#add(id, length, EXISTS);
    } else {
      this.#bytes.set(source.subarray(start, end), this.#end);
      this.#add(id, end - start, EXISTS | VERBATIM);
    }
  }

  /** Adds the entry with these bytes. */
  addBytes(id: number, bytes: Uint8Array): void {
    this.#reserveBytes(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#add(id, bytes.length, EXISTS);
  }

  /** Makes the vocabulary at least this large: ids that no entry has stay without bytes. */
  reserveIds(vocabSize: number): void {
    if (vocabSize > 0) this.#reserveId(vocabSize - 1);
  }

  build(): Vocabulary {
    const vocabSize = this.#vocabSize;
    const tokenBytes = new Uint8Array(this.#end);
    const tokenOffsets = new Int32Array(vocabSize + 1);
    const tokenFlags = this.#flags.slice(0, vocabSize);
    const vocabularySlots = createVocabularySlots(this.#spelled);
    const byteIds = new Int32Array(256).fill(-1);
    let end = 0;
    for (let id = 0; id < vocabSize; id++) {
      const start = this.#starts[id];
      const length = this.#lengths[id];
      for (let index = 0; index < length; index++) tokenBytes[end + index] = this.#bytes[start + index];
      tokenOffsets[id + 1] = end + length;
      if (tokenFlags[id] === EXISTS) {
        insertToken(vocabularySlots, finishHash(hashBytes(tokenBytes, end, end + length)), id);
        if (length === 1) byteIds[tokenBytes[end]] = id;
      }
      end += length;
    }
    const missing = byteIds.indexOf(-1);
    if (missing >= 0)
      throw invalidVocabulary(`it has no token ${JSON.stringify(CHAR_OF_BYTE[missing])} (byte ${missing})`);
    return { vocabSize, tokenBytes, tokenOffsets, tokenFlags, vocabularySlots, byteIds };
  }

  #add(id: number, length: number, flags: number): void {
    this.#reserveId(id);
    this.#starts[id] = this.#end;
    this.#lengths[id] = length;
    this.#flags[id] = flags;
    this.#end += length;
    if (flags === EXISTS) this.#spelled++;
  }

  #reserveId(id: number): void {
    if (!Number.isInteger(id) || id < 0 || id >= MAX_VOCAB_SIZE) {
      throw invalidVocabulary(`token id ${id} is not a whole number from 0 to ${MAX_VOCAB_SIZE - 1}`);
    }
    if (id >= this.#vocabSize) this.#vocabSize = id + 1;
    if (id < this.#starts.length) return;
    const size = Math.max(id + 1, this.#starts.length * 2);
    this.#starts = grown(this.#starts, new Int32Array(size));
    this.#lengths = grown(this.#lengths, new Int32Array(size));
    this.#flags = grown(this.#flags, new Uint8Array(size));
  }

  #reserveBytes(count: number): void {
    const needed = this.#end + count;
    if (needed <= this.#bytes.length) return;
    this.#bytes = grown(this.#bytes, new Uint8Array(Math.max(needed, this.#bytes.length * 2)));
  }
}

function grown<T extends Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
