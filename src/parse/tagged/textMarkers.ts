import type { Tokenizer } from "../../tokenizer/types.ts";
import type { TextMarker } from "./markerTable.ts";
import type { TailByte } from "./taggedState.ts";

/** A marker of several tokens in a run of bytes: half-open byte range, and the half-open range of the ids that spell it. */
export interface FoundMarker {
  readonly meaning: number;
  readonly start: number;
  readonly end: number;
  readonly firstId: number;
  readonly endId: number;
}

/** Bytes of ids, after bytes of earlier ids that may have begun a marker, with the way back from a byte to its id. */
export class ByteRun {
  readonly bytes: Buffer;
  readonly #tail: readonly TailByte[];
  readonly #ids: Int32Array;
  /** Index of the first of `ids` in the completion. */
  readonly #offset: number;
  readonly #tokenizer: Tokenizer;
  /** A place in `ids` and the byte at which it begins; neighbours are asked for one after another. */
  #id = 0;
  #byte: number;

  constructor(tail: readonly TailByte[], ids: Int32Array, offset: number, tokenizer: Tokenizer) {
    this.bytes = Buffer.concat([Buffer.from(tail.map(([byte]) => byte)), tokenizer.decodeBytes(ids)]);
    this.#tail = tail;
    this.#ids = ids;
    this.#offset = offset;
    this.#tokenizer = tokenizer;
    this.#byte = tail.length;
  }

  /** The first of these markers at or after `from`; of two at one place the longer. */
  find(markers: readonly TextMarker[], from: number): FoundMarker | null {
    let best: FoundMarker | null = null;
    for (const marker of markers) {
      let start = this.bytes.indexOf(marker.bytes, from);
      while (start >= 0 && (best === null || start <= best.start)) {
        const end = start + marker.bytes.length;
        if ((best === null || start < best.start || end > best.end) && this.#isSpelled(marker, start, end)) {
          best = {
            meaning: marker.meaning,
            start,
            end,
            firstId: this.#tokenAt(start)[0],
            endId: this.#tokenAt(end - 1)[0] + 1,
          };
        }
        start = this.bytes.indexOf(marker.bytes, start + 1);
      }
    }
    return best;
  }

  /** The bytes from `from` on that may begin one of these markers. */
  tailFor(markers: readonly TextMarker[], from: number): TailByte[] {
    let length = 0;
    for (const { bytes } of markers) {
      for (let size = Math.min(bytes.length - 1, this.bytes.length - from); size > length; size--) {
        if (this.bytes.compare(bytes, 0, size, this.bytes.length - size) === 0) length = size;
      }
    }
    const tail: TailByte[] = [];
    for (let at = this.bytes.length - length; at < this.bytes.length; at++) {
      tail.push([this.bytes[at], ...this.#tokenAt(at)]);
    }
    return tail;
  }

  /** What follows a byte: the rest of what its token holds, and the ids behind that. */
  after(byte: number): { readonly tail: TailByte[]; readonly ids: Int32Array } {
    const tail: TailByte[] = [];
    let at = byte;
    const [last] = this.#tokenAt(byte - 1);
    while (at < this.bytes.length && (at < this.#tail.length || this.#tokenAt(at)[0] === last)) {
      tail.push([this.bytes[at], ...this.#tokenAt(at)]);
      at++;
    }
    const next = at < this.bytes.length ? this.#tokenAt(at)[0] - this.#offset : this.#ids.length;
    return { tail, ids: this.#ids.subarray(next) };
  }

  #isSpelled({ atom }: TextMarker, start: number, end: number): boolean {
    if (atom === undefined) return true;
    for (let at = start; at < end; at++) if (this.#tokenAt(at)[1] === atom) return true;
    return false;
  }

  /** Index in the completion, and the id, of the token that holds this byte. */
  #tokenAt(byte: number): readonly [index: number, id: number] {
    if (byte < this.#tail.length) return [this.#tail[byte][1], this.#tail[byte][2]];
    while (byte < this.#byte) this.#byte -= this.#tokenizer.byteLength(this.#ids[--this.#id]);
    for (;;) {
      const length = this.#tokenizer.byteLength(this.#ids[this.#id]);
      if (byte < this.#byte + length) return [this.#offset + this.#id, this.#ids[this.#id]];
      this.#byte += length;
      this.#id++;
    }
  }
}
