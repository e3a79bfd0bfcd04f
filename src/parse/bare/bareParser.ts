import { pythonLstrip, pythonStrip } from "../../messages/index.ts";
import type { Ids, Tokenizer } from "../../tokenizer/types.ts";
import { Utf8Stream } from "../../tokens/utf8.ts";
import { isBlank } from "../edges.ts";
import type { BareGrammar } from "../grammar.ts";
import { spokenResponse } from "../spoken.ts";
import { textOfIds } from "../textOfIds.ts";
import type { KnownTool, ParsedResponse, ParserEvent, TokenParser } from "../types.ts";
import { type BareState, initialBareState, type MutableBareState } from "./bareState.ts";

export interface BareParserOptions {
  readonly grammar: BareGrammar;
  readonly tokenizer: Tokenizer;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** Go on from here. */
  readonly state?: BareState | undefined;
}

/** Reads responses that are content or one call, with no marker to tell which. */
export class BareParser implements TokenParser {
  readonly #grammar: BareGrammar;
  readonly #tokenizer: Tokenizer;
  readonly #tools: ReadonlyMap<string, KnownTool> | null;
  readonly #utf8: Utf8Stream;
  readonly #state: MutableBareState;
  #events: ParserEvent[] = [];

  constructor({ grammar, tokenizer, tools, state = initialBareState }: BareParserOptions) {
    this.#grammar = grammar;
    this.#tokenizer = tokenizer;
    this.#tools = tools;
    this.#state = { ...state };
    this.#utf8 = new Utf8Stream(state.bytes);
  }

  get state(): BareState {
    return { ...this.#state, bytes: [...this.#utf8.pending] };
  }

  push(ids: Ids): ParserEvent[] {
    const all = ids instanceof Int32Array ? ids : Int32Array.from(ids);
    let from = 0;
    for (let at = 0; at < all.length && !this.#state.stop; at++) {
      const id = all[at];
      const isUnknown = id < 0 || id >= this.#tokenizer.vocabSize;
      if (!isUnknown && !this.#grammar.stops.includes(id)) continue;
      this.#run(all.subarray(from, at), true);
      from = at + 1;
      // No text belongs to an id outside the vocabulary; a replacement character keeps its place.
      if (isUnknown) this.#text("\uFFFD");
      else this.#stop(id);
      this.#state.index++;
    }
    if (!this.#state.stop) this.#run(all.subarray(from), false);
    return this.#takeEvents();
  }

  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse } {
    const isStopped = this.#state.stop !== null;
    if (!isStopped) {
      this.#text(this.#utf8.end());
      this.#finish();
    }
    const { text, call, stop } = this.#state;
    const parts = { content: call ? "" : text, reasoning: null, toolCalls: call ? [call] : [] };
    const response: ParsedResponse = {
      ...parts,
      stop: stop ? { kind: "stop", ...stop } : { kind: "none" },
      canonical: isStopped && text === this.#grammar.spell(spokenResponse(parts), false),
    };
    return { events: this.#takeEvents(), response };
  }

  #takeEvents(): ParserEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** `whole`: no bytes of these ids' last character follow. */
  #run(ids: Int32Array, whole: boolean): void {
    this.#state.index += ids.length;
    this.#text(textOfIds(ids, whole, this.#tokenizer, this.#utf8));
  }

  #text(text: string): void {
    if (text === "") return;
    const state = this.#state;
    state.text += text;
    if (state.mode === "content") this.#events.push({ kind: "content", text });
    else if (state.mode === "start" && !isBlank(text)) {
      if (pythonLstrip(text).startsWith(this.#grammar.opening)) state.mode = "held";
      else this.#beginContent();
    }
  }

  /** All that was held is content. */
  #beginContent(): void {
    const { text } = this.#state;
    this.#state.mode = "content";
    if (text !== "") this.#events.push({ kind: "content", text });
  }

  #stop(id: number): void {
    this.#finish();
    this.#state.stop = { id, index: this.#state.index };
    this.#events.push({ kind: "stop", ...this.#state.stop });
  }

  /** The response is over: what was held is a call if it names a function. */
  #finish(): void {
    const state = this.#state;
    if (state.mode === "content") return;
    const raw = pythonStrip(state.text);
    const reading = state.mode === "held" ? this.#grammar.body({ text: raw, atoms: [] }, this.#tools) : null;
    if (!reading || reading.name === null) {
      this.#beginContent();
      return;
    }
    state.call = { ...reading, raw, tokenSpan: [0, state.index] };
    this.#events.push(
      { kind: "toolCallStart", index: 0 },
      { kind: "toolCallDelta", index: 0, text: state.text },
      { kind: "toolCallEnd", index: 0, call: state.call },
    );
  }
}
