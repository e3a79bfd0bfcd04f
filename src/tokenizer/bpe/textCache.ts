/** Shorter texts are as quick to encode; longer ones are not kept, so that few texts do not push out all others. */
const SHORTEST = 48;
const LONGEST = 1 << 16;
/** Code units of the texts of one generation. */
const CAPACITY = 1 << 20;

/**
 * Ids of whole texts: the tools and prompts that a group of rollouts shares, the history that a client renders again.
 * Bounded: when a generation is full it becomes the old one, and what nobody asked for since is forgotten.
 */
export class TextCache {
  #young = new Map<string, Int32Array>();
  #old = new Map<string, Int32Array>();
  #units = 0;

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#units = 0;
  }

  takes(text: string): boolean {
    return text.length >= SHORTEST && text.length <= LONGEST;
  }

  get(text: string): Int32Array | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  set(text: string, ids: Int32Array): void {
    if (this.#units + text.length > CAPACITY) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#units = 0;
    }
    this.#young.set(text, ids);
    this.#units += text.length;
  }
}
