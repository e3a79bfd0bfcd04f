import { pythonStrip } from "../../messages/index.ts";
import type { Ids, Tokenizer } from "../../tokenizer/types.ts";
import { Utf8Stream } from "../../tokens/utf8.ts";
import { isBlank, overlap, trimmedEnd } from "../edges.ts";
import type { CallReading, TaggedGrammar } from "../grammar.ts";
import { spokenResponse } from "../spoken.ts";
import type { KnownTool, ParsedResponse, ParserEvent, TokenParser } from "../types.ts";
import {
  ATOM,
  CALL_CLOSE,
  CALL_OPEN,
  type MarkerTable,
  REASONING_CLOSE,
  REASONING_OPEN,
  SECTION_CLOSE,
  SECTION_OPEN,
  STOP,
  TEXT,
  type TextMarker,
  UNKNOWN_ID,
} from "./markerTable.ts";
import { copyTaggedState, initialTaggedState, type MutableTaggedState, type TaggedState } from "./taggedState.ts";
import { ByteRun } from "./textMarkers.ts";

export interface TaggedParserOptions {
  readonly grammar: TaggedGrammar;
  readonly markers: MarkerTable;
  readonly tokenizer: Tokenizer;
  readonly beginsInReasoning: boolean;
  /** Tools by name; null when the caller gave none: then no name is unknown. */
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** Go on from here. */
  readonly state?: TaggedState | undefined;
}

const NONE: readonly TextMarker[] = [];
const UNREAD = { name: null, arguments: null, argumentsText: null, id: null } as const;

/** Reads reasoning, content and calls that stand between markers. */
export class TaggedParser implements TokenParser {
  readonly #grammar: TaggedGrammar;
  readonly #markers: MarkerTable;
  readonly #tokenizer: Tokenizer;
  readonly #beganInReasoning: boolean;
  readonly #tools: ReadonlyMap<string, KnownTool> | null;
  readonly #utf8: Utf8Stream;
  readonly #state: MutableTaggedState;
  /** A call inside reasoning is looked for by its id only, because the ids after it may have to be read twice. */
  readonly #callsEndReasoning: boolean;
  #events: ParserEvent[] = [];
  /** While ids that waited turn out to be reasoning: calls in them are only talked about. */
  #callsAreText = false;
  /** While ids that waited are read again: a closing marker closes. */
  #firstCloseCounts = false;

  constructor(options: TaggedParserOptions) {
    this.#grammar = options.grammar;
    this.#markers = options.markers;
    this.#tokenizer = options.tokenizer;
    this.#beganInReasoning = options.beginsInReasoning;
    this.#tools = options.tools;
    this.#state = options.state ? copyTaggedState(options.state) : initialTaggedState(options.beginsInReasoning);
    this.#utf8 = new Utf8Stream(this.#state.bytes);
    const { reasoning, calls } = options.grammar;
    const opening = calls?.section?.open ?? calls?.open;
    this.#callsEndReasoning = reasoning?.endedByCall !== false && opening?.id !== undefined;
  }

  get state(): TaggedState {
    return { ...copyTaggedState(this.#state), bytes: [...this.#utf8.pending] };
  }

  push(ids: Ids): ParserEvent[] {
    this.#read(ids instanceof Int32Array ? ids : Int32Array.from(ids));
    return this.#takeEvents();
  }

  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse } {
    const stopped = this.#state.mode === "stopped";
    if (!stopped) this.#close();
    const { content, reasoning, calls: toolCalls, stop, spoken } = this.#state;
    const parts = { content, reasoning, toolCalls };
    const response: ParsedResponse = {
      ...parts,
      stop: stop ? { kind: "stop", ...stop } : { kind: "none" },
      canonical: stopped && spoken === this.#grammar.spell(spokenResponse(parts), this.#beganInReasoning),
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
      const meaning = this.#markers.ofId(ids[at]);
      if (meaning === TEXT) continue;
      if (this.#heeds(meaning)) {
        this.#run(ids.subarray(from, at), true);
        from = at;
      }
      // Looked up again, because the text before it may have changed what counts: reasoning opens only at the start.
      if (!this.#heeds(meaning)) continue;
      from = at + 1;
      if (meaning !== STOP && this.#waits()) this.#state.waiting.push(ids[at]);
      const index = this.#state.index++;
      this.#marker(meaning, ids[at], index, index + 1);
    }
    if (this.#state.mode !== "stopped") this.#run(ids.subarray(from), false);
  }

  /** Ids are kept, because it is not known yet what they are. */
  #waits(): boolean {
    return this.#state.mode === "doubt" || this.#state.call?.doubt != null;
  }

  /** Does this marker mean anything here? If not, it is text. */
  #heeds(meaning: number): boolean {
    if (meaning === STOP || meaning === UNKNOWN_ID) return true;
    const { calls, reasoning } = this.#grammar;
    const opensCalls = meaning === (calls?.section ? SECTION_OPEN : CALL_OPEN);
    switch (this.#state.mode) {
      case "start":
        return opensCalls || meaning === REASONING_OPEN;
      case "reasoning":
        return meaning === REASONING_CLOSE || (opensCalls && this.#callsEndReasoning && !this.#callsAreText);
      case "doubt":
        return meaning === REASONING_CLOSE;
      case "call":
        return meaning === CALL_CLOSE || meaning === ATOM || meaning === SECTION_CLOSE;
      case "section":
        return meaning === CALL_OPEN || meaning === SECTION_CLOSE;
      default:
        return opensCalls || (meaning === REASONING_OPEN && reasoning?.repeats === true);
    }
  }

  #textMarkers(): readonly TextMarker[] {
    const { texts } = this.#markers;
    return texts.length === 0 ? NONE : texts.filter(({ meaning }) => this.#heeds(meaning));
  }

  /** Ids without a marker that counts. `whole`: a marker follows, so that a character cut at the end stays cut. */
  #run(ids: Int32Array, whole: boolean): void {
    if (this.#waits()) for (const id of ids) this.#state.waiting.push(id);
    const markers = this.#textMarkers();
    const offset = this.#state.index;
    this.#state.index += ids.length;
    if (markers.length > 0 || this.#state.tail.length > 0) {
      this.#search(new ByteRun(this.#state.tail, ids, offset, this.#tokenizer), markers, whole);
    } else if (this.#state.mode !== "doubt") {
      if (whole && this.#utf8.pending.length === 0) {
        if (ids.length > 0) this.#text(this.#tokenizer.decode(ids));
      } else this.#bytes(this.#tokenizer.decodeBytes(ids), whole);
    }
  }

  /** The same where markers of several tokens may stand: found by their bytes, since tokens may end inside of them. */
  #search(run: ByteRun, first: readonly TextMarker[], whole: boolean): void {
    const end = this.#state.index;
    let markers = first;
    let at = 0;
    this.#state.tail = [];
    while (this.#state.mode !== "stopped") {
      const found = markers.length > 0 ? run.find(markers, at) : null;
      if (found === null) break;
      if (this.#state.mode === "doubt") {
        this.#readWaitingAsReasoning();
        return;
      }
      this.#bytes(run.bytes.subarray(at, found.start), true);
      at = found.end;
      // The text before may have begun the content, after which this marker no longer counts.
      if (this.#heeds(found.meaning)) {
        this.#spoken(run.bytes.toString("utf8", found.start, found.end));
        this.#state.index = found.endId;
        this.#marker(found.meaning, -1, found.firstId, found.endId);
        this.#state.index = end;
      } else at = found.start;
      markers = this.#textMarkers();
    }
    if (!whole) this.#state.tail = run.tailFor(markers, at);
    if (this.#state.mode !== "doubt") {
      this.#bytes(
        run.bytes.subarray(at, run.bytes.length - this.#state.tail.length),
        whole || this.#state.tail.length > 0,
      );
    }
  }

  #bytes(bytes: Uint8Array, whole: boolean): void {
    this.#text(this.#utf8.push(bytes));
    if (whole) this.#text(this.#utf8.end());
  }

  #spoken(text: string): void {
    this.#state.spoken += text;
  }

  #marker(meaning: number, id: number, index: number, endIndex: number): void {
    if (meaning === UNKNOWN_ID) {
      // No text belongs to an id outside the vocabulary; a replacement character keeps its place.
      if (this.#state.mode !== "doubt") this.#text("\uFFFD");
      return;
    }
    if (meaning === STOP) {
      this.#state.index = index;
      this.#close();
      this.#state.index = endIndex;
      this.#state.stop = { id, index };
      this.#events.push({ kind: "stop", id, index });
      this.#state.mode = "stopped";
      return;
    }
    const text = id < 0 ? "" : this.#tokenizer.decode([id]);
    if (meaning === ATOM) this.#atom(id, text);
    else if (this.#state.mode === "doubt") this.#readWaitingAsReasoning();
    else if (this.#state.mode === "reasoning" && meaning !== REASONING_CLOSE) {
      this.#state.mode = "doubt";
      this.#state.waiting.push(id);
    } else if (meaning === SECTION_CLOSE && this.#state.call?.doubt) this.#takeFirstClose();
    else if (meaning === CALL_CLOSE) this.#closeCall(text, endIndex);
    else {
      if (meaning === SECTION_CLOSE) this.#breakOffCall(index);
      this.#spoken(text);
      this.#change(meaning, index, endIndex);
    }
  }

  #change(meaning: number, index: number, endIndex: number): void {
    if (meaning === REASONING_OPEN) this.#openReasoning();
    else if (meaning === REASONING_CLOSE) this.#endReasoning();
    else if (meaning === SECTION_OPEN) this.#openSection(index);
    else if (meaning === SECTION_CLOSE) this.#closeSection(endIndex);
    else if (meaning === CALL_OPEN) this.#openCall(index);
  }

  #text(text: string): void {
    if (text === "") return;
    this.#spoken(text);
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

  #openReasoning(): void {
    const held = this.#takeHeld();
    if (this.#state.mode === "content") this.#report("content", held);
    this.#state.reasoning = { text: this.#state.reasoning?.text ?? "", complete: false };
    this.#state.lead = "";
    this.#state.mode = "reasoning";
  }

  #reasoningText(text: string): void {
    const reasoning = this.#state.reasoning;
    const padding = this.#grammar.reasoning?.padding ?? "";
    if (!reasoning) return;
    const isStart = reasoning.text === "" && this.#state.held === "";
    const fresh = isStart ? this.#dropLead(text, padding) : this.#takeHeld() + text;
    const end = this.#grammar.reasoning?.exact ? fresh.length - overlap(fresh, padding) : trimmedEnd(fresh, padding);
    this.#state.held = fresh.slice(end);
    this.#report("reasoning", fresh.slice(0, end));
  }

  #endReasoning(): void {
    this.#callsAreText = false;
    this.#endPadding();
    if (this.#state.reasoning) this.#state.reasoning.complete = true;
    this.#state.lead = "";
    this.#events.push({ kind: "reasoningEnd" });
    this.#state.mode = "content";
  }

  /** White space at the reasoning's end is the format's, or to be exact one padding is. */
  #endPadding(): void {
    const held = this.#takeHeld();
    const grammar = this.#grammar.reasoning;
    if (grammar?.exact && held !== grammar.padding) this.#report("reasoning", held);
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

  /** Drops what the format writes at a part's start. */
  #dropLead(text: string, characters: string): string {
    const { lead } = this.#state;
    const isDropped = this.#grammar.reasoning?.exact
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

  #openSection(index: number): void {
    this.#endContent();
    this.#state.section = { start: index, calls: this.#state.calls.length };
    this.#state.mode = "section";
  }

  /** Text of a section that belongs to no call is kept as a call that cannot be read. */
  #endSectionText(end: number, status: "malformed_structure" | "unclosed_block"): void {
    const section = this.#state.section;
    const raw = pythonStrip(this.#takeHeld());
    const isEmpty = section?.calls === this.#state.calls.length;
    if (!section || (raw === "" && !isEmpty)) return;
    this.#events.push({ kind: "toolCallStart", index: this.#state.calls.length });
    if (raw !== "") this.#events.push({ kind: "toolCallDelta", index: this.#state.calls.length, text: raw });
    this.#finishCall({ ...UNREAD, status }, raw, section.start, end);
  }

  #closeSection(endIndex: number): void {
    this.#endSectionText(endIndex, "malformed_structure");
    this.#state.section = null;
    this.#state.mode = "after";
  }

  #openCall(index: number): void {
    const { section } = this.#state;
    if (!section) this.#endContent();
    else if (!isBlank(this.#state.held)) this.#endSectionText(index, "malformed_structure");
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

  #atom(id: number, text: string): void {
    const start = this.#state.call?.text.length ?? 0;
    this.#state.call?.atoms.push({ id, start, end: start + text.length });
    this.#text(text);
  }

  #closeCall(marker: string, endIndex: number): void {
    const grammar = this.#grammar.calls;
    const { call } = this.#state;
    if (!grammar || !call) return;
    const reading = grammar.body(call, this.#tools);
    if (call.doubt ? !isReadable(reading) : grammar.endsInside?.(call) && marker !== "" && !this.#firstCloseCounts) {
      call.doubt ??= {
        length: call.text.length,
        atoms: call.atoms.length,
        index: endIndex,
        spoken: this.#state.spoken.length + marker.length,
      };
      this.#text(marker);
      return;
    }
    if (call.doubt) {
      const text = call.text.slice(call.doubt.length);
      this.#events.push({ kind: "toolCallDelta", index: this.#state.calls.length, text });
      this.#state.waiting = [];
    }
    this.#spoken(marker || "");
    this.#finishCall(reading, call.text, call.start, endIndex);
    this.#state.mode = this.#state.section ? "section" : "after";
  }

  #finishCall(reading: CallReading, text: string, start: number, end: number): void {
    const call = { ...reading, raw: pythonStrip(text), tokenSpan: [start, end] as const };
    this.#events.push({ kind: "toolCallEnd", index: this.#state.calls.length, call });
    this.#state.calls.push(call);
    this.#state.call = null;
  }

  /** The call in hand ends without its marker, before this id. */
  #breakOffCall(index: number): void {
    const { call } = this.#state;
    if (!call) return;
    this.#finishCall({ ...UNREAD, status: "unclosed_block" }, call.text, call.start, index);
    this.#state.mode = this.#state.section ? "section" : "after";
  }

  /** No later marker closed the call: the first one was meant, and what stood after it is read again. */
  #takeFirstClose(): void {
    const { call } = this.#state;
    if (!call?.doubt || !this.#grammar.calls) return;
    const { doubt } = call;
    const whole = { text: call.text.slice(0, doubt.length), atoms: call.atoms.slice(0, doubt.atoms) };
    this.#finishCall(this.#grammar.calls.body(whole, this.#tools), whole.text, call.start, doubt.index);
    this.#state.spoken = this.#state.spoken.slice(0, doubt.spoken);
    this.#state.mode = this.#state.section ? "section" : "after";
    this.#state.tail = [];
    this.#firstCloseCounts = true;
    this.#readWaiting();
    this.#firstCloseCounts = false;
  }

  /** The turn ends, by a stop or because there is no more: closes what is open. */
  #close(): void {
    while (this.#state.mode === "doubt") this.#reasoningForgotten();
    this.#flush();
    while (this.#state.call?.doubt) {
      this.#takeFirstClose();
      this.#flush();
    }
    const { index } = this.#state;
    this.#breakOffCall(index);
    if (this.#state.mode === "section") this.#endSectionText(index, "unclosed_block");
    else if (this.#state.mode === "reasoning") this.#endPadding();
    else if (this.#state.mode === "after") this.#state.held = "";
    else this.#report("content", this.#takeHeld());
  }

  /** What waited for more bytes is text. */
  #flush(): void {
    this.#run(new Int32Array(0), true);
  }

  /** The call in the reasoning was meant: the reasoning ended before it, and the ids that waited are read as calls. */
  #reasoningForgotten(): void {
    this.#state.tail = [];
    this.#endReasoning();
    this.#readWaiting();
  }

  /** The call was only talked about: the reasoning goes on to its closing marker. */
  #readWaitingAsReasoning(): void {
    this.#state.mode = "reasoning";
    this.#callsAreText = true;
    this.#readWaiting();
    this.#callsAreText = false;
  }

  #readWaiting(): void {
    const ids = Int32Array.from(this.#state.waiting);
    this.#state.waiting = [];
    this.#state.index -= ids.length;
    this.#read(ids);
  }
}

function isReadable({ status }: CallReading): boolean {
  return status === "ok" || status === "unknown_tool" || status === "ambiguous_arguments";
}
