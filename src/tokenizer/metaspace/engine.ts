import { findMatches } from "../addedTokens/find.ts";
import type { TokenTrie } from "../addedTokens/tokenTrie.ts";
import { IdBuffer } from "../bpe/idBuffer.ts";
import { Merger } from "../bpe/merger.ts";
import { TextCache } from "../bpe/textCache.ts";
import type { Engine } from "../engine.ts";
import { type Cut, cutAfter } from "./cuts.ts";
import { readable } from "./spelling.ts";
import type { MetaspaceTables } from "./tables.ts";

export interface MetaspaceOptions {
  readonly cut: Cut;
  /** A stretch that is in the vocabulary is one id, whatever the merges say. */
  readonly ignoreMerges: boolean;
  /** What is done to a text before `▁` is read as a blank. */
  readonly normalize?: ((text: string) => string) | undefined;
  /** The blank at the start of a text: always, or only where the text does not start with one. */
  readonly prefix: "always" | "unlessThere" | "never";
  /** Pieces that are found before merging, and never merged. */
  readonly fixed?: TokenTrie | undefined;
}

const MAX_KEPT_UNITS = 64;
const MAX_KEPT = 1 << 15;

/** BPE over characters, as SentencePiece and Metaspace tokenizers have it. A blank is a blank here, not `▁`. */
export class MetaspaceEngine implements Engine {
  readonly out = new IdBuffer();
  readonly tokens: MetaspaceTables["tokens"];
  readonly #tables: MetaspaceTables;
  readonly #options: MetaspaceOptions;
  readonly #merger: Merger;
  readonly #texts = new TextCache();
  readonly #stretches = new Map<string, Int32Array>();
  readonly #whole: ReadonlyMap<string, number>;
  #symbols = new Int32Array(1024);

  constructor(tables: MetaspaceTables, options: MetaspaceOptions) {
    this.tokens = tables.tokens;
    this.#tables = tables;
    this.#options = options;
    this.#merger = new Merger(tables);
    this.#whole = options.ignoreMerges
      ? new Map(Array.from(tables.idByEntry, ([entry, id]) => [readable(entry), id]))
      : new Map();
  }

  append(text: string): void {
    this.appendNormalized(this.normalize(text));
  }

  appendNormalized(text: string): void {
    if (!this.#texts.takes(text)) {
      this.#appendPieces(text);
      return;
    }
    const known = this.#texts.get(text);
    if (known !== undefined) {
      this.out.append(known, 0, known.length);
      return;
    }
    const from = this.out.length;
    this.#appendPieces(text);
    this.#texts.set(text, this.out.ids.slice(from, this.out.length));
  }

  normalize(text: string): string {
    const { normalize } = this.#options;
    const wellFormed = text.toWellFormed();
    return readable(normalize === undefined ? wellFormed : normalize(wellFormed));
  }

  prefixed(normalized: string): string {
    const { prefix } = this.#options;
    const isThere = prefix === "unlessThere" && normalized.startsWith(" ");
    return prefix === "never" || isThere || normalized === "" ? normalized : ` ${normalized}`;
  }

  idOf(entry: string): number | undefined {
    return this.#tables.idByEntry.get(entry);
  }

  entryOf(id: number): string | undefined {
    return this.#tables.entries[id];
  }

  #appendPieces(text: string): void {
    const { fixed } = this.#options;
    let from = 0;
    for (const { start, end, id } of fixed === undefined ? [] : findMatches(fixed, text)) {
      this.#appendStretches(text, from, start);
      this.out.push(id);
      from = end;
    }
    this.#appendStretches(text, from, text.length);
  }

  #appendStretches(text: string, from: number, to: number): void {
    const part = from === 0 && to === text.length ? text : text.slice(from, to);
    for (let start = 0; start < part.length; ) {
      const end = cutAfter(part, start, this.#options.cut);
      this.#appendStretch(part.slice(start, end));
      start = end;
    }
  }

  #appendStretch(stretch: string): void {
    if (stretch.length > MAX_KEPT_UNITS) {
      this.#appendMerged(stretch);
      return;
    }
    const known = this.#stretches.get(stretch);
    if (known !== undefined) {
      this.out.append(known, 0, known.length);
      return;
    }
    const from = this.out.length;
    this.#appendMerged(stretch);
    if (this.#stretches.size >= MAX_KEPT) this.#stretches.clear();
    this.#stretches.set(stretch, this.out.ids.slice(from, this.out.length));
  }

  #appendMerged(stretch: string): void {
    const { out } = this;
    const whole = this.#whole.get(stretch);
    if (whole !== undefined) {
      out.push(whole);
      return;
    }
    const from = out.length;
    const length = this.#load(stretch);
    this.#merger.mergeIds(this.#symbols, length, out);
    if (this.#tables.hidden.length > 0) this.#expandHidden(from);
  }

  /** Puts the symbols of a stretch where merging starts: a character, or the bytes of one that no piece knows. */
  #load(stretch: string): number {
    const needed = stretch.length * 3;
    if (this.#symbols.length < needed) this.#symbols = new Int32Array(needed * 2);
    const symbols = this.#symbols;
    const { byteIds, symbols: symbolOf } = this.#tables;
    let length = 0;
    for (const char of stretch) {
      const symbol = symbolOf.get(char.codePointAt(0) as number);
      if (symbol !== undefined) symbols[length++] = symbol;
      else for (const byte of Buffer.from(char, "utf8")) symbols[length++] = byteIds[byte];
    }
    return length;
  }

  /** Hidden characters that were merged with nothing are their bytes after all. */
  #expandHidden(from: number): void {
    const { out } = this;
    const { hidden, hiddenFrom, byteIds } = this.#tables;
    const ids = out.ids.slice(from, out.length);
    if (!ids.some((id) => id >= hiddenFrom && id < hiddenFrom + hidden.length)) return;
    out.length = from;
    for (const id of ids) {
      const char = hidden[id - hiddenFrom];
      if (char === undefined) out.push(id);
      else for (const byte of Buffer.from(char, "utf8")) out.push(byteIds[byte]);
    }
  }
}
