type NumberArray = Int32Array | Float64Array | Uint8Array;

/** A typed array that grows: appending costs what is appended, on average. */
export class Growable<Values extends NumberArray> {
  #buffer: Values;
  #length = 0;

  constructor(buffer: Values) {
    this.#buffer = buffer;
  }

  get length(): number {
    return this.#length;
  }

  append(values: ArrayLike<number>): void {
    const at = this.#room(values.length);
    this.#buffer.set(values, at);
  }

  fill(value: number, count: number): void {
    const at = this.#room(count);
    this.#buffer.fill(value, at, at + count);
  }

  /** A view from `start` to `end`; written values never change. */
  view(start = 0, end = this.#length): Values {
    return this.#buffer.subarray(start, end) as Values;
  }

  /** Makes room for more values and returns where they begin. */
  #room(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#buffer.length) {
      const Constructor = this.#buffer.constructor as new (length: number) => Values;
      const grown = new Constructor(Math.max(64, this.#length, this.#buffer.length * 2));
      grown.set(this.#buffer);
      this.#buffer = grown;
    }
    return at;
  }
}
