import { pythonStrip } from "../../messages/index.ts";
import type { Ids, Tokenizer } from "../../tokenizer/types.ts";
import { Utf8Stream } from "../../tokens/utf8.ts";
import type { CallReading, FramedGrammar } from "../grammar.ts";
import { spokenResponse } from "../spoken.ts";
import { textOfIds } from "../textOfIds.ts";
import type { KnownTool, ParsedResponse, ParserEvent, TokenParser } from "../types.ts";
import { copyFramedState, type FramedState, initialFramedState, type MutableFramedState } from "./framedState.ts";
import type { FramedOpening } from "./opening.ts";

export interface FramedParserOptions {
  readonly grammar: FramedGrammar;
  readonly tokenizer: Tokenizer;
  readonly opening: FramedOpening;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  readonly state?: FramedState | undefined;
}

const UNREAD = { name: null, arguments: null, argumentsText: null, id: null } as const;

/** How a message ends: by the end that the format has for it, by the start of another one, or by the completion's end. */
type Ending = "end" | "next" | "cut";

/** Reads responses that are messages of a header and a body. Bodies are taken to the letter. */
export class FramedParser implements TokenParser {
  readonly #grammar: FramedGrammar;
  readonly #tokenizer: Tokenizer;
  readonly #opened: boolean;
  readonly #tools: ReadonlyMap<string, KnownTool> | null;
  readonly #utf8: Utf8Stream;
  readonly #state: MutableFramedState;
  readonly #markers: ReadonlySet<number>;
  #events: ParserEvent[] = [];

  constructor(options: FramedParserOptions) {
    const { grammar, opening } = options;
    this.#grammar = grammar;
    this.#tokenizer = options.tokenizer;
    this.#opened = opening.mode === "body" && opening.part === "reasoning";
    this.#tools = options.tools;
    this.#state = options.state ? copyFramedState(options.state) : initialFramedState(opening);
    this.#utf8 = new Utf8Stream(this.#state.bytes);
    this.#markers = new Set([...grammar.stops, ...grammar.starts, ...grammar.bodies, ...grammar.ends]);
  }

  get state(): FramedState {
    return { ...copyFramedState(this.#state), bytes: [...this.#utf8.pending] };
  }

  push(ids: Ids): ParserEvent[] {
    const all = ids instanceof Int32Array ? ids : Int32Array.from(ids);
    let from = 0;
    for (let at = 0; at < all.length; at++) {
      if (this.#state.mode === "paused") this.#goOnOrStop(all[at]);
      if (this.#state.mode === "stopped") break;
      const isUnknown = all[at] < 0 || all[at] >= this.#tokenizer.vocabSize;
      if (!isUnknown && !(this.#markers.has(all[at]) && this.#heeds(all[at], at === from))) continue;
      this.#run(all.subarray(from, at), true);
      from = at + 1;
      if (isUnknown) this.#text("\uFFFD");
      else this.#marker(all[at]);
      this.#state.index++;
    }
    if (this.#state.mode !== "stopped") this.#run(all.subarray(from), false);
    return this.#takeEvents();
  }

  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse } {
    if (this.#state.mode === "paused") this.#stop();
    if (this.#state.mode !== "stopped") {
      this.#text(this.#utf8.end());
      this.#endMessage("cut");
    }
    const { content, reasoning, calls: toolCalls, stop } = this.#state;
    const parts = { content, reasoning, toolCalls };
    return {
      events: this.#takeEvents(),
      response: { ...parts, stop: stop ? { kind: "stop", ...stop } : { kind: "none" }, canonical: this.#isCanonical() },
    };
  }

  #isCanonical(): boolean {
    const { content, reasoning, calls: toolCalls, stop, spoken } = this.#state;
    const grammar = this.#grammar;
    const response = spokenResponse({ content, reasoning, toolCalls });
    const expected = grammar.stopOf?.(response) ?? grammar.stops[0];
    return stop?.id === expected && spoken === grammar.spell(response, this.#opened);
  }

  #takeEvents(): ParserEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Does this marker mean anything here? If not, it is text. */
  #heeds(id: number, isNext: boolean): boolean {
    const { stops, starts, callBodies, ends } = this.#grammar;
    if (stops.includes(id)) return true;
    switch (this.#state.mode) {
      case "plain":
        return starts.includes(id) && isNext && this.#state.index === 0;
      case "body":
        if (starts.includes(id) || ends.includes(id)) return true;
        return this.#state.part === "reasoning" && callBodies?.includes(id) === true;
      default:
        return true;
    }
  }

  /** Ids without a marker that counts. `whole`: a marker follows, so that a character cut at the end stays cut. */
  #run(ids: Int32Array, whole: boolean): void {
    this.#state.index += ids.length;
    this.#text(textOfIds(ids, whole, this.#tokenizer, this.#utf8));
  }

  #text(text: string): void {
    if (text === "") return;
    const state = this.#state;
    state.spoken += text;
    if (state.mode === "between") state.mode = "header";
    if (state.mode === "header") state.header += text;
    else if (state.mode === "plain") this.#report("content", text);
    else if (state.part !== "call") this.#report(state.part, text);
    else {
      state.call += text;
      this.#events.push({ kind: "toolCallDelta", index: state.calls.length, text });
    }
  }

  #report(kind: "content" | "reasoning", text: string): void {
    if (text === "") return;
    const state = this.#state;
    if (kind === "content") state.content += text;
    else state.reasoning = { text: (state.reasoning?.text ?? "") + text, complete: false };
    this.#events.push({ kind, text });
  }

  #marker(id: number): void {
    const { stops, starts, bodies, ends } = this.#grammar;
    const state = this.#state;
    const isEnd = ends.includes(id);
    if (bodies.includes(id)) this.#openBody(id);
    else if (starts.includes(id)) {
      this.#endMessage("next");
      state.mode = "header";
    } else this.#endMessage(isEnd ? "end" : "cut");
    if (!stops.includes(id)) {
      state.spoken += this.#tokenizer.decode([id]);
      return;
    }
    state.stop = { id, index: state.index };
    if (isEnd && state.mode !== "plain") state.mode = "paused";
    else this.#stop();
  }

  #goOnOrStop(id: number): void {
    const state = this.#state;
    if (!state.stop || !this.#grammar.starts.includes(id)) {
      this.#stop();
      return;
    }
    state.spoken += this.#tokenizer.decode([state.stop.id]);
    state.stop = null;
    state.mode = "between";
  }

  #stop(): void {
    const { stop } = this.#state;
    if (stop) this.#events.push({ kind: "stop", ...stop });
    this.#state.mode = "stopped";
  }

  #openBody(id: number): void {
    const state = this.#state;
    if (state.mode === "body") {
      this.#endMessage("next");
      state.start = state.index;
    }
    state.part = this.#grammar.classify(state.header, id);
    state.mode = "body";
    if (state.part === "call") {
      state.call = "";
      this.#events.push({ kind: "toolCallStart", index: state.calls.length });
      return;
    }
    this.#reportStray();
    if (state.part === "reasoning") state.reasoning = { text: state.reasoning?.text ?? "", complete: false };
  }

  #reportStray(): void {
    const { header, given } = this.#state;
    this.#report("content", this.#grammar.strayText(header.slice(given)));
  }

  #endMessage(ending: Ending): void {
    const state = this.#state;
    const end = state.index + (ending === "end" ? 1 : 0);
    if (state.mode === "header") this.#reportStray();
    else if (state.mode === "body" && state.part === "call") this.#finishCall(ending === "end", end);
    else if (state.mode === "body" && state.part === "reasoning" && ending !== "cut") {
      state.reasoning = { text: state.reasoning?.text ?? "", complete: true };
      this.#events.push({ kind: "reasoningEnd" });
    }
    if (state.mode !== "plain") state.mode = "between";
    state.header = "";
    state.given = 0;
    state.start = end;
  }

  #finishCall(closed: boolean, end: number): void {
    const state = this.#state;
    const text = { text: state.call, atoms: [] };
    const read = this.#grammar.readCall(state.header, text, this.#tools);
    const reading: CallReading = closed ? read : { ...UNREAD, name: read.name, status: "unclosed_block" };
    const call = { ...reading, raw: pythonStrip(state.call), tokenSpan: [state.start, end] as const };
    this.#events.push({ kind: "toolCallEnd", index: state.calls.length, call });
    state.calls.push(call);
    state.call = "";
  }
}
