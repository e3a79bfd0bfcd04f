import { readSpelling } from "./byteAlphabet.ts";
import { invalidVocabulary } from "./invalid.ts";
import { MAX_RANK } from "./merges.ts";
import { findToken, finishHash, hashBytes } from "./vocabulary.ts";
import type { Vocabulary } from "./vocabularyBuilder.ts";

/** Collects merges in order of rank; those of one rank make the same token. */
export class MergeList {
  /** Left, right and merged id and rank of each. */
  entries: Int32Array;
  length = 0;
  /** One more than the last rank. */
  ranks = 0;
  readonly #vocabulary: Vocabulary;
  #scratch = new Uint8Array(1024);

  constructor(vocabulary: Vocabulary, expected: number) {
    this.#vocabulary = vocabulary;
    this.entries = new Int32Array(Math.max(16, expected) * 4);
  }

  add(left: number, right: number, merged: number, rank = this.ranks): void {
    if (rank >= MAX_RANK) throw invalidVocabulary(`it has more than ${MAX_RANK} merges`);
    const at = this.length++ * 4;
    if (at >= this.entries.length) {
      const { entries } = this;
      this.entries = new Int32Array(at * 2);
      this.entries.set(entries);
    }
    this.entries[at] = left;
    this.entries[at + 1] = right;
    this.entries[at + 2] = merged;
    this.entries[at + 3] = rank;
    this.ranks = rank + 1;
  }

  /** Adds the merge of the tokens that `source[start, seam)` and `source[rightStart, end)` spell. */
  addSpelled(source: Uint8Array, start: number, seam: number, rightStart: number, end: number): void {
    if (this.#scratch.length < end - start) this.#scratch = new Uint8Array((end - start) * 2);
    const bytes = this.#scratch;
    const left = readSpelling(source, start, seam, bytes, 0);
    const right = left < 0 ? -1 : readSpelling(source, rightStart, end, bytes, left);
    // Text that spells no bytes is in no pre-token, but its merge has its rank.
    if (right < 0) this.ranks++;
    else this.addBytes(bytes, left, left + right);
  }

  /** Adds the merge of the tokens with bytes `bytes[0, seam)` and `bytes[seam, end)`. */
  addBytes(bytes: Uint8Array, seam: number, end: number): void {
    const leftHash = hashBytes(bytes, 0, seam);
    const left = findToken(this.#vocabulary, finishHash(leftHash), bytes, 0, seam);
    const right = findToken(this.#vocabulary, finishHash(hashBytes(bytes, seam, end)), bytes, seam, end);
    // Most vocabularies number their tokens in the order of the merges.
    const guess = this.length === 0 ? -1 : this.entries[this.length * 4 - 2] + 1;
    const merged = this.#hasBytes(guess, bytes, end)
      ? guess
      : findToken(this.#vocabulary, finishHash(hashBytes(bytes, seam, end, leftHash)), bytes, 0, end);
    if (left < 0 || right < 0 || merged < 0) {
      throw invalidVocabulary(`merge ${this.ranks} joins or makes a token that is not in the vocabulary`);
    }
    this.add(left, right, merged);
  }

  #hasBytes(id: number, bytes: Uint8Array, length: number): boolean {
    const { vocabSize, tokenBytes, tokenOffsets } = this.#vocabulary;
    if (id < 0 || id >= vocabSize || tokenOffsets[id + 1] - tokenOffsets[id] !== length) return false;
    const start = tokenOffsets[id];
    for (let index = 0; index < length; index++) if (tokenBytes[start + index] !== bytes[index]) return false;
    return true;
  }
}
