import { pythonStrip } from "../../messages/index.ts";
import type { Ids, Tokenizer } from "../../tokenizer/types.ts";
import { Utf8Stream } from "../../tokens/utf8.ts";
import { isBlank, overlap, trimmedEnd } from "../edges.ts";
import type { CallReading, CallText, TaggedGrammar } from "../grammar.ts";
import type { TurnBeginning } from "../promptState.ts";
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
  TURN_START,
  UNKNOWN_ID,
} from "./markerTable.ts";
import { copyTaggedState, initialTaggedState, type MutableTaggedState, type TaggedState } from "./taggedState.ts";
import { ByteRun } from "./textMarkers.ts";

export interface TaggedParserOptions {
  readonly grammar: TaggedGrammar;
  readonly markers: MarkerTable;
  readonly tokenizer: Tokenizer;
  readonly beginning: TurnBeginning;
  /** Tools by name; null when the caller gave none: then no name is unknown. */
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** Go on from here. */
  readonly state?: TaggedState | undefined;
}

/** A marker or another id that counts, and where its ids stand. */
interface FoundInIds {
  readonly meaning: number;
  /** -1 for a marker of several tokens. */
  readonly id: number;
  /** Of a marker of several tokens; otherwise the id's own. */
  readonly text?: string;
  readonly index: number;
  readonly endIndex: number;
}

const NONE: readonly TextMarker[] = [];
const UNREAD = { name: null, arguments: null, argumentsText: null, id: null } as const;

/** Reads reasoning, content and calls that stand between markers. */
export class TaggedParser implements TokenParser {
  readonly #grammar: TaggedGrammar;
  readonly #markers: MarkerTable;
  readonly #tokenizer: Tokenizer;
  readonly #beginning: TurnBeginning;
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
    this.#beginning = options.beginning;
    this.#tools = options.tools;
    this.#state = options.state ? copyTaggedState(options.state) : initialTaggedState(options.beginning.mode);
    this.#utf8 = new Utf8Stream(this.#state.bytes);
    const { reasoning, calls } = options.grammar;
    const opening = calls?.section?.open ?? calls?.open;
    const ended = reasoning?.endedByCall ?? true;
    this.#callsEndReasoning = ended === "at once" || (ended && opening?.id !== undefined);
    // A prompt that opens reasoning writes the padding, too: what follows is the model's.
    const opens = !options.state && options.beginning.mode === "reasoning";
    if (opens && reasoning?.exact && !reasoning.samplesPadding) this.#state.lead = reasoning.padding;
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
    if (!stopped) this.#close({ atStop: false });
    const { content, reasoning, calls: toolCalls, stop, spoken } = this.#state;
    const parts = { content, reasoning, toolCalls };
    const { mode, written } = this.#beginning;
    const response: ParsedResponse = {
      ...parts,
      stop: stop ? { kind: "stop", ...stop } : { kind: "none" },
      canonical: stopped && written + spoken === this.#grammar.spell(spokenResponse(parts), mode === "reasoning"),
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
      this.#marker({ meaning, id: ids[at], index, endIndex: index + 1 });
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
    const opensCall = opensCalls || (meaning === CALL_OPEN && calls?.section?.optional === true);
    switch (this.#state.mode) {
      case "start":
        return opensCall || meaning === REASONING_OPEN || this.#opensTurn(meaning);
      case "implied":
        if (meaning === REASONING_OPEN || this.#opensTurn(meaning)) return true;
        return meaning === REASONING_CLOSE || (opensCalls && this.#callsEndReasoning);
      case "label":
      case "reasoning":
        if (meaning === REASONING_OPEN) return this.#opensAgain();
        return meaning === REASONING_CLOSE || (opensCalls && this.#callsEndReasoning && !this.#callsAreText);
      case "doubt":
        return meaning === REASONING_CLOSE;
      case "call":
        return meaning === CALL_CLOSE || meaning === ATOM || meaning === SECTION_CLOSE;
      case "section":
        return meaning === CALL_OPEN || meaning === SECTION_CLOSE;
      default:
        return opensCall || (meaning === REASONING_OPEN && reasoning?.repeats === true);
    }
  }

  /** The model begins with the marker that its prompt ends with. */
  #opensAgain(): boolean {
    return this.#grammar.reasoning?.label !== undefined && this.#state.spoken === "";
  }

  #opensTurn(meaning: number): boolean {
    return meaning === TURN_START && this.#state.spoken === "";
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
        const inDoubt = this.#state.call?.doubt != null;
        const text = run.bytes.toString("utf8", found.start, found.end);
        this.#state.index = found.endId;
        this.#marker({ meaning: found.meaning, id: -1, text, index: found.firstId, endIndex: found.endId });
        this.#state.index = end;
        if (!inDoubt) this.#keepForDoubt(run, found.end);
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

  /** A marker inside a token cast doubt on a call: what follows it may have to be read twice. */
  #keepForDoubt(run: ByteRun, end: number): void {
    const doubt = this.#state.call?.doubt;
    if (!doubt) return;
    const { tail, ids } = run.after(end);
    doubt.tail = tail;
    this.#state.waiting = Array.from(ids);
  }

  #bytes(bytes: Uint8Array, whole: boolean): void {
    this.#text(this.#utf8.push(bytes));
    if (whole) this.#text(this.#utf8.end());
  }

  #spoken(text: string): void {
    this.#state.spoken += text;
  }

  #marker({ meaning, id, index, endIndex, ...found }: FoundInIds): void {
    if (meaning === UNKNOWN_ID) {
      // No text belongs to an id outside the vocabulary; a replacement character keeps its place.
      if (this.#state.mode !== "doubt") this.#text("\uFFFD");
      return;
    }
    if (meaning === STOP) {
      this.#state.index = index;
      this.#close({ atStop: true });
      this.#state.index = endIndex;
      this.#state.stop = { id, index };
      this.#events.push({ kind: "stop", id, index });
      this.#state.mode = "stopped";
      return;
    }
    const text = found.text ?? this.#tokenizer.decode([id]);
    const isOpening = meaning === REASONING_OPEN || meaning === TURN_START;
    if (this.#state.mode === "implied" && !isOpening) this.#openReasoning();
    this.#endLabel();
    const endsReasoning = this.#state.mode === "reasoning" && meaning !== REASONING_CLOSE && !isOpening;
    if (meaning === ATOM) this.#atom(id, text);
    else if (this.#state.mode === "doubt") this.#readWaitingAsReasoning();
    else if (endsReasoning && this.#grammar.reasoning?.endedByCall !== "at once") {
      this.#state.mode = "doubt";
      this.#state.waiting.push(id);
    } else if (this.#state.mode === "call" && this.#staysOpen(meaning))
      this.#doubtClose({ meaning, text, index, endIndex });
    else if (meaning === CALL_CLOSE) this.#closeCall(text, endIndex);
    else {
      if (endsReasoning) this.#endReasoning();
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
      case "implied":
        this.#state.held += text;
        if (!isBlank(text)) this.#beginImplied();
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

  #openReasoning(): void {
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
  #endLabel(): void {
    if (this.#state.mode !== "label") return;
    this.#state.mode = "reasoning";
    this.#reasoningText(this.#takeHeld());
  }

  /** The model has left the opening marker out. */
  #beginImplied(): void {
    const { held } = this.#state;
    this.#openReasoning();
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
    const isCut = status === "unclosed_block" && this.#isCutMarker(raw);
    const isKept = isEmpty && this.#grammar.calls?.section?.keepsCut === true;
    if (!section || (isCut && !isKept) || (raw === "" && !isEmpty)) return;
    this.#events.push({ kind: "toolCallStart", index: this.#state.calls.length });
    if (raw !== "") this.#events.push({ kind: "toolCallDelta", index: this.#state.calls.length, text: raw });
    const start = isEmpty ? section.start : (this.#state.calls.at(-1)?.tokenSpan[1] ?? section.start);
    this.#finishCall({ ...UNREAD, status }, raw, Math.min(start, end), end);
  }

  /** The beginning of a marker that the section would go on with, or nothing. */
  #isCutMarker(text: string): boolean {
    const { calls } = this.#grammar;
    return [calls?.open, calls?.section?.close].some((marker) => marker?.text.startsWith(text));
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

  /** Is this closing marker part of the call's text, as far as is known? */
  #staysOpen(meaning: number): boolean {
    const grammar = this.#grammar.calls;
    const { call } = this.#state;
    if (!grammar || !call) return false;
    if (!call.doubt) return grammar.endsInside?.(call) === true && !this.#firstCloseCounts;
    return meaning === SECTION_CLOSE || !isReadable(grammar.body(call, this.#tools));
  }

  #doubtClose({ meaning, text, index, endIndex }: Omit<FoundInIds, "id"> & { readonly text: string }): void {
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
    this.#text(text);
  }

  #closeCall(marker: string, endIndex: number): void {
    const grammar = this.#grammar.calls;
    const { call } = this.#state;
    if (!grammar || !call) return;
    const reading = grammar.body(call, this.#tools);
    if (call.doubt) {
      const text = call.text.slice(call.doubt.length);
      this.#events.push({ kind: "toolCallDelta", index: this.#state.calls.length, text });
      this.#state.waiting = [];
    }
    this.#spoken(marker);
    this.#finishCall(reading, call.text, call.start, endIndex);
    this.#state.mode = this.#state.section ? "section" : "after";
  }

  #finishCall(reading: CallReading, text: string, start: number, end: number): void {
    const call = { ...reading, raw: pythonStrip(text), tokenSpan: [start, end] as const };
    this.#events.push({ kind: "toolCallEnd", index: this.#state.calls.length, call });
    this.#state.calls.push(call);
    this.#state.call = null;
  }

  #unclosed(call: CallText): CallReading {
    return { ...UNREAD, status: "unclosed_block", ...this.#grammar.calls?.unclosed?.(call) };
  }

  /** The call in hand ends without its marker, before this id. */
  #breakOffCall(index: number): void {
    const { call } = this.#state;
    if (!call) return;
    this.#finishCall(this.#unclosed(call), call.text, call.start, index);
    this.#state.mode = this.#state.section ? "section" : "after";
  }

  /** No later marker closed the call: the first one was meant, and what stood after it is read again. */
  #takeFirstClose(): void {
    const { call } = this.#state;
    if (!call?.doubt || !this.#grammar.calls) return;
    const { doubt } = call;
    const whole = { text: call.text.slice(0, doubt.length), atoms: call.atoms.slice(0, doubt.atoms) };
    this.#state.spoken = this.#state.spoken.slice(0, doubt.spoken);
    if (doubt.closes === "section") {
      this.#finishCall(this.#unclosed(whole), whole.text, call.start, doubt.start);
      this.#closeSection(doubt.index);
    } else {
      this.#finishCall(this.#grammar.calls.body(whole, this.#tools), whole.text, call.start, doubt.index);
      this.#state.mode = this.#state.section ? "section" : "after";
    }
    this.#state.tail = [...doubt.tail];
    this.#firstCloseCounts = true;
    this.#readWaiting();
    this.#firstCloseCounts = false;
  }

  /** The turn ends, by a stop or because there is no more: closes what is open. */
  #close({ atStop }: { readonly atStop: boolean }): void {
    while (this.#state.mode === "doubt") this.#reasoningForgotten();
    this.#flush();
    while (this.#state.call?.doubt) {
      this.#takeFirstClose();
      this.#flush();
    }
    const { index } = this.#state;
    if (this.#state.mode === "implied") this.#beginImplied();
    this.#endLabel();
    this.#breakOffCall(index);
    if (this.#state.mode === "section") this.#endSectionText(index, "unclosed_block");
    else if (this.#state.mode === "reasoning") this.#endPadding();
    else if (this.#state.mode === "after") this.#state.held = "";
    else this.#endTurn(atStop);
  }

  /** What the format writes between content and the turn's end is not content. */
  #endTurn(atStop: boolean): void {
    const { lead, trail = "" } = this.#grammar;
    if (this.#state.mode === "start" && lead !== undefined) this.#contentText(this.#takeHeld());
    const held = this.#takeHeld();
    this.#report("content", atStop && held.endsWith(trail) ? held.slice(0, held.length - trail.length) : held);
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
