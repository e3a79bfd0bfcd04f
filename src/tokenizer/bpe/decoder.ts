import { isAscii } from "node:buffer";
import type { Ids } from "../types.ts";
import { TOKEN_PADDING, type TokenTables } from "./packTokens.ts";

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
    const source = this.#source;
    let target = this.#target;
    let room = this.#buffer.length - TOKEN_PADDING;
    let end = 0;
    for (let index = 0; index < count; index++) {
      const id = ids[index];
      if (!(id >= 0 && id < vocabSize)) continue;
      const from = offsets[id];
      const length = offsets[id + 1] - from;
      if (end + length > room) {
        target = this.#grow(end, length);
        room = this.#buffer.length - TOKEN_PADDING;
      }
      // Four bytes at a time: what is copied beyond the token is overwritten by the next one, and both ends are padded.
      for (let done = 0; done < length; done += 4) {
        target.setInt32(end + done, source.getInt32(from + done, true), true);
      }
      end += length;
    }
    return end;
  }

  #grow(end: number, length: number): DataView {
    const written = this.#buffer.subarray(0, end);
    this.#resize(Math.max(2 * this.#buffer.length, 2 * (end + length + TOKEN_PADDING)));
    this.#buffer.set(written);
    return this.#target;
  }

  #release(): void {
    if (this.#buffer.length > KEPT_BYTES * 4) this.#resize(4096);
  }

  #resize(size: number): void {
    this.#buffer = Buffer.allocUnsafeSlow(size);
    this.#target = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, this.#buffer.byteLength);
  }
}
