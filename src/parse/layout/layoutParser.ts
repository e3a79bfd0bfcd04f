import type { Ids, Tokenizer } from "../../tokenizer/types.ts";
import { Utf8Stream } from "../../tokens/utf8.ts";
import { spokenResponse } from "../spoken.ts";
import type { KnownTool, ParsedResponse, ParserEvent, TokenParser } from "../types.ts";
import type { CompiledLayout } from "./compile.ts";
import type { LayoutBeginning } from "./layout.ts";
import { LayoutReader } from "./layoutReader.ts";
import type { ReadingState } from "./layoutState.ts";
import { spellResponse } from "./spellResponse.ts";

export interface LayoutState {
  readonly kind: "layout";
  readonly reading: ReadingState;
  /** Ids read so far, and UTF-16 units of their text. */
  readonly index: number;
  readonly length: number;
  /** Bytes of a character that is not complete yet. */
  readonly bytes: readonly number[];
  /** Where the text ends of the ids whose text may still be asked for; the first one's index. */
  readonly ends: readonly number[];
  readonly first: number;
  readonly stop: { readonly id: number; readonly index: number } | null;
}

export interface LayoutParserOptions {
  readonly layout: CompiledLayout;
  readonly tokenizer: Tokenizer;
  readonly stops: readonly number[];
  /** Ids of the tokenizer's added tokens. */
  readonly added: ReadonlySet<number>;
  readonly beginning: LayoutBeginning;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** As `textParser` has them. */
  readonly reasoningFormat?: "auto" | "none" | undefined;
  readonly responseFormat?: { readonly type: string } | undefined;
  readonly state?: LayoutState | undefined;
}

/** Reads a response by a layout, id by id: a marker that is an added token counts only as that token. */
export class LayoutParser implements TokenParser {
  readonly #options: LayoutParserOptions;
  readonly #reader: LayoutReader;
  readonly #utf8: Utf8Stream;
  #index: number;
  #length: number;
  #ends: number[];
  #first: number;
  #stop: { readonly id: number; readonly index: number } | null;

  constructor(options: LayoutParserOptions) {
    this.#options = options;
    const { layout, beginning, tools, reasoningFormat, responseFormat, state } = options;
    this.#utf8 = new Utf8Stream(state?.bytes);
    this.#index = state?.index ?? 0;
    this.#length = state?.length ?? 0;
    this.#ends = [...(state?.ends ?? [])];
    this.#first = state?.first ?? 0;
    this.#stop = state?.stop ?? null;
    const tokenAt = (place: number) => this.#tokenAt(place);
    this.#reader = new LayoutReader(layout, {
      beginning,
      tools,
      reasoningFormat,
      responseFormat,
      state: state?.reading,
      tokenAt,
    });
  }

  get state(): LayoutState {
    return {
      kind: "layout",
      reading: this.#reader.state,
      index: this.#index,
      length: this.#length,
      bytes: [...this.#utf8.pending],
      ends: [...this.#ends],
      first: this.#first,
      stop: this.#stop,
    };
  }

  push(ids: Ids): ParserEvent[] {
    const { tokenizer, stops, added } = this.#options;
    let text = "";
    const atoms: (readonly [number, number])[] = [];
    for (const id of ids) {
      if (this.#stop) break;
      if (stops.includes(id)) {
        text += this.#utf8.end();
        const events = this.#reader.push(text, atoms);
        events.push(...this.#reader.end().events);
        this.#stop = { id, index: this.#index };
        events.push({ kind: "stop", ...this.#stop });
        return events;
      }
      const isKnown = id >= 0 && id < tokenizer.vocabSize;
      const isAtom = added.has(id);
      // A character that is cut before a control token stays cut.
      if (isAtom || !isKnown) text += this.#utf8.end();
      const start = text.length;
      text += isKnown ? this.#utf8.push(tokenizer.decodeBytes([id])) : "\uFFFD";
      if (isAtom && text.length > start) atoms.push([start, text.length]);
      this.#ends.push(this.#length + text.length);
      this.#index++;
    }
    this.#length += text.length;
    const events = this.#reader.push(text, atoms);
    this.#prune();
    return events;
  }

  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse } {
    const { layout, beginning } = this.#options;
    const events = this.#stop ? [] : this.#reader.push(this.#utf8.end(), []);
    const { events: last, reading } = this.#reader.end();
    const { content, reasoning, toolCalls, strays, spoken } = reading;
    const parts = { content, reasoning, toolCalls };
    const isSpelled = spoken === spellResponse(layout.layout, spokenResponse(parts), beginning);
    const response: ParsedResponse = {
      ...parts,
      stop: this.#stop ? { kind: "stop", ...this.#stop } : { kind: "none" },
      canonical: this.#stop !== null && isSpelled,
      ...(strays.length > 0 ? { strays } : {}),
    };
    return { events: [...events, ...last], response };
  }

  /** Index of the id that holds the character at this place. */
  #tokenAt(place: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ends[middle] > place) high = middle;
      else low = middle + 1;
    }
    return Math.min(this.#first + low, this.#index === 0 ? 0 : this.#index - 1);
  }

  #prune(): void {
    const { from } = this.#reader;
    let count = 0;
    // The id that holds the last character read may be asked for once more.
    while (count < this.#ends.length - 1 && this.#ends[count] < from) count++;
    if (count < 64) return;
    this.#ends.splice(0, count);
    this.#first += count;
  }
}
