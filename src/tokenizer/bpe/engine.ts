import type { Engine } from "../engine.ts";
import { PATTERNS } from "../pretokenizers/patterns.ts";
import { normalizeNfc } from "../unicode/nfc.ts";
import { bytesOfSpelling, spellingOfBytes } from "./byteAlphabet.ts";
import { forEachChunk } from "./chunks.ts";
import { Encoder } from "./encoder.ts";
import type { IdBuffer } from "./idBuffer.ts";
import { type BpeTables, EXISTS, VERBATIM } from "./tables.ts";
import type { BpeSettings } from "./tokenizer.ts";
import { findToken, finishHash, hashBytes } from "./vocabulary.ts";

/** Byte-level BPE over tables. */
export class BpeEngine implements Engine {
  readonly tokens: BpeTables;
  readonly out: IdBuffer;
  readonly append: (text: string) => void;
  readonly appendNormalized: (text: string) => void;
  readonly #nfc: boolean;
  readonly #encoder: Encoder;
  #idByVerbatim: ReadonlyMap<string, number> | undefined;

  constructor(tables: BpeTables, { pattern, nfc, ignoreMerges, chunks }: BpeSettings) {
    const encoder = new Encoder(tables, { scan: PATTERNS[pattern].scan, nfc, ignoreMerges });
    const append = (text: string): void => encoder.append(text);
    this.tokens = tables;
    this.#nfc = nfc;
    this.#encoder = encoder;
    this.out = encoder.out;
    this.append = chunks === undefined ? append : (text) => forEachChunk(text, chunks, append);
    // Composing twice changes nothing.
    this.appendNormalized = this.append;
  }

  normalize(text: string): string {
    const wellFormed = text.toWellFormed();
    return this.#nfc ? normalizeNfc(wellFormed) : wellFormed;
  }

  idOf(entry: string): number | undefined {
    const bytes = bytesOfSpelling(entry);
    if (bytes !== undefined) {
      const id = findToken(this.tokens, finishHash(hashBytes(bytes, 0, bytes.length)), bytes, 0, bytes.length);
      if (id >= 0) return id;
    }
    this.#idByVerbatim ??= this.#verbatimEntries();
    return this.#idByVerbatim.get(entry);
  }

  entryOf(id: number): string | undefined {
    const flags = this.tokens.tokenFlags[id] ?? 0;
    if ((flags & EXISTS) === 0) return undefined;
    const bytes = this.#bytesOf(id);
    return (flags & VERBATIM) === 0 ? spellingOfBytes(bytes) : Buffer.from(bytes).toString("utf8");
  }

  clearCache(): void {
    this.#encoder.clearCache();
  }

  #bytesOf(id: number): Uint8Array {
    const { tokenBytes, tokenOffsets } = this.tokens;
    return tokenBytes.subarray(tokenOffsets[id], tokenOffsets[id + 1]);
  }

  #verbatimEntries(): ReadonlyMap<string, number> {
    const entries = new Map<string, number>();
    this.tokens.tokenFlags.forEach((flags, id) => {
      if ((flags & VERBATIM) !== 0) entries.set(Buffer.from(this.#bytesOf(id)).toString("utf8"), id);
    });
    return entries;
  }
}
