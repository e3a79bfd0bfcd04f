import { pythonStrip } from "../../messages/index.ts";
import { isBlank, overlap, trimmedEnd } from "../edges.ts";
import type { CallReading, CallText, TaggedGrammar } from "../grammar.ts";
import type { KnownTool, ParserEvent } from "../types.ts";
import { SECTION_CLOSE } from "./markerTable.ts";
import type { MutableTaggedState } from "./taggedState.ts";

export interface TurnPartsOptions {
  readonly grammar: TaggedGrammar;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** Written as the turn goes on. */
  readonly state: MutableTaggedState;
}

/** A marker that counts, and where its ids stand. */
export interface PlacedMarker {
  readonly meaning: number;
  readonly text: string;
  readonly index: number;
  readonly endIndex: number;
}

const UNREAD = { name: null, arguments: null, argumentsText: null, id: null } as const;

/**
 * The parts of a turn: what text means in each of them, what the format writes around them, and the events of both. It knows
 * no ids but their places; which markers count is decided by the parser that feeds it.
 */
export class TurnParts {
  readonly #grammar: TaggedGrammar;
  readonly #tools: ReadonlyMap<string, KnownTool> | null;
  readonly #state: MutableTaggedState;
  #events: ParserEvent[] = [];

  constructor({ grammar, tools, state }: TurnPartsOptions) {
    this.#grammar = grammar;
    this.#tools = tools;
    this.#state = state;
  }

  takeEvents(): ParserEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  spoken(text: string): void {
    this.#state.spoken += text;
  }

  text(text: string): void {
    if (text === "") return;
    this.spoken(text);
    switch (this.#state.mode) {
      case "start":
      case "after":
        this.#state.held += text;
        if (isBlank(text)) return;
        this.#state.mode = "content";
        this.#contentText(this.#takeHeld());
        return;
      case "section":
        this.#state.held += text;
        return;
      case "implied":
        this.#state.held += text;
        if (!isBlank(text)) this.beginImplied();
        return;
      case "label":
        this.#labelText(text);
        return;
      case "reasoning":
        this.#reasoningText(text);
        return;
      case "call":
        this.#callText(text);
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

  openReasoning(): void {
    const held = this.#takeHeld();
    if (this.#state.mode === "content") this.#report("content", held);
    const { label, padding = "", closing = padding } = this.#grammar.reasoning ?? {};
    const before = this.#state.reasoning?.text ?? "";
    this.#state.reasoning = { text: before, complete: false };
    if (before !== "") this.#report("reasoning", closing);
    this.#state.lead = "";
    this.#state.mode = label === undefined ? "reasoning" : "label";
  }

  #labelText(text: string): void {
    const { label = "" } = this.#grammar.reasoning ?? {};
    const held = this.#takeHeld() + text;
    if (held.length < label.length && label.startsWith(held)) {
      this.#state.held = held;
      return;
    }
    this.#state.mode = "reasoning";
    this.#reasoningText(held.startsWith(label) ? held.slice(label.length) : held);
  }

  /** The reasoning goes on, or ends, without its whole label. */
  endLabel(): void {
    if (this.#state.mode !== "label") return;
    this.#state.mode = "reasoning";
    this.#reasoningText(this.#takeHeld());
  }

  /** The model has left the opening marker out. */
  beginImplied(): void {
    const { held } = this.#state;
    this.openReasoning();
    this.#state.mode = "reasoning";
    this.#reasoningText(held);
  }

  #reasoningText(text: string): void {
    const reasoning = this.#state.reasoning;
    const { padding = "", closing = padding, exact = false } = this.#grammar.reasoning ?? {};
    if (!reasoning) return;
    const isStart = reasoning.text === "" && this.#state.held === "";
    const fresh = isStart ? this.#dropLead(text, padding) : this.#takeHeld() + text;
    const end = exact ? fresh.length - overlap(fresh, closing) : trimmedEnd(fresh, closing);
    this.#state.held = fresh.slice(end);
    this.#report("reasoning", fresh.slice(0, end));
  }

  endReasoning(): void {
    this.endPadding();
    if (this.#state.reasoning) this.#state.reasoning.complete = true;
    this.#state.lead = "";
    this.#events.push({ kind: "reasoningEnd" });
    this.#state.mode = "content";
  }

  /** White space at the reasoning's end is the format's, or to be exact one padding is. */
  endPadding(): void {
    const held = this.#takeHeld();
    const grammar = this.#grammar.reasoning;
    if (grammar?.exact && held !== (grammar.closing ?? grammar.padding)) this.#report("reasoning", held);
  }

  #contentText(text: string): void {
    const { held, calls, content } = this.#state;
    const isStart = held === "" && calls.length === 0 && content === "";
    const fresh = isStart ? this.#dropLead(text, this.#separator()) : this.#takeHeld() + text;
    const { calls: callGrammar, trail = "" } = this.#grammar;
    const end = fresh.length - Math.max(overlap(fresh, callGrammar?.separator ?? ""), overlap(fresh, trail));
    this.#state.held = fresh.slice(end);
    this.#report("content", fresh.slice(0, end));
  }

  /** What the format writes before the content. */
  #separator(): string {
    return (this.#state.reasoning === null ? this.#grammar.lead : this.#grammar.reasoning?.separator) ?? "";
  }

  /** Drops what the format writes at a part's start. */
  #dropLead(text: string, characters: string): string {
    const { lead } = this.#state;
    const isExact = this.#state.reasoning === null || this.#grammar.reasoning?.exact;
    const isDropped = isExact
      ? (at: number) => text[at] === characters[lead.length + at]
      : (at: number) => characters.includes(text[at]);
    let start = 0;
    while (start < text.length && isDropped(start)) start++;
    this.#state.lead += text.slice(0, start);
    return text.slice(start);
  }

  #report(kind: "content" | "reasoning", text: string): void {
    if (text === "") return;
    if (kind === "content") this.#state.content += text;
    else if (this.#state.reasoning) this.#state.reasoning.text += text;
    this.#events.push({ kind, text });
  }

  openSection(index: number): void {
    this.#endContent();
    this.#state.section = { start: index, calls: this.#state.calls.length };
    this.#state.mode = "section";
  }

  /** Text of a section that belongs to no call is kept as a call that cannot be read. */
  endSectionText(end: number, status: "malformed_structure" | "unclosed_block"): void {
    const section = this.#state.section;
    const raw = pythonStrip(this.#takeHeld());
    const isEmpty = section?.calls === this.#state.calls.length;
    const isCut = status === "unclosed_block" && this.#isCutMarker(raw);
    const isKept = isEmpty && this.#grammar.calls?.section?.keepsCut === true;
    if (!section || (isCut && !isKept) || (raw === "" && !isEmpty)) return;
    this.#events.push({ kind: "toolCallStart", index: this.#state.calls.length });
    if (raw !== "") this.#events.push({ kind: "toolCallDelta", index: this.#state.calls.length, text: raw });
    const start = isEmpty ? section.start : (this.#state.calls.at(-1)?.tokenSpan[1] ?? section.start);
    this.finishCall({ ...UNREAD, status }, raw, Math.min(start, end), end);
  }

  /** The beginning of a marker that the section would go on with, or nothing. */
  #isCutMarker(text: string): boolean {
    const { calls } = this.#grammar;
    return [calls?.open, calls?.section?.close].some((marker) => marker?.text.startsWith(text));
  }

  closeSection(endIndex: number): void {
    this.endSectionText(endIndex, "malformed_structure");
    this.#state.section = null;
    this.#state.mode = "after";
  }

  openCall(index: number): void {
    const { section } = this.#state;
    if (!section) this.#endContent();
    else if (!isBlank(this.#state.held)) this.endSectionText(index, "malformed_structure");
    this.#state.held = "";
    this.#state.call = { text: "", atoms: [], start: index, doubt: null };
    this.#state.mode = "call";
    this.#events.push({ kind: "toolCallStart", index: this.#state.calls.length });
  }

  /** Content is over: what the format writes between it and a call is not content. */
  #endContent(): void {
    const separator = this.#grammar.calls?.separator ?? "";
    const held = this.#takeHeld();
    const { mode, reasoning } = this.#state;
    if (mode === "after" || (mode === "start" && held === separator)) return;
    // White space that the format does not write is the model's.
    if (mode === "start") this.#contentText(held);
    const rest = mode === "start" ? this.#takeHeld() : held;
    const isSeparator = rest === separator && (this.#state.content !== "" || reasoning !== null);
    if (!isSeparator) this.#report("content", rest);
  }

  #callText(text: string): void {
    const { call } = this.#state;
    if (!call) return;
    call.text += text;
    if (!call.doubt) this.#events.push({ kind: "toolCallDelta", index: this.#state.calls.length, text });
  }

  atom(id: number, text: string): void {
    const start = this.#state.call?.text.length ?? 0;
    this.#state.call?.atoms.push({ id, start, end: start + text.length });
    this.text(text);
  }

  doubtClose({ meaning, text, index, endIndex }: PlacedMarker): void {
    const { call, spoken } = this.#state;
    if (!call) return;
    call.doubt ??= {
      closes: meaning === SECTION_CLOSE ? "section" : "call",
      length: call.text.length,
      atoms: call.atoms.length,
      start: index,
      index: endIndex,
      spoken: spoken.length + text.length,
      tail: [],
    };
    this.text(text);
  }

  closeCall(marker: string, endIndex: number): void {
    const grammar = this.#grammar.calls;
    const { call } = this.#state;
    if (!grammar || !call) return;
    const reading = grammar.body(call, this.#tools);
    if (call.doubt) {
      const text = call.text.slice(call.doubt.length);
      this.#events.push({ kind: "toolCallDelta", index: this.#state.calls.length, text });
      this.#state.waiting = [];
    }
    this.spoken(marker);
    this.finishCall(reading, call.text, call.start, endIndex);
    this.#state.mode = this.#state.section ? "section" : "after";
  }

  finishCall(reading: CallReading, text: string, start: number, end: number): void {
    const call = { ...reading, raw: pythonStrip(text), tokenSpan: [start, end] as const };
    this.#events.push({ kind: "toolCallEnd", index: this.#state.calls.length, call });
    this.#state.calls.push(call);
    this.#state.call = null;
  }

  unclosed(call: CallText): CallReading {
    return { ...UNREAD, status: "unclosed_block", ...this.#grammar.calls?.unclosed?.(call) };
  }

  /** The call in hand ends without its marker, before this id. */
  breakOffCall(index: number): void {
    const { call } = this.#state;
    if (!call) return;
    this.finishCall(this.unclosed(call), call.text, call.start, index);
    this.#state.mode = this.#state.section ? "section" : "after";
  }

  /** What the format writes between content and the turn's end is not content. */
  endTurn(atStop: boolean): void {
    const { lead, trail = "" } = this.#grammar;
    if (this.#state.mode === "start" && lead !== undefined) this.#contentText(this.#takeHeld());
    const held = this.#takeHeld();
    this.#report("content", atStop && held.endsWith(trail) ? held.slice(0, held.length - trail.length) : held);
  }

  stop(id: number, index: number): void {
    this.#state.stop = { id, index };
    this.#events.push({ kind: "stop", id, index });
    this.#state.mode = "stopped";
  }
}
