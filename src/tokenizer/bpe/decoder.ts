import { isAscii } from "node:buffer";
import type { Ids } from "../types.ts";
import type { TokenTables } from "./pack-tokens.ts";

const KEPT_BYTES = 1 << 20;

/** Ids to bytes and text. An id that does not exist has no bytes. Holds scratch memory. */
export class Decoder {
  readonly #vocabSize: number;
  readonly #offsets: Int32Array;
  readonly #source: DataView;
  #buffer: Buffer = Buffer.allocUnsafeSlow(4096);
  #target = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, this.#buffer.byteLength);

  constructor({ vocabSize, tokenOffsets, tokenBytes }: TokenTables) {
    this.#vocabSize = vocabSize;
    this.#offsets = tokenOffsets;
    this.#source = new DataView(tokenBytes.buffer, tokenBytes.byteOffset, tokenBytes.byteLength);
  }

  decode(ids: Ids): string {
    const length = this.#write(ids);
    const encoding = isAscii(this.#buffer.subarray(0, length)) ? "latin1" : "utf8";
    const text = this.#buffer.toString(encoding, 0, length);
    this.#release();
    return text;
  }

  decodeBytes(ids: Ids): Uint8Array {
    const length = this.#write(ids);
    const bytes = new Uint8Array(length);
    bytes.set(this.#buffer.subarray(0, length));
    this.#release();
    return bytes;
  }

  byteLength(id: number): number {
    return id >= 0 && id < this.#vocabSize ? this.#offsets[id + 1] - this.#offsets[id] : 0;
  }

  #write(ids: Ids): number {
    const count = ids.length;
    const offsets = this.#offsets;
    const vocabSize = this.#vocabSize;
    let needed = 8;
    for (let index = 0; index < count; index++) {
      const id = ids[index];
      if (id >= 0 && id < vocabSize) needed += offsets[id + 1] - offsets[id];
    }
    this.#reserve(needed);
    const source = this.#source;
    const target = this.#target;
    let end = 0;
    for (let index = 0; index < count; index++) {
      const id = ids[index];
      if (!(id >= 0 && id < vocabSize)) continue;
      const from = offsets[id];
      const length = offsets[id + 1] - from;
      // Four bytes at a time: what is copied beyond the token is overwritten by the next one, and both ends are padded.
      for (let done = 0; done < length; done += 4) {
        target.setInt32(end + done, source.getInt32(from + done, true), true);
      }
      end += length;
    }
    return end;
  }

  #reserve(needed: number): void {
    if (this.#buffer.length < needed) this.#resize(needed * 2);
  }

  #release(): void {
    if (this.#buffer.length > KEPT_BYTES * 4) this.#resize(4096);
  }

  #resize(size: number): void {
    this.#buffer = Buffer.allocUnsafeSlow(size);
    this.#target = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, this.#buffer.byteLength);
  }
}
