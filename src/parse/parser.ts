import { pythonStrip } from "../messages/index.ts";
import type { Ids, Tokenizer } from "../tokenizer/types.ts";
import { Utf8Stream } from "../tokens/utf8.ts";
import { isBlank, overlap, trimmedEnd } from "./edges.ts";
import {
  CALL_CLOSE,
  CALL_OPEN,
  type MarkerTable,
  REASONING_CLOSE,
  REASONING_OPEN,
  type ResponseGrammar,
  STOP,
  TEXT,
  UNKNOWN_ID,
} from "./grammar.ts";
import { copyState, initialState, type MutableParserState, type ParserState } from "./parserState.ts";
import type { KnownTool, ParsedResponse, ParsedToolCall, ParserEvent } from "./types.ts";

export interface ParserOptions {
  readonly grammar: ResponseGrammar;
  readonly markers: MarkerTable;
  readonly tokenizer: Tokenizer;
  readonly beginsInReasoning: boolean;
  /** Tools by name; null when the caller gave none: then no name is unknown. */
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** Go on from here. */
  readonly state?: ParserState | undefined;
}

/**
 * Reads a response id by id. Any way of cutting the ids into pushes gives the same response and, joined, the same
 * events; nothing reported is taken back. No id sequence makes it throw.
 */
export class TokenParser {
  readonly #grammar: ResponseGrammar;
  readonly #markers: MarkerTable;
  readonly #tokenizer: Tokenizer;
  readonly #tools: ReadonlyMap<string, KnownTool> | null;
  readonly #utf8: Utf8Stream;
  readonly #state: MutableParserState;
  #events: ParserEvent[] = [];
  /** While ids that waited in `doubt` turn out to be reasoning. */
  #callsAreText = false;

  constructor(options: ParserOptions) {
    this.#grammar = options.grammar;
    this.#markers = options.markers;
    this.#tokenizer = options.tokenizer;
    this.#tools = options.tools;
    this.#state = options.state ? copyState(options.state) : initialState(options.beginsInReasoning);
    this.#utf8 = new Utf8Stream(this.#state.bytes);
  }

  /** A copy of all that is known so far, as plain JSON. */
  get state(): ParserState {
    return { ...copyState(this.#state), bytes: [...this.#utf8.pending] };
  }

  /** Reads the next ids. Ids after the turn's end are not read. */
  push(ids: Ids): ParserEvent[] {
    this.#read(ids instanceof Int32Array ? ids : Int32Array.from(ids));
    return this.#takeEvents();
  }

  /** The completion is over: the last events, and the response. */
  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse } {
    if (this.#state.mode !== "stopped") {
      this.#close();
      this.#state.canonical = false;
    }
    const stop = this.#state.stop ? ({ kind: "stop", ...this.#state.stop } as const) : ({ kind: "none" } as const);
    const response: ParsedResponse = {
      content: this.#state.content,
      reasoning: this.#state.reasoning,
      toolCalls: this.#state.calls,
      stop,
      canonical: this.#state.canonical,
    };
    return { events: this.#takeEvents(), response };
  }

  #takeEvents(): ParserEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #read(ids: Int32Array): void {
    let from = 0;
    for (let at = 0; at < ids.length && this.#state.mode !== "stopped"; at++) {
      const meaning = this.#markers(ids[at]);
      if (meaning === TEXT) continue;
      if (this.#heeds(meaning)) {
        this.#run(ids.subarray(from, at), true);
        from = at;
      }
      // Looked up again, because the text before it may have changed what counts: reasoning opens only at the start.
      if (!this.#heeds(meaning)) {
        if (this.#state.mode !== "reasoning" && this.#state.mode !== "doubt" && this.#state.mode !== "call")
          this.#state.canonical = false;
        continue;
      }
      from = at + 1;
      this.#marker(meaning, ids[at]);
      this.#state.index++;
    }
    if (this.#state.mode !== "stopped") this.#run(ids.subarray(from), false);
  }

  /** Does this marker mean anything here? If not, it is text. */
  #heeds(meaning: number): boolean {
    if (meaning === STOP || meaning === UNKNOWN_ID) return true;
    switch (this.#state.mode) {
      case "start":
        return meaning === CALL_OPEN || meaning === REASONING_OPEN;
      case "reasoning":
        return meaning === REASONING_CLOSE || (meaning === CALL_OPEN && !this.#callsAreText);
      case "doubt":
        return meaning === REASONING_CLOSE;
      case "call":
        return meaning === CALL_CLOSE;
      default:
        return meaning === CALL_OPEN;
    }
  }

  /** Ids without a marker that counts. `whole`: a marker follows, so that a character cut at the end stays cut. */
  #run(ids: Int32Array, whole: boolean): void {
    this.#state.index += ids.length;
    if (this.#state.mode === "doubt") {
      for (const id of ids) this.#state.waiting.push(id);
      return;
    }
    if (whole && this.#utf8.pending.length === 0) {
      if (ids.length > 0) this.#text(this.#tokenizer.decode(ids));
      return;
    }
    this.#text(this.#utf8.push(this.#tokenizer.decodeBytes(ids)));
    if (whole) this.#text(this.#utf8.end());
  }

  #marker(meaning: number, id: number): void {
    if (meaning === UNKNOWN_ID) this.#unknownId(id);
    else if (meaning === STOP) {
      this.#close();
      this.#state.stop = { id, index: this.#state.index };
      this.#events.push({ kind: "stop", ...this.#state.stop });
      this.#state.mode = "stopped";
    } else if (meaning === REASONING_OPEN) this.#openReasoning();
    else if (meaning === REASONING_CLOSE) this.#closeReasoning();
    else if (meaning === CALL_CLOSE) this.#closeCall();
    else if (this.#state.mode === "reasoning") {
      this.#state.mode = "doubt";
      this.#state.waiting.push(id);
    } else this.#openCall();
  }

  /** No text belongs to an id outside the vocabulary; a replacement character keeps its place. */
  #unknownId(id: number): void {
    this.#state.canonical = false;
    if (this.#state.mode === "doubt") this.#state.waiting.push(id);
    else this.#text("\uFFFD");
  }

  #text(text: string): void {
    if (text === "") return;
    switch (this.#state.mode) {
      case "start":
      case "after":
        this.#state.held += text;
        if (isBlank(text)) return;
        if (this.#state.mode === "after") this.#state.canonical = false;
        this.#state.mode = "content";
        this.#contentText(this.#takeHeld());
        return;
      case "reasoning":
        this.#reasoningText(text);
        return;
      case "call":
        if (this.#state.call) this.#state.call.text += text;
        this.#events.push({ kind: "toolCallDelta", index: this.#state.calls.length, text });
        return;
      default:
        this.#contentText(text);
    }
  }

  #takeHeld(): string {
    const held = this.#state.held;
    this.#state.held = "";
    return held;
  }

  #openReasoning(): void {
    if (this.#takeHeld() !== "") this.#state.canonical = false;
    this.#state.reasoning = { text: "", complete: false };
    this.#state.mode = "reasoning";
  }

  #reasoningText(text: string): void {
    const reasoning = this.#state.reasoning;
    const padding = this.#grammar.reasoning?.padding ?? "";
    if (!reasoning) return;
    const fresh = reasoning.text === "" ? this.#dropLead(text, padding) : this.#takeHeld() + text;
    const end = trimmedEnd(fresh, padding);
    this.#state.held = fresh.slice(end);
    this.#report("reasoning", fresh.slice(0, end));
  }

  #closeReasoning(): void {
    const grammar = this.#grammar.reasoning;
    if (this.#state.mode === "doubt") {
      this.#state.mode = "reasoning";
      this.#callsAreText = true;
      this.#readWaiting();
      this.#callsAreText = false;
    }
    const framed =
      this.#state.reasoning?.text === ""
        ? this.#state.lead === `${grammar?.padding}${grammar?.padding}`
        : this.#state.lead === grammar?.padding && this.#state.held === grammar.padding;
    this.#endReasoning(framed);
  }

  #endReasoning(framed: boolean): void {
    if (!framed) this.#state.canonical = false;
    if (this.#state.reasoning) this.#state.reasoning.complete = true;
    this.#state.lead = "";
    this.#state.held = "";
    this.#events.push({ kind: "reasoningEnd" });
    this.#state.mode = "content";
  }

  #contentText(text: string): void {
    const afterReasoning =
      this.#state.reasoning !== null && this.#state.calls.length === 0 && this.#state.content === "";
    const separator = this.#grammar.reasoning?.separator ?? "";
    const fresh = afterReasoning && this.#state.held === "" ? this.#dropLead(text, separator) : this.#takeHeld() + text;
    const end = fresh.length - overlap(fresh, this.#grammar.calls?.separator ?? "");
    this.#state.held = fresh.slice(end);
    this.#report("content", fresh.slice(0, end));
  }

  /** Drops what the format writes at a part's start; remembers it, to know whether it is to the letter. */
  #dropLead(text: string, characters: string): string {
    let start = 0;
    while (start < text.length && characters.includes(text[start])) start++;
    this.#state.lead += text.slice(0, start);
    return text.slice(start);
  }

  #report(kind: "content" | "reasoning", text: string): void {
    if (text === "") return;
    if (kind === "content") this.#state.content += text;
    else if (this.#state.reasoning) this.#state.reasoning.text += text;
    this.#events.push({ kind, text });
  }

  #openCall(): void {
    const separator = this.#grammar.calls?.separator ?? "";
    const { mode, held } = this.#state;
    if (mode === "start" && held !== "" && held !== separator) {
      // White space that the format does not write is the model's.
      this.#state.mode = "content";
      this.#contentText(this.#takeHeld());
    }
    this.#endContent(separator);
    this.#state.call = { text: "", start: this.#state.index };
    this.#state.mode = "call";
    this.#events.push({ kind: "toolCallStart", index: this.#state.calls.length });
  }

  /** Content is over. `separator`: what the format writes before what comes next; if it is there, it is not content. */
  #endContent(separator: string): void {
    const held = this.#takeHeld();
    if (this.#state.mode === "start" || this.#state.mode === "after") {
      const expected = this.#state.mode === "after" ? separator : "";
      if (held !== expected) this.#state.canonical = false;
    } else {
      const isSeparator = separator !== "" && held === separator && this.#state.content !== "";
      if (!isSeparator) {
        this.#report("content", held);
        if (separator !== "" && this.#state.content !== "") this.#state.canonical = false;
      }
    }
    if (this.#state.reasoning?.complete && this.#state.calls.length === 0) this.#checkLead();
  }

  #checkLead(): void {
    if (this.#state.lead !== this.#grammar.reasoning?.separator) this.#state.canonical = false;
  }

  #closeCall(): void {
    const grammar = this.#grammar.calls;
    const call = this.#state.call;
    if (!grammar || !call) return;
    const raw = pythonStrip(call.text);
    const { canonical, ...reading } = grammar.body(raw, this.#tools);
    if (!canonical || call.text !== `${grammar.padding}${raw}${grammar.padding}`) this.#state.canonical = false;
    this.#finishCall({ ...reading, raw, tokenSpan: [call.start, this.#state.index + 1] });
    this.#state.mode = "after";
  }

  #finishCall(call: ParsedToolCall): void {
    this.#events.push({ kind: "toolCallEnd", index: this.#state.calls.length, call });
    this.#state.calls.push(call);
    this.#state.call = null;
  }

  /** The turn ends, by a stop or because there is no more: closes what is open. */
  #close(): void {
    this.#text(this.#utf8.end());
    if (this.#state.mode === "doubt") this.#reasoningForgotten();
    switch (this.#state.mode) {
      case "reasoning":
        this.#state.held = "";
        this.#state.canonical = false;
        return;
      case "call":
        this.#state.canonical = false;
        if (this.#state.call) {
          const unread = {
            name: null,
            arguments: null,
            argumentsText: null,
            id: null,
            status: "unclosed_block",
          } as const;
          this.#finishCall({
            ...unread,
            raw: pythonStrip(this.#state.call.text),
            tokenSpan: [this.#state.call.start, this.#state.index],
          });
        }
        return;
      case "start":
        this.#report("content", this.#takeHeld());
        return;
      case "after":
        if (this.#takeHeld() !== "") this.#state.canonical = false;
        return;
      default:
        this.#endContent("");
    }
  }

  /** The call in the reasoning was meant: the reasoning ended before it, and the ids that waited are read as calls. */
  #reasoningForgotten(): void {
    this.#endReasoning(false);
    this.#readWaiting();
  }

  #readWaiting(): void {
    const ids = Int32Array.from(this.#state.waiting);
    this.#state.waiting = [];
    this.#state.index -= ids.length;
    this.#read(ids);
    this.#text(this.#utf8.end());
  }
}
