import { pythonStrip } from "../../messages/index.ts";
import type { Ids, Tokenizer } from "../../tokenizer/types.ts";
import { Utf8Stream } from "../../tokens/utf8.ts";
import type { CallReading, FramedGrammar } from "../grammar.ts";
import { spokenResponse } from "../spoken.ts";
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
    const { grammar } = options;
    this.#grammar = grammar;
    this.#tokenizer = options.tokenizer;
    this.#opened = options.opening.mode === "body";
    this.#tools = options.tools;
    this.#state = options.state ? copyFramedState(options.state) : initialFramedState(options.opening);
    this.#utf8 = new Utf8Stream(this.#state.bytes);
    this.#markers = new Set([...grammar.stops, ...grammar.starts, ...grammar.bodies, ...grammar.ends]);
  }

  get state(): FramedState {
    return { ...copyFramedState(this.#state), bytes: [...this.#utf8.pending] };
  }

  push(ids: Ids): ParserEvent[] {
    const all = ids instanceof Int32Array ? ids : Int32Array.from(ids);
    let from = 0;
    for (let at = 0; at < all.length && this.#state.mode !== "stopped"; at++) {
      const id = all[at];
      const isUnknown = id < 0 || id >= this.#tokenizer.vocabSize;
      if (!isUnknown && !(this.#markers.has(id) && this.#heeds(id))) continue;
      this.#run(all.subarray(from, at), true);
      from = at + 1;
      if (isUnknown) this.#text("\uFFFD");
      else this.#marker(id);
      this.#state.index++;
    }
    if (this.#state.mode !== "stopped") this.#run(all.subarray(from), false);
    return this.#takeEvents();
  }

  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse } {
    const stopped = this.#state.mode === "stopped";
    if (!stopped) {
      this.#text(this.#utf8.end());
      this.#endMessage(false);
    }
    const { content, reasoning, calls: toolCalls, stop, spoken } = this.#state;
    const parts = { content, reasoning, toolCalls };
    const canonical = stopped && spoken === this.#grammar.spell(spokenResponse(parts), this.#opened);
    const response: ParsedResponse = { ...parts, stop: stop ? { kind: "stop", ...stop } : { kind: "none" }, canonical };
    return { events: this.#takeEvents(), response };
  }

  #takeEvents(): ParserEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #heeds(id: number): boolean {
    const { stops, starts, bodies, ends } = this.#grammar;
    if (stops.includes(id)) return true;
    switch (this.#state.mode) {
      case "plain":
        return false;
      case "header":
        return starts.includes(id) || bodies.includes(id) || ends.includes(id);
      default:
        return starts.includes(id) || ends.includes(id) || (bodies.includes(id) && this.#callBegins(id));
    }
  }

  /** A call that follows open reasoning without an end between. */
  #callBegins(id: number): boolean {
    return this.#state.part === "reasoning" && this.#grammar.classify("", id) === "call";
  }

  #run(ids: Int32Array, whole: boolean): void {
    this.#state.index += ids.length;
    if (whole && this.#utf8.pending.length === 0) {
      if (ids.length > 0) this.#text(this.#tokenizer.decode(ids));
      return;
    }
    this.#text(this.#utf8.push(this.#tokenizer.decodeBytes(ids)));
    if (whole) this.#text(this.#utf8.end());
  }

  #text(text: string): void {
    if (text === "") return;
    const state = this.#state;
    state.spoken += text;
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
    const { stops, starts, bodies } = this.#grammar;
    const state = this.#state;
    const stops_ = stops.includes(id);
    if (bodies.includes(id)) {
      if (state.mode === "body") this.#endMessage(true);
      this.#openBody(id);
    } else if (starts.includes(id)) {
      this.#endMessage(false);
      state.start = state.index;
    } else this.#endMessage(this.#grammar.ends.includes(id));
    if (!stops_) state.spoken += this.#tokenizer.decode([id]);
    else {
      state.stop = { id, index: state.index };
      this.#events.push({ kind: "stop", ...state.stop });
      state.mode = "stopped";
    }
  }

  #openBody(id: number): void {
    const state = this.#state;
    state.part = this.#grammar.classify(state.header, id);
    state.mode = "body";
    if (state.part === "reasoning") state.reasoning = { text: state.reasoning?.text ?? "", complete: false };
    else if (state.part === "call") {
      state.call = "";
      this.#events.push({ kind: "toolCallStart", index: state.calls.length });
    }
  }

  /** The message in hand is over; `closed`: by the end that the format has for it. A header without a body is content. */
  #endMessage(closed: boolean): void {
    const state = this.#state;
    const end = state.index + (closed ? 1 : 0);
    if (state.mode === "header") this.#report("content", state.header);
    else if (state.mode === "body" && state.part === "reasoning" && closed) {
      state.reasoning = { text: state.reasoning?.text ?? "", complete: true };
      this.#events.push({ kind: "reasoningEnd" });
    } else if (state.mode === "body" && state.part === "call") this.#finishCall(closed, end);
    if (state.mode !== "plain") state.mode = "header";
    state.header = "";
    state.start = end;
  }

  #finishCall(closed: boolean, end: number): void {
    const state = this.#state;
    const text = { text: state.call, atoms: [] };
    const reading: CallReading = closed
      ? this.#grammar.readCall(state.header, text, this.#tools)
      : { ...UNREAD, name: this.#grammar.readCall(state.header, text, null).name, status: "unclosed_block" };
    const call = { ...reading, raw: pythonStrip(state.call), tokenSpan: [state.start, end] as const };
    this.#events.push({ kind: "toolCallEnd", index: state.calls.length, call });
    state.calls.push(call);
    state.call = "";
  }
}
