import type { GgufNumbers, GgufStrings, GgufValue } from "./types.ts";

/** The bytes at hand end before a value does, which ends no earlier than at byte `needed` of the file. */
export class OutOfBytes extends Error {
  readonly needed: number;

  constructor(needed: number) {
    super(`${needed} bytes are needed`);
    this.needed = needed;
  }
}

/** What the format does not allow; the message goes on from "it holds". */
export class Malformed extends Error {}

// Numbers of the value types in the GGUF specification.
const STRING = 8;
const ARRAY = 9;
const BOOL = 7;

/** Deeper arrays are no metadata, but an attack on the stack. */
const MAX_DEPTH = 8;

const NUMBER_ARRAYS: Readonly<Record<number, new (buffer: ArrayBuffer) => GgufNumbers>> = {
  0: Uint8Array,
  1: Int8Array,
  2: Uint16Array,
  3: Int16Array,
  4: Uint32Array,
  5: Int32Array,
  6: Float32Array,
  [BOOL]: Uint8Array,
  10: BigUint64Array,
  11: BigInt64Array,
  12: Float64Array,
};

/** Reads little-endian GGUF values one after the other. */
export class GgufCursor {
  position = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    // A Buffer's slices are views, and copies are wanted here.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** A length or a place: no file has one beyond 2^53. */
  u64(): number {
    const at = this.#take(8);
    return this.#view.getUint32(at + 4, true) * 2 ** 32 + this.#view.getUint32(at, true);
  }

  string(): string {
    const length = this.u64();
    const start = this.#take(length);
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, length).toString("utf8");
  }

  value(type = this.u32()): GgufValue {
    if (type === STRING) return this.string();
    if (type === ARRAY) return this.#array();
    const numbers = this.#numbers(type, 1);
    if (type === BOOL) return numbers[0] !== 0;
    const number = numbers[0];
    const isExact = typeof number === "bigint" && BigInt.asIntN(54, number) === number;
    return isExact ? Number(number) : number;
  }

  #array(depth = 1): GgufValue {
    if (depth > MAX_DEPTH) throw new Malformed(`arrays inside of arrays, more than ${MAX_DEPTH} deep`);
    const type = this.u32();
    const length = this.u64();
    if (type === STRING) return this.#strings(length);
    if (type !== ARRAY) return this.#numbers(type, length);
    const items: GgufValue[] = [];
    for (let index = 0; index < length; index++) items.push(this.#array(depth + 1));
    return items;
  }

  #numbers(type: number, length: number): GgufNumbers {
    const Numbers = NUMBER_ARRAYS[type];
    if (Numbers === undefined) throw new Malformed(`an unknown value type ${type}`);
    const size = length * (Numbers as unknown as typeof Uint8Array).BYTES_PER_ELEMENT;
    const start = this.#take(size);
    return new Numbers(this.#bytes.slice(start, start + size).buffer);
  }

  #strings(length: number): GgufStrings {
    // Each has a length of 8 bytes before it: a corrupt count is found before memory is asked for.
    const least = this.position + length * 8;
    if (least > this.#bytes.length) throw new OutOfBytes(least);
    const origin = this.position;
    const starts = new Uint32Array(length);
    const ends = new Uint32Array(length);
    for (let index = 0; index < length; index++) {
      const size = this.u64();
      starts[index] = this.#take(size) - origin;
      ends[index] = this.position - origin;
    }
    return { kind: "strings", length, bytes: this.#bytes.slice(origin, this.position), starts, ends };
  }

  /** Moves on by `size` bytes and returns where they start. */
  #take(size: number): number {
    const start = this.position;
    if (start + size > this.#bytes.length) throw new OutOfBytes(start + size);
    this.position = start + size;
    return start;
  }
}
