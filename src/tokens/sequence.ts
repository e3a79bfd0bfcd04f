import type { Ids } from "../tokenizer/types.ts";

/**
 * An append-only sequence of ids. Appending costs what is appended; a fork shares everything before it, and neither
 * `ids` nor `fork` copies. Two branches that both append part company at the first id that the second one adds.
 */
export class TokenSequence {
  #buffer: Int32Array;
  #length: number;
  /** Ids in use in the buffer by whichever branch wrote last; only the branch that ends there may write on. */
  #used: { length: number };

  constructor(ids: Ids = []) {
    this.#buffer = new Int32Array(Math.max(16, ids.length));
    this.#buffer.set(ids);
    this.#length = ids.length;
    this.#used = { length: ids.length };
  }

  get length(): number {
    return this.#length;
  }

  /** A view of the ids, valid for ever because written ids never change. Copy it (`slice`) before handing it to code that writes. */
  get ids(): Int32Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** The id at an index; a negative one counts from the end. */
  at(index: number): number | undefined {
    const from = index < 0 ? this.#length + index : index;
    return from >= 0 && from < this.#length ? this.#buffer[from] : undefined;
  }

  append(ids: Ids): this {
    const length = this.#length + ids.length;
    if (this.#used.length !== this.#length || length > this.#buffer.length) {
      const grown = new Int32Array(Math.max(length, this.#buffer.length * 2));
      grown.set(this.ids);
      this.#buffer = grown;
      this.#used = { length: this.#length };
    }
    this.#buffer.set(ids, this.#length);
    this.#length = length;
    this.#used.length = length;
    return this;
  }

  /** A second sequence with the same ids so far. */
  fork(): TokenSequence {
    const branch = new TokenSequence();
    branch.#buffer = this.#buffer;
    branch.#length = this.#length;
    branch.#used = this.#used;
    return branch;
  }

  /** Do these ids start with all ids of this sequence? */
  isPrefixOf(ids: Ids): boolean {
    if (ids.length < this.#length) return false;
    for (let i = 0; i < this.#length; i++) if (this.#buffer[i] !== ids[i]) return false;
    return true;
  }
}
