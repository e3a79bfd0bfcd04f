import type { Ids, Tokenizer } from "../../tokenizer/types.ts";
import { Utf8Stream } from "../../tokens/utf8.ts";
import type { CallReading, TaggedGrammar } from "../grammar.ts";
import type { TurnBeginning } from "../promptState.ts";
import { spokenResponse } from "../spoken.ts";
import { textOfIds } from "../textOfIds.ts";
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
import { type PlacedMarker, TurnParts } from "./turnParts.ts";

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

/** A marker or another id that counts. The text is that of a marker of several tokens, which has no id (-1). */
type FoundInIds = Omit<PlacedMarker, "text"> & { readonly id: number; readonly text?: string };

const NONE: readonly TextMarker[] = [];

/** Reads reasoning, content and calls that stand between markers. */
export class TaggedParser implements TokenParser {
  readonly #grammar: TaggedGrammar;
  readonly #markers: MarkerTable;
  readonly #tokenizer: Tokenizer;
  readonly #beginning: TurnBeginning;
  readonly #tools: ReadonlyMap<string, KnownTool> | null;
  readonly #utf8: Utf8Stream;
  readonly #state: MutableTaggedState;
  readonly #parts: TurnParts;
  /** A call inside reasoning is looked for by its id only, because the ids after it may have to be read twice. */
  readonly #callsEndReasoning: boolean;
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
    this.#parts = new TurnParts({ grammar: options.grammar, tools: options.tools, state: this.#state });
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
    return this.#parts.takeEvents();
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
    return { events: this.#parts.takeEvents(), response };
  }
  #read(ids: Int32Array): void {
    let from = 0;
    for (let at = 0; at < ids.length && this.#state.mode !== "stopped"; at++) {
      const meaning = this.#markers.ofId(ids[at]);
      if (meaning === TEXT) continue;
      // The text before it may change what counts: reasoning opens only at the start, and a marker in the text may have closed it.
      if (this.#heeds(meaning) || this.#textMarkers().length > 0) {
        this.#run(ids.subarray(from, at), true);
        from = at;
      }
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
      this.#parts.text(textOfIds(ids, whole, this.#tokenizer, this.#utf8));
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
    this.#parts.text(this.#utf8.push(bytes));
    if (whole) this.#parts.text(this.#utf8.end());
  }
  #marker({ meaning, id, index, endIndex, ...found }: FoundInIds): void {
    if (meaning === UNKNOWN_ID) {
      // No text belongs to an id outside the vocabulary; a replacement character keeps its place.
      if (this.#state.mode !== "doubt") this.#parts.text("\uFFFD");
      return;
    }
    if (meaning === STOP) {
      this.#state.index = index;
      this.#close({ atStop: true });
      this.#state.index = endIndex;
      this.#parts.stop(id, index);
      return;
    }
    const text = found.text ?? this.#markers.textOf(id);
    const isOpening = meaning === REASONING_OPEN || meaning === TURN_START;
    if (this.#state.mode === "implied" && !isOpening) this.#parts.openReasoning();
    this.#parts.endLabel();
    const endsReasoning = this.#state.mode === "reasoning" && meaning !== REASONING_CLOSE && !isOpening;
    if (meaning === ATOM) this.#parts.atom(id, text);
    else if (this.#state.mode === "doubt") this.#readWaitingAsReasoning();
    else if (endsReasoning && this.#grammar.reasoning?.endedByCall !== "at once") {
      this.#state.mode = "doubt";
      this.#state.waiting.push(id);
    } else if (this.#state.mode === "call" && this.#staysOpen(meaning))
      this.#parts.doubtClose({ meaning, text, index, endIndex });
    else if (meaning === CALL_CLOSE) this.#parts.closeCall(text, endIndex);
    else {
      if (endsReasoning) this.#endReasoning();
      if (meaning === SECTION_CLOSE) this.#parts.breakOffCall(index);
      this.#parts.spoken(text);
      this.#change(meaning, index, endIndex);
    }
  }
  #change(meaning: number, index: number, endIndex: number): void {
    if (meaning === REASONING_OPEN) this.#parts.openReasoning();
    else if (meaning === REASONING_CLOSE) this.#endReasoning();
    else if (meaning === SECTION_OPEN) this.#parts.openSection(index);
    else if (meaning === SECTION_CLOSE) this.#parts.closeSection(endIndex);
    else if (meaning === CALL_OPEN) this.#parts.openCall(index);
  }
  /** Is this closing marker part of the call's text, as far as is known? */
  #staysOpen(meaning: number): boolean {
    const grammar = this.#grammar.calls;
    const { call } = this.#state;
    if (!grammar || !call) return false;
    if (!call.doubt) return grammar.endsInside?.(call) === true && !this.#firstCloseCounts;
    return meaning === SECTION_CLOSE || !isReadable(grammar.body(call, this.#tools));
  }
  /** No later marker closed the call: the first one was meant, and what stood after it is read again. */
  #takeFirstClose(): void {
    const { call } = this.#state;
    if (!call?.doubt || !this.#grammar.calls) return;
    const { doubt } = call;
    const whole = { text: call.text.slice(0, doubt.length), atoms: call.atoms.slice(0, doubt.atoms) };
    this.#state.spoken = this.#state.spoken.slice(0, doubt.spoken);
    if (doubt.closes === "section") {
      this.#parts.finishCall(this.#parts.unclosed(whole), whole.text, call.start, doubt.start);
      this.#parts.closeSection(doubt.index);
    } else {
      this.#parts.finishCall(this.#grammar.calls.body(whole, this.#tools), whole.text, call.start, doubt.index);
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
    if (this.#state.mode === "implied") this.#parts.beginImplied();
    this.#parts.endLabel();
    this.#parts.breakOffCall(index);
    if (this.#state.mode === "section") this.#parts.endSectionText(index, "unclosed_block");
    else if (this.#state.mode === "reasoning") this.#parts.endPadding();
    else if (this.#state.mode === "after") this.#state.held = "";
    else this.#parts.endTurn(atStop);
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

  #endReasoning(): void {
    this.#callsAreText = false;
    this.#parts.endReasoning();
  }
}

function isReadable({ status }: CallReading): boolean {
  return status === "ok" || status === "unknown_tool" || status === "ambiguous_arguments";
}
