import { endianness } from "node:os";
import type { Scanner } from "../pretokenizers/types.ts";
import { isSurelyNfc, normalizeNfc } from "../unicode/nfc.ts";
import { IdBuffer } from "./idBuffer.ts";
import { LongPretokens, MAX_LONG_UNITS } from "./longPretokens.ts";
import { Merger } from "./merger.ts";
import { INLINE_IDS, MAX_SHORT_UNITS, ShortPretokens } from "./shortPretokens.ts";
import { type BpeTables, EXISTS, VERBATIM, WHOLE } from "./tables.ts";
import { TextCache } from "./textCache.ts";
import { writeUtf8 } from "./utf8.ts";
import { findToken, finishHash, hashBytes } from "./vocabulary.ts";

export interface EncoderOptions {
  readonly scan: Scanner;
  readonly nfc: boolean;
  /** A pre-token that is in the vocabulary is one id, whatever the merges say. */
  readonly ignoreMerges: boolean;
}

/** Copying by code unit beats one call into the runtime up to about this length. */
const SHORT_TEXT = 40;
const KEPT_UNITS = 1 << 20;
/** More ids than an entry holds. */
const MANY = INLINE_IDS + 1;
const IS_LITTLE_ENDIAN = endianness() === "LE";

/**
 * Text without added tokens to ids: normalise, cut into pre-tokens, merge each. Holds scratch memory and the caches of
 * pre-tokens and texts, so that short texts allocate nothing but their result.
 */
export class Encoder {
  readonly out = new IdBuffer();
  readonly #tables: BpeTables;
  readonly #scan: Scanner;
  readonly #nfc: boolean;
  /** Every pre-token that is in the vocabulary is that token. */
  readonly #isAnyWhole: boolean;
  readonly #short = new ShortPretokens();
  readonly #long = new LongPretokens();
  readonly #texts = new TextCache();
  readonly #merger: Merger;
  /** The text, with a 0 after it, and room for a whole key of `ShortPretokens` from any place in it. */
  #units = new Uint16Array(1024);
  #unitBytes = Buffer.from(this.#units.buffer);
  #unitView = new DataView(this.#units.buffer);
  #bytes = new Uint8Array(1024);

  constructor(tables: BpeTables, { scan, nfc, ignoreMerges }: EncoderOptions) {
    this.#tables = tables;
    this.#scan = scan;
    this.#nfc = nfc;
    this.#isAnyWhole =
      ignoreMerges || tables.tokenFlags.every((flags) => (flags & (EXISTS | VERBATIM | WHOLE)) !== EXISTS);
    this.#merger = new Merger(tables);
  }

  clearCache(): void {
    this.#short.clear();
    this.#long.clear();
    this.#texts.clear();
  }

  /** Appends the ids of `text` to `out`. */
  append(text: string): void {
    const { out } = this;
    if (!this.#texts.takes(text)) {
      this.#appendText(text);
      return;
    }
    const known = this.#texts.get(text);
    if (known !== undefined) {
      out.append(known, 0, known.length);
      return;
    }
    const from = out.length;
    this.#appendText(text);
    this.#texts.set(text, out.ids.slice(from, out.length));
  }

  #appendText(text: string): void {
    let end = this.#load(text);
    if (this.#nfc && !isSurelyNfc(this.#units, end)) {
      const normalized = normalizeNfc(text);
      if (normalized !== text) end = this.#load(normalized);
    }
    this.#appendUnits(end);
    if (this.#units.length > KEPT_UNITS) this.#resize(1024);
  }

  /** The loop that nearly all time goes into. A short pre-token that was seen before is dealt with here, without a call. */
  #appendUnits(end: number): void {
    const scan = this.#scan;
    const units = this.#units;
    const view = this.#unitView;
    const short = this.#short;
    const { entries } = short;
    const { out } = this;
    let { ids, length } = out;
    for (let start = 0; start < end; ) {
      const next = scan(units, start, end);
      const entry = next - start <= MAX_SHORT_UNITS ? short.find(view, start, next - start) : -1;
      const count = entry < 0 ? MANY : entries[entry - 1] >>> 8;
      if (count <= INLINE_IDS && length + INLINE_IDS <= ids.length) {
        // All three are written, those that count are kept: faster than a loop.
        ids[length] = entries[entry];
        ids[length + 1] = entries[entry + 1];
        ids[length + 2] = entries[entry + 2];
        length += count;
      } else {
        out.length = length;
        this.#appendPretoken(start, next, entry);
        ({ ids, length } = out);
      }
      start = next;
    }
    out.length = length;
  }

  #resize(size: number): void {
    this.#units = new Uint16Array(size);
    this.#unitBytes = Buffer.from(this.#units.buffer);
    this.#unitView = new DataView(this.#units.buffer);
  }

  #load(text: string): number {
    const length = text.length;
    const needed = length + MAX_SHORT_UNITS + 1;
    if (needed > this.#units.length) this.#resize(Math.max(needed, this.#units.length * 2));
    const units = this.#units;
    if (length > SHORT_TEXT && IS_LITTLE_ENDIAN) this.#unitBytes.write(text, 0, length * 2, "utf16le");
    else for (let index = 0; index < length; index++) units[index] = text.charCodeAt(index);
    units[length] = 0;
    return length;
  }

  #appendPretoken(start: number, end: number, entry: number): void {
    const short = this.#short;
    const { out } = this;
    if (entry >= 0) {
      short.append(entry, out);
    } else if (end - start > MAX_SHORT_UNITS) {
      this.#appendLong(start, end);
    } else {
      const from = out.length;
      this.#appendMerged(start, end);
      short.insert(this.#unitView, start, end - start, out.ids, from, out.length);
    }
  }

  #appendLong(start: number, end: number): void {
    const long = this.#long;
    const { out } = this;
    if (end - start > MAX_LONG_UNITS) {
      this.#appendMerged(start, end);
      return;
    }
    const entry = long.find(this.#unitView, start, end - start);
    if (entry < 0) {
      const from = out.length;
      this.#appendMerged(start, end);
      long.insert(this.#unitView, start, end - start, out.ids, from, out.length);
      return;
    }
    const { entries, ids } = long;
    const count = entries[entry + 3];
    const value = entries[entry + 2];
    if (count === 1) out.push(value);
    else out.append(ids, value, count);
  }

  #appendMerged(start: number, end: number): void {
    const needed = (end - start) * 3;
    if (this.#bytes.length < needed) this.#bytes = new Uint8Array(needed * 2);
    const bytes = this.#bytes;
    const length = writeUtf8(this.#units, start, end, bytes);
    const id = findToken(this.#tables, finishHash(hashBytes(bytes, 0, length)), bytes, 0, length);
    if (id >= 0 && (this.#isAnyWhole || (this.#tables.tokenFlags[id] & WHOLE) !== 0)) this.out.push(id);
    else this.#merger.mergeBytes(bytes, length, this.#tables, this.out);
    if (bytes.length > KEPT_UNITS * 3) this.#bytes = new Uint8Array(1024);
  }
}
