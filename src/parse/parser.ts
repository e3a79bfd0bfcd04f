import type { Ids, Tokenizer } from "../tokenizer/types.ts";
import { Utf8Stream } from "../tokens/utf8.ts";
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
import type { KnownTool, ParsedResponse, ParsedToolCall, ParserEvent } from "./types.ts";

/**
 * Where the automaton stands:
 * - `start`: nothing but white space so far; reasoning may still open
 * - `reasoning`, `content`, `call`: inside that part
 * - `doubt`: after a call's opening marker inside reasoning. If the reasoning's closing marker comes, the call was only
 *   talked about; if the turn ends first, the model forgot to close its reasoning. Ids wait until that is known.
 * - `after`: after a call, nothing but white space since
 * - `stopped`: the turn has ended
 */
type Mode = "start" | "reasoning" | "doubt" | "content" | "call" | "after" | "stopped";

/** Everything a parser knows, as plain JSON: store it, send it, go on from it. */
export interface ParserState {
  readonly mode: Mode;
  /** Ids read so far. */
  readonly index: number;
  /** Bytes of a character that is not complete yet. */
  readonly bytes: readonly number[];
  /** White space dropped at the start of the current part. */
  readonly lead: string;
  /** Text that may turn out to be the format's; not reported before that is known. */
  readonly held: string;
  readonly content: string;
  readonly reasoning: { readonly text: string; readonly complete: boolean } | null;
  readonly calls: readonly ParsedToolCall[];
  /** The call being read: its text so far, and where its opening marker stands. */
  readonly call: { readonly text: string; readonly start: number } | null;
  /** Ids that wait in `doubt`. */
  readonly waiting: readonly number[];
  readonly stop: { readonly id: number; readonly index: number } | null;
  readonly canonical: boolean;
}

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
  readonly #calls: ParsedToolCall[];
  #events: ParserEvent[] = [];
  #mode: Mode;
  #index: number;
  #lead: string;
  #held: string;
  #content: string;
  #reasoning: { text: string; complete: boolean } | null;
  #call: { text: string; start: number } | null;
  #waiting: number[];
  #stop: { readonly id: number; readonly index: number } | null;
  #canonical: boolean;
  /** While ids that waited in `doubt` turn out to be reasoning. */
  #callsAreText = false;

  constructor(options: ParserOptions) {
    const state = options.state ?? initialState(options.beginsInReasoning);
    this.#grammar = options.grammar;
    this.#markers = options.markers;
    this.#tokenizer = options.tokenizer;
    this.#tools = options.tools;
    this.#utf8 = new Utf8Stream(state.bytes);
    this.#calls = [...state.calls];
    this.#mode = state.mode;
    this.#index = state.index;
    this.#lead = state.lead;
    this.#held = state.held;
    this.#content = state.content;
    this.#reasoning = state.reasoning && { ...state.reasoning };
    this.#call = state.call && { ...state.call };
    this.#waiting = [...state.waiting];
    this.#stop = state.stop;
    this.#canonical = state.canonical;
  }

  get state(): ParserState {
    return {
      mode: this.#mode,
      index: this.#index,
      bytes: [...this.#utf8.pending],
      lead: this.#lead,
      held: this.#held,
      content: this.#content,
      reasoning: this.#reasoning && { ...this.#reasoning },
      calls: [...this.#calls],
      call: this.#call && { ...this.#call },
      waiting: [...this.#waiting],
      stop: this.#stop,
      canonical: this.#canonical,
    };
  }

  /** Reads the next ids. Ids after the turn's end are not read. */
  push(ids: Ids): ParserEvent[] {
    this.#read(ids instanceof Int32Array ? ids : Int32Array.from(ids));
    return this.#takeEvents();
  }

  /** The completion is over: the last events, and the response. */
  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse } {
    if (this.#mode !== "stopped") {
      this.#close();
      this.#canonical = false;
    }
    const stop = this.#stop ? ({ kind: "stop", ...this.#stop } as const) : ({ kind: "none" } as const);
    const response: ParsedResponse = {
      content: this.#content,
      reasoning: this.#reasoning,
      toolCalls: this.#calls,
      stop,
      canonical: this.#canonical,
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
    for (let at = 0; at < ids.length && this.#mode !== "stopped"; at++) {
      const meaning = this.#markers(ids[at]);
      if (meaning === TEXT) continue;
      if (this.#heeds(meaning)) {
        this.#run(ids.subarray(from, at), true);
        from = at;
      }
      // Looked up again, because the text before it may have changed what counts: reasoning opens only at the start.
      if (!this.#heeds(meaning)) {
        if (this.#mode !== "reasoning" && this.#mode !== "doubt" && this.#mode !== "call") this.#canonical = false;
        continue;
      }
      from = at + 1;
      this.#marker(meaning, ids[at]);
      this.#index++;
    }
    if (this.#mode !== "stopped") this.#run(ids.subarray(from), false);
  }

  /** Does this marker mean anything here? If not, it is text. */
  #heeds(meaning: number): boolean {
    if (meaning === STOP || meaning === UNKNOWN_ID) return true;
    switch (this.#mode) {
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
    this.#index += ids.length;
    if (this.#mode === "doubt") {
      for (const id of ids) this.#waiting.push(id);
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
      this.#stop = { id, index: this.#index };
      this.#events.push({ kind: "stop", ...this.#stop });
      this.#mode = "stopped";
    } else if (meaning === REASONING_OPEN) this.#openReasoning();
    else if (meaning === REASONING_CLOSE) this.#closeReasoning();
    else if (meaning === CALL_CLOSE) this.#closeCall();
    else if (this.#mode === "reasoning") {
      this.#mode = "doubt";
      this.#waiting.push(id);
    } else this.#openCall();
  }

  /** No text belongs to an id outside the vocabulary; a replacement character keeps its place. */
  #unknownId(id: number): void {
    this.#canonical = false;
    if (this.#mode === "doubt") this.#waiting.push(id);
    else this.#text("\uFFFD");
  }

  #text(text: string): void {
    if (text === "") return;
    switch (this.#mode) {
      case "start":
      case "after":
        this.#held += text;
        if (isBlank(text)) return;
        if (this.#mode === "after") this.#canonical = false;
        this.#mode = "content";
        this.#contentText(this.#takeHeld());
        return;
      case "reasoning":
        this.#reasoningText(text);
        return;
      case "call":
        if (this.#call) this.#call.text += text;
        this.#events.push({ kind: "toolCallDelta", index: this.#calls.length, text });
        return;
      default:
        this.#contentText(text);
    }
  }

  #takeHeld(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }

  #openReasoning(): void {
    if (this.#takeHeld() !== "") this.#canonical = false;
    this.#reasoning = { text: "", complete: false };
    this.#mode = "reasoning";
  }

  #reasoningText(text: string): void {
    const reasoning = this.#reasoning;
    const padding = this.#grammar.reasoning?.padding ?? "";
    if (!reasoning) return;
    const fresh = reasoning.text === "" ? this.#dropLead(text, padding) : this.#takeHeld() + text;
    const end = trimmedEnd(fresh, padding);
    this.#held = fresh.slice(end);
    this.#report("reasoning", fresh.slice(0, end));
  }

  #closeReasoning(): void {
    const grammar = this.#grammar.reasoning;
    if (this.#mode === "doubt") {
      this.#mode = "reasoning";
      this.#callsAreText = true;
      this.#readWaiting();
      this.#callsAreText = false;
    }
    const framed =
      this.#reasoning?.text === ""
        ? this.#lead === `${grammar?.padding}${grammar?.padding}`
        : this.#lead === grammar?.padding && this.#held === grammar.padding;
    this.#endReasoning(framed);
  }

  #endReasoning(framed: boolean): void {
    if (!framed) this.#canonical = false;
    if (this.#reasoning) this.#reasoning.complete = true;
    this.#lead = "";
    this.#held = "";
    this.#events.push({ kind: "reasoningEnd" });
    this.#mode = "content";
  }

  #contentText(text: string): void {
    const afterReasoning = this.#reasoning !== null && this.#calls.length === 0 && this.#content === "";
    const separator = this.#grammar.reasoning?.separator ?? "";
    const fresh = afterReasoning && this.#held === "" ? this.#dropLead(text, separator) : this.#takeHeld() + text;
    const end = fresh.length - overlap(fresh, this.#grammar.calls?.separator ?? "");
    this.#held = fresh.slice(end);
    this.#report("content", fresh.slice(0, end));
  }

  /** Drops what the format writes at a part's start; remembers it, to know whether it is to the letter. */
  #dropLead(text: string, characters: string): string {
    let start = 0;
    while (start < text.length && characters.includes(text[start])) start++;
    this.#lead += text.slice(0, start);
    return text.slice(start);
  }

  #report(kind: "content" | "reasoning", text: string): void {
    if (text === "") return;
    if (kind === "content") this.#content += text;
    else if (this.#reasoning) this.#reasoning.text += text;
    this.#events.push({ kind, text });
  }

  #openCall(): void {
    this.#endContent(this.#grammar.calls?.separator ?? "");
    this.#call = { text: "", start: this.#index };
    this.#mode = "call";
    this.#events.push({ kind: "toolCallStart", index: this.#calls.length });
  }

  /** Content is over. `separator`: what the format writes before what comes next; if it is there, it is not content. */
  #endContent(separator: string): void {
    const held = this.#takeHeld();
    if (this.#mode === "start" || this.#mode === "after") {
      const expected = this.#mode === "after" ? separator : "";
      if (held !== expected) this.#canonical = false;
    } else {
      const isSeparator = separator !== "" && held === separator && this.#content !== "";
      if (!isSeparator) {
        this.#report("content", held);
        if (separator !== "" && this.#content !== "") this.#canonical = false;
      }
    }
    if (this.#reasoning?.complete && this.#calls.length === 0) this.#checkLead();
  }

  #checkLead(): void {
    if (this.#lead !== this.#grammar.reasoning?.separator) this.#canonical = false;
  }

  #closeCall(): void {
    const grammar = this.#grammar.calls;
    const call = this.#call;
    if (!grammar || !call) return;
    const raw = call.text.trim();
    const { canonical, ...reading } = grammar.body(raw, this.#tools);
    if (!canonical || call.text !== `${grammar.padding}${raw}${grammar.padding}`) this.#canonical = false;
    this.#finishCall({ ...reading, raw, tokenSpan: [call.start, this.#index + 1] });
    this.#mode = "after";
  }

  #finishCall(call: ParsedToolCall): void {
    this.#events.push({ kind: "toolCallEnd", index: this.#calls.length, call });
    this.#calls.push(call);
    this.#call = null;
  }

  /** The turn ends, by a stop or because there is no more: closes what is open. */
  #close(): void {
    this.#text(this.#utf8.end());
    if (this.#mode === "doubt") this.#reasoningForgotten();
    switch (this.#mode) {
      case "reasoning":
        this.#held = "";
        this.#canonical = false;
        return;
      case "call":
        this.#canonical = false;
        if (this.#call) {
          const unread = {
            name: null,
            arguments: null,
            argumentsText: null,
            id: null,
            status: "unclosed_block",
          } as const;
          this.#finishCall({ ...unread, raw: this.#call.text.trim(), tokenSpan: [this.#call.start, this.#index] });
        }
        return;
      case "start":
        this.#report("content", this.#takeHeld());
        return;
      case "after":
        if (this.#takeHeld() !== "") this.#canonical = false;
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
    const ids = Int32Array.from(this.#waiting);
    this.#waiting = [];
    this.#index -= ids.length;
    this.#read(ids);
    this.#text(this.#utf8.end());
  }
}

function initialState(beginsInReasoning: boolean): ParserState {
  return {
    mode: beginsInReasoning ? "reasoning" : "start",
    index: 0,
    bytes: [],
    lead: "",
    held: "",
    content: "",
    reasoning: beginsInReasoning ? { text: "", complete: false } : null,
    calls: [],
    call: null,
    waiting: [],
    stop: null,
    canonical: true,
  };
}

const isBlank = (text: string): boolean => text.trim() === "";

function trimmedEnd(text: string, characters: string): number {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end--;
  return end;
}

/** Length of the longest end of the text that is a beginning of `pattern`. */
function overlap(text: string, pattern: string): number {
  for (let length = Math.min(text.length, pattern.length); length > 0; length--) {
    if (text.endsWith(pattern.slice(0, length))) return length;
  }
  return 0;
}
