import { AddedTokenSplitter, type PieceSink } from "../addedTokens/splitter.ts";
import { PATTERNS, type PatternName } from "../pretokenizers/patterns.ts";
import type { AddedToken, EncodeOptions, Ids, Tokenizer } from "../types.ts";
import { normalizeNfc } from "../unicode/nfc.ts";
import { bytesOfSpelling, spellingOfBytes } from "./byteAlphabet.ts";
import { Decoder } from "./decoder.ts";
import { Encoder } from "./encoder.ts";
import { type BpeTables, EXISTS, VERBATIM } from "./tables.ts";
import { findToken, finishHash, hashBytes } from "./vocabulary.ts";

/** What a byte-level BPE tokenizer is beside its tables: plain data. */
export interface BpeSettings {
  readonly pattern: PatternName;
  readonly nfc: boolean;
  readonly ignoreMerges: boolean;
  readonly addedTokens: readonly AddedToken[];
  readonly nameOrPath: string | undefined;
  readonly eosToken: string | undefined;
  readonly bosToken: string | undefined;
  readonly chatTemplate: string | undefined;
}

/** A tokenizer on this package's own engine. `createBpeTokenizer` and the loaders make them. */
export class BpeTokenizer implements Tokenizer {
  readonly tables: BpeTables;
  readonly settings: BpeSettings;
  readonly eosTokenId: number | undefined;
  readonly bosTokenId: number | undefined;
  readonly #encoder: Encoder;
  readonly #decoder: Decoder;
  readonly #splitter: AddedTokenSplitter;
  readonly #idByContent: ReadonlyMap<string, number>;
  readonly #sink: PieceSink;
  #idByVerbatim: ReadonlyMap<string, number> | undefined;

  constructor(tables: BpeTables, settings: BpeSettings) {
    this.tables = tables;
    this.settings = settings;
    const { pattern, nfc, ignoreMerges, addedTokens } = settings;
    const encoder = new Encoder(tables, { scan: PATTERNS[pattern].scan, nfc, ignoreMerges });
    this.#encoder = encoder;
    this.#decoder = new Decoder(tables);
    this.#splitter = new AddedTokenSplitter(addedTokens, nfc ? normalizeNfc : (text) => text);
    this.#idByContent = new Map(addedTokens.map(({ content, id }) => [content, id]));
    this.#sink = { text: (piece) => encoder.append(piece), token: (id) => encoder.out.push(id) };
    this.eosTokenId = settings.eosToken === undefined ? undefined : this.tokenToId(settings.eosToken);
    this.bosTokenId = settings.bosToken === undefined ? undefined : this.tokenToId(settings.bosToken);
  }

  get nameOrPath(): string | undefined {
    return this.settings.nameOrPath;
  }

  get vocabSize(): number {
    return this.tables.vocabSize;
  }

  get addedTokens(): readonly AddedToken[] {
    return this.settings.addedTokens;
  }

  get chatTemplate(): string | undefined {
    return this.settings.chatTemplate;
  }

  encode(text: string, options?: EncodeOptions): Int32Array {
    this.#encoder.out.length = 0;
    this.#splitter.split(text, options?.addedTokens ?? "match", this.#sink);
    return this.#encoder.out.take();
  }

  normalize(text: string): string {
    const wellFormed = text.toWellFormed();
    return this.settings.nfc ? normalizeNfc(wellFormed) : wellFormed;
  }

  decode(ids: Ids): string {
    return this.#decoder.decode(ids);
  }

  decodeBytes(ids: Ids): Uint8Array {
    return this.#decoder.decodeBytes(ids);
  }

  byteLength(id: number): number {
    return this.#decoder.byteLength(id);
  }

  tokenToId(token: string): number | undefined {
    const added = this.#idByContent.get(token);
    if (added !== undefined) return added;
    const bytes = bytesOfSpelling(token);
    if (bytes !== undefined) {
      const id = findToken(this.tables, finishHash(hashBytes(bytes, 0, bytes.length)), bytes, 0, bytes.length);
      if (id >= 0) return id;
    }
    this.#idByVerbatim ??= this.#verbatimEntries();
    return this.#idByVerbatim.get(token);
  }

  idToToken(id: number): string | undefined {
    const flags = this.tables.tokenFlags[id] ?? 0;
    if ((flags & EXISTS) === 0) return undefined;
    return (flags & VERBATIM) === 0 ? spellingOfBytes(this.#decoder.decodeBytes([id])) : this.decode([id]);
  }

  /** Forgets all texts and pre-tokens seen so far. Only benchmarks need this. */
  clearCache(): void {
    this.#encoder.clearCache();
  }

  #verbatimEntries(): ReadonlyMap<string, number> {
    const entries = new Map<string, number>();
    this.tables.tokenFlags.forEach((flags, id) => {
      if ((flags & VERBATIM) !== 0) entries.set(this.decode([id]), id);
    });
    return entries;
  }
}
