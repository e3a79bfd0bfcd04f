/** Ids of the call under way. Scratch memory: kept between calls while it is small. */
export class IdBuffer {
  ids = new Int32Array(1024);
  length = 0;

  /** Makes room for `count` more ids. */
  reserve(count: number): void {
    if (this.length + count > this.ids.length) this.#grow(this.length + count);
  }

  #grow(needed: number): void {
    const grown = new Int32Array(Math.max(needed, this.ids.length * 2));
    grown.set(this.ids.subarray(0, this.length));
    this.ids = grown;
  }

  push(id: number): void {
    this.reserve(1);
    this.ids[this.length++] = id;
  }

  append(source: Int32Array, start: number, count: number): void {
    this.reserve(count);
    if (count > COPIED_AT_ONCE) {
      this.ids.set(source.subarray(start, start + count), this.length);
      this.length += count;
    } else for (let index = start; index < start + count; index++) this.ids[this.length++] = source[index];
  }

  /** The ids so far, as an array of the caller's; the buffer is empty afterwards. */
  take(): Int32Array {
    const taken = this.ids.slice(0, this.length);
    this.length = 0;
    if (this.ids.length > KEPT_IDS) this.ids = new Int32Array(1024);
    return taken;
  }
}

/** From about this many on, a call into the runtime beats a loop. */
const COPIED_AT_ONCE = 64;
const KEPT_IDS = 1 << 19;
