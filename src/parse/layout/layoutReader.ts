import { isPythonSpace, pythonStrip } from "../../messages/index.ts";
import { parsePlainJson } from "../calls/json.ts";

import { knownStatus } from "../status.ts";
import type { KnownTool, ParsedToolCall, ParserEvent, Reasoning, StrayMarker } from "../types.ts";
import { type CallReader, readCall } from "./callReader.ts";
import { type CompiledLayout, compileLayout, type PartMarker } from "./compile.ts";
import { closedJson, findPart } from "./jsonWriter.ts";
import type { LayoutBeginning, ResponseLayout } from "./layout.ts";
import type { CallState, ReadingState } from "./layoutState.ts";
import { afterSpace, MORE, matchAt, matchedPieces, NO, type Pattern, type Waiting } from "./pieces.ts";

export interface LayoutReaderOptions {
  readonly beginning: LayoutBeginning;
  /** Tools by name; null: then no name is unknown. */
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  /** `none`: reasoning is content, with its markers. Default `auto`. */
  readonly reasoningFormat?: "auto" | "none" | undefined;
  /** The content is JSON: there are no calls, and a fence around it is taken off. */
  readonly responseFormat?: { readonly type: string } | undefined;
  /** Go on from here. */
  readonly state?: ReadingState | undefined;
  /** Where the token stands that holds the character at this place. Default: the place itself. */
  readonly tokenAt?: ((place: number) => number) | undefined;
}

export interface LayoutReading {
  readonly content: string;
  readonly reasoning: Reasoning | null;
  readonly toolCalls: readonly ParsedToolCall[];
  readonly strays: readonly StrayMarker[];
  /** All text that was read. */
  readonly spoken: string;
}

/** Text that is read twice, at most, as a multiple of all text. */
const maxReread = 16;

const initialState = (): ReadingState => ({
  mode: "outside",
  buf: "",
  pos: 0,
  atoms: null,
  gap: "",
  trim: null,
  held: "",
  wrapped: false,
  reasoned: false,
  said: false,
  afterGlue: false,
  afterCalls: false,
  inSection: false,
  fence: "none",
  fenceText: "",
  content: "",
  reasoning: null,
  calls: [],
  call: null,
  strays: [],
  reread: 0,
  spoken: "",
});

/** Reads a response's text by its layout, piece by piece. Nothing that it reported is taken back. */
export class LayoutReader {
  readonly #layout: CompiledLayout;
  readonly #options: LayoutReaderOptions;
  readonly #state: ReadingState & Waiting;
  readonly #calls: CallReader | null;
  readonly #outside: readonly PartMarker[];
  readonly #inside: readonly PartMarker[];
  readonly #readsReasoning: boolean;
  #events: ParserEvent[] = [];

  constructor(layout: CompiledLayout, options: LayoutReaderOptions) {
    this.#layout = layout;
    this.#options = options;
    this.#readsReasoning = layout.reasoning !== null && options.reasoningFormat !== "none";
    const isJson = options.responseFormat !== undefined && options.responseFormat.type !== "text";
    const hasTools = options.tools === null || options.tools.size > 0;
    const readsCalls = layout.calls !== null && !isJson;
    const heeded = ({ kind }: PartMarker): boolean => {
      if (kind === "lateCall") return readsCalls && options.tools !== null;
      if (kind === "call" || kind === "sectionClose") return readsCalls;
      return kind === "reasoning" || kind === "strayClose" ? this.#readsReasoning : true;
    };
    this.#outside = layout.outside.filter(heeded);
    this.#inside = layout.inside.filter(heeded);
    const state = options.state ? structuredClone(options.state) : initialState();
    this.#state = { ...state, eof: false };
    this.#calls =
      readsCalls && layout.calls && (hasTools || !layout.calls.bare)
        ? {
            state: this.#state,
            calls: layout.calls,
            tools: options.tools,
            events: this.#events,
            commit: () => this.#commit(),
            followers: [...layout.glue, layout.end],
          }
        : null;
    if (!options.state) this.#begin(isJson);
  }

  get state(): ReadingState {
    const { eof: _, ...state } = this.#state;
    return structuredClone(state);
  }

  /** Text before this place is no longer asked for. */
  get from(): number {
    const { call, pos } = this.#state;
    return call && !call.committed ? call.from : pos;
  }

  /** `atoms`: where added tokens stand in the text, if it comes from ids. */
  push(text: string, atoms?: readonly (readonly [start: number, end: number])[]): ParserEvent[] {
    const state = this.#state;
    if (atoms) {
      const offset = state.pos + state.buf.length;
      state.atoms ??= [];
      for (const [start, end] of atoms) state.atoms.push([offset + start, offset + end]);
    }
    if (text !== "" && state.mode !== "over") {
      state.buf += text;
      state.spoken += text;
      this.#run();
    }
    if (state.atoms && state.atoms.length > 0 && state.atoms[0][1] <= this.from) {
      const { from } = this;
      state.atoms = state.atoms.filter(([, end]) => end > from);
    }
    return this.#events.splice(0);
  }

  end(): { readonly events: ParserEvent[]; readonly reading: LayoutReading } {
    const state = this.#state;
    if (state.mode !== "over") {
      state.eof = true;
      this.#run();
      while (state.mode === "call") this.#breakOff();
      this.#finish();
      state.mode = "over";
    }
    const { content, reasoning, calls: toolCalls, strays, spoken } = state;
    return { events: this.#events.splice(0), reading: { content, reasoning, toolCalls, strays, spoken } };
  }

  #begin(isJson: boolean): void {
    const state = this.#state;
    const { beginning } = this.#options;
    if (isJson) state.fence = "unknown";
    if (beginning.in === "reasoning" && this.#readsReasoning) this.#openReasoning(null);
    else if (beginning.in === "content") this.#openContent(true, null);
    else if (beginning.in === "glue") state.afterGlue = true;
    else if (beginning.in === "start" && beginning.closed) state.reasoned = true;
  }

  #run(): void {
    const { mode } = this.#state;
    for (let goes = mode !== "over"; goes; ) {
      switch (this.#state.mode) {
        case "outside":
          goes = this.#readOutside();
          break;
        case "reasoning":
          goes = this.#readReasoning();
          break;
        case "call":
          goes = this.#readCall();
          break;
        case "between":
          goes = this.#readBetween();
          break;
        default:
          goes = this.#readContent();
      }
    }
  }

  #take(length: number): string {
    const state = this.#state;
    const text = state.buf.slice(0, length);
    state.buf = state.buf.slice(length);
    state.pos += length;
    return text;
  }

  /** The marker that stands at `at`, the longest one; `MORE` if that depends on what follows. */
  #markerAt(
    markers: readonly PartMarker[],
    at: number,
  ): { readonly marker: PartMarker; readonly end: number; readonly start: number } | typeof NO | typeof MORE {
    for (const marker of markers) {
      if (!this.#isHeeded(marker)) continue;
      const start = matchAt(this.#state, at, marker.prefix);
      const end = start >= 0 ? matchAt(this.#state, start, marker.pattern) : start;
      if (end === MORE) return MORE;
      if (end >= 0 && !(marker.kind === "lateCall" && this.#followsOpener(start))) return { marker, start, end };
    }
    return NO;
  }

  /** The marker that is missing stands there, but as text: spelled with other tokens, it is only talked about. */
  #followsOpener(at: number): boolean {
    const { calls } = this.#layout;
    const missing = calls?.section?.open.text.trim() ?? calls?.first.pieces[0]?.text ?? "";
    const place = this.#state.pos + at;
    const before = this.#state.spoken.slice(Math.max(0, place - missing.length - 64), place);
    return before.trimEnd().endsWith(missing);
  }

  #isHeeded({ kind, prefix }: PartMarker): boolean {
    const { mode, reasoned, said, wrapped, reasoning } = this.#state;
    switch (kind) {
      case "reasoning":
        return (
          (!reasoned && !said) ||
          this.#layout.layout.reasoning?.repeats === true ||
          (prefix.pieces.length > 0 && !reasoned)
        );
      case "strayClose":
        return mode === "outside" && ((!said && reasoning === null) || this.#layout.layout.reasoning?.repeats === true);
      case "contentClose":
        return wrapped;
      case "glue":
        return mode === "outside" || !wrapped || this.#layout.content.close.pieces.length === 0;
      case "call":
      case "lateCall":
        return this.#calls !== null;
      case "sectionClose":
        return this.#state.afterCalls;
      default:
        return mode === "outside" || !wrapped || prefix.pieces.length > 0;
    }
  }

  #readOutside(): boolean {
    const state = this.#state;
    const space = this.#spaces();
    if (space > 0) state.gap += this.#take(space);
    if (state.buf === "") return false;
    const found = this.#markerAt(this.#outside, 0);
    if (found === MORE) return false;
    if (found !== NO) {
      this.#openPart(found);
      return true;
    }
    const calls = this.#calls;
    const { layout, reasoning } = this.#layout;
    const isFirst = !state.said && state.calls.length === 0;
    if (calls?.calls.bare && (isFirst || state.afterCalls)) {
      const at = state.afterCalls && state.buf[0] === ";" ? afterSpace(state, 1) : 0;
      if (at === MORE || (at > 0 && at >= state.buf.length && !state.eof)) return false;
      if (state.buf[at] === "{") {
        this.#openCall({ start: at, end: at, marker: null });
        return true;
      }
    }
    if (
      calls &&
      state.afterGlue &&
      calls.calls.section === null &&
      calls.calls.first.pieces.length === 0 &&
      !calls.calls.bare
    ) {
      this.#openCall({ start: 0, end: 0, marker: null });
      return true;
    }
    const isImplied =
      reasoning !== null && this.#readsReasoning && (layout.reasoning?.implied || layout.reasoning?.open === "");
    if (isImplied && !state.reasoned && isFirst) {
      state.mode = "implied";
      state.held = state.gap;
      state.gap = "";
      return true;
    }
    this.#openContent(false, state.trim);
    return true;
  }

  #spaces(): number {
    const { buf } = this.#state;
    let end = 0;
    while (end < buf.length && isPythonSpace(buf.charCodeAt(end))) end++;
    return end;
  }

  #openPart({
    marker,
    start,
    end,
  }: {
    readonly marker: PartMarker;
    readonly start: number;
    readonly end: number;
  }): void {
    const state = this.#state;
    const { kind, pattern } = marker;
    if (kind === "call" || kind === "lateCall") {
      this.#openCall({ start, end, marker });
      return;
    }
    this.#take(end);
    state.afterGlue = false;
    if (kind === "reasoning") this.#openReasoning(pattern.trail);
    else if (kind === "content") {
      state.gap = "";
      this.#openContent(true, pattern.trail);
    } else {
      state.mode = "outside";
      state.gap = "";
      if (kind === "glue") state.afterGlue = true;
      else {
        state.trim = pattern.trail;
        if (kind === "strayClose") state.reasoned = true;
      }
      if (kind === "contentClose") state.wrapped = false;
    }
  }

  #openReasoning(trim: string | null): void {
    const state = this.#state;
    state.mode = "reasoning";
    state.reasoned = true;
    state.gap = "";
    state.trim = trim;
    state.wrapped = false;
    if (!state.reasoning) state.reasoning = { text: "", complete: false };
    else state.reasoning.complete = false;
  }

  /** White space before it is in the gap. */
  #openContent(isWrapped: boolean, trim: string | null): void {
    const state = this.#state;
    state.mode = "content";
    state.wrapped = isWrapped;
    state.afterGlue = false;
    state.trim = trim === "" ? null : trim;
    // Behind calls white space separates, unless content belongs there.
    if (state.afterCalls && !isWrapped && !this.#layout.layout.content.afterCalls) state.gap = "";
    state.afterCalls = false;
  }

  #openCall({
    start,
    end,
    marker,
  }: {
    readonly start: number;
    readonly end: number;
    readonly marker: PartMarker | null;
  }): void {
    const state = this.#state;
    const calls = this.#calls?.calls;
    if (!calls) return;
    const isLate = marker?.kind === "lateCall";
    const inSection = calls.section !== null && !isLate;
    const from = state.pos;
    const past = this.#take(end);
    const skipsFirst = !inSection && calls.first.pieces.length > 0;
    const resume = state.mode === "implied" ? "implied" : state.mode === "content" ? "content" : "outside";
    state.mode = "call";
    state.call = newCall({
      from,
      past,
      markerLength: past.length,
      resume,
      element: skipsFirst ? 1 : 0,
      start: inSection ? -1 : from + start,
      isLate,
      // A bound on what is read twice keeps the cost linear.
      isLimited: state.reread > maxReread * (from + 1024),
    });
    if (marker === null) state.call.markerLength = start === 0 ? 0 : past.length;
  }

  #readReasoning(): boolean {
    const state = this.#state;
    const close = this.#layout.reasoning?.close;
    if (!close) return false;
    const found = this.#scan([close]);
    if (found === null) return false;
    const { text, at } = found;
    this.#speak(text, (said) => this.#addReasoning(said));
    if (at === NO) return false;
    const gap = state.gap.endsWith(close.lead) ? state.gap.slice(0, state.gap.length - close.lead.length) : state.gap;
    if (state.trim !== null) this.#begun(gap, (said) => this.#addReasoning(said));
    else this.#addReasoning(gap);
    this.#take(at);
    this.#endReasoning(close.trail);
    return true;
  }

  #addReasoning(text: string): void {
    const { reasoning } = this.#state;
    if (text === "" || !reasoning) return;
    reasoning.text += text;
    this.#events.push({ kind: "reasoning", text });
  }

  #endReasoning(trim: string): void {
    const state = this.#state;
    if (state.reasoning) state.reasoning.complete = true;
    this.#events.push({ kind: "reasoningEnd" });
    state.mode = "outside";
    state.gap = "";
    state.trim = trim;
    state.afterGlue = this.#layout.glue.length > 0;
  }

  /**
   * Text up to the first pattern, which then stands at the buffer's start and is `at` long (`NO`: none in sight). Null: nothing
   * to read.
   */
  #scan(patterns: readonly Pattern[]): { readonly text: string; readonly at: number } | null {
    const state = this.#state;
    const firsts = patterns.flatMap(({ pieces }) => pieces.slice(0, 1).map(({ text }) => text));
    for (let at = 0; ; ) {
      let found = state.buf.length;
      for (const first of firsts) found = Math.min(found, findPart(state.buf, first, at));
      if (found >= state.buf.length) return state.buf === "" ? null : { text: this.#take(found), at: NO };
      let end = NO;
      for (const pattern of patterns) {
        const one = matchAt(state, found, pattern);
        if (one === MORE && end < 0) end = MORE;
        else if (one >= 0) end = Math.max(one, end);
      }
      if (end === MORE) return found === 0 ? null : { text: this.#take(found), at: NO };
      if (end >= 0) return { text: this.#take(found), at: end - found };
      at = found + 1;
    }
  }

  /** Text of a part. White space at its end waits, as it may be the layout's. */
  #speak(text: string, add: (text: string) => void): void {
    const state = this.#state;
    let end = text.length;
    while (end > 0 && isPythonSpace(text.charCodeAt(end - 1))) end--;
    if (end > 0) {
      const before = state.gap;
      state.gap = "";
      if (state.trim !== null) {
        let start = 0;
        while (isPythonSpace(text.charCodeAt(start))) start++;
        this.#begun(before + text.slice(0, start), add);
        add(text.slice(start, end));
      } else add(before + text.slice(0, end));
    }
    state.gap += text.slice(end);
  }

  /** White space at a part's start: the layout's own is taken off, or else all of it, being another amount of the same. */
  #begun(space: string, add: (text: string) => void): void {
    const state = this.#state;
    const trim = state.trim ?? "";
    state.trim = null;
    if (space.startsWith(trim)) add(space.slice(trim.length));
  }

  #addContent(text: string): void {
    const state = this.#state;
    if (text === "") return;
    state.said = true;
    if (state.fence !== "none") {
      state.fenceText += text;
      this.#readFence();
      return;
    }
    state.content += text;
    this.#events.push({ kind: "content", text });
  }

  /** A fence around JSON is taken off. Its end can only be told when the response is over. */
  #readFence(): void {
    const state = this.#state;
    const text = state.fenceText;
    if (state.fence === "unknown") {
      const opening = /^\s*```(?:json)?[ \t]*\n/.exec(text);
      if (opening) {
        state.fence = "open";
        state.fenceText = text.slice(opening[0].length);
        this.#readFence();
      } else if (state.eof || !/^\s*(?:`{0,2}|```(?:j|js|jso|json)?[ \t]*)$/.test(text)) {
        state.fence = "none";
        state.fenceText = "";
        this.#addContent(text);
      }
      return;
    }
    const end = state.eof ? /\s*```\s*$/.exec(text) : null;
    const held = /\s*(?:`{1,3}\s*)?$/.exec(text.slice(-256))?.[0].length ?? 0;
    const sure = end ? text.slice(0, end.index) : state.eof ? text : text.slice(0, text.length - held);
    state.fenceText = state.eof ? "" : text.slice(sure.length);
    if (sure === "") return;
    state.content += sure;
    this.#events.push({ kind: "content", text: sure });
  }

  #readContent(): boolean {
    const state = this.#state;
    const isImplied = state.mode === "implied";
    const close = this.#layout.reasoning?.close;
    const markers = this.#inside;
    const add = (text: string) => this.#sayOrHold(text);
    for (let at = 0; ; ) {
      const found = this.#firstOf(markers, isImplied && close ? close : null, at);
      const marker =
        found < state.buf.length
          ? this.#markerAt(
              isImplied ? markers.filter(({ kind }) => kind === "call" || kind === "lateCall") : markers,
              found,
            )
          : NO;
      const closes = isImplied && close && found < state.buf.length ? matchAt(state, found, close) : NO;
      if (closes >= 0 && close) {
        state.held += state.gap + this.#take(found);
        state.gap = "";
        this.#take(closes - found);
        this.#impliedReasoning(close);
        return true;
      }
      if (marker === NO && closes === NO && found < state.buf.length) {
        at = found + 1;
        continue;
      }
      if (state.buf !== "") this.#speak(this.#take(found), add);
      if (typeof marker === "number" || closes === MORE) return false;
      this.#openPartInside({ marker: marker.marker, start: marker.start - found, end: marker.end - found });
      return true;
    }
  }

  /** Where something stands that may be a marker. */
  #firstOf(markers: readonly PartMarker[], close: Pattern | null, from: number): number {
    const { buf } = this.#state;
    let found = buf.length;
    const seen = new Set<string>();
    for (const marker of markers) {
      const first = marker.prefix.pieces[0]?.text ?? marker.pattern.pieces[0]?.text;
      if (first === undefined || seen.has(first) || !this.#isHeeded(marker)) continue;
      seen.add(first);
      found = Math.min(found, findPart(buf, first, from));
    }
    return close?.pieces[0] ? Math.min(found, findPart(buf, close.pieces[0].text, from)) : found;
  }

  #sayOrHold(text: string): void {
    const state = this.#state;
    if (state.mode === "implied") state.held += text;
    else this.#addContent(text);
  }

  #impliedReasoning(close: Pattern): void {
    const state = this.#state;
    const { held } = state;
    state.held = "";
    state.reasoned = true;
    state.reasoning = { text: "", complete: false };
    state.trim = null;
    this.#addReasoning(held.endsWith(close.lead) ? held.slice(0, held.length - close.lead.length) : held);
    this.#endReasoning(close.trail);
  }

  #openPartInside(found: { readonly marker: PartMarker; readonly start: number; readonly end: number }): void {
    const state = this.#state;
    const { kind } = found.marker;
    if (kind === "call" || kind === "lateCall") {
      this.#openCall(found);
      return;
    }
    const { close } = this.#layout.content;
    const edge = kind === "contentClose" ? close.lead : "";
    this.#endContent(edge);
    this.#openPart(found);
    state.said = true;
  }

  /** Content is over: white space that the layout writes behind it is taken off. */
  #endContent(edge: string): void {
    const state = this.#state;
    const { gap } = state;
    state.gap = "";
    const said = gap.endsWith(edge) ? gap.slice(0, gap.length - edge.length) : "";
    if (state.trim !== null) this.#begun(said, (text) => this.#addContent(text));
    else this.#addContent(said);
  }

  #readCall(): boolean {
    const reader = this.#calls;
    const state = this.#state;
    if (!reader || !state.call) return false;
    const { call } = state;
    if (call.firstId === -1 && state.buf !== "") {
      const space = this.#spaces();
      if (space < state.buf.length) call.firstId = state.pos + space;
    }
    const outcome = readCall(reader);
    if (outcome === "more") return false;
    if (outcome === "fail") this.#noCall();
    else this.#endCall(true);
    return true;
  }

  /** The call is certain. */
  #commit(): void {
    const state = this.#state;
    const { call } = state;
    if (!call || call.committed) return;
    call.committed = true;
    call.past = "";
    const { lead } = this.#layout;
    if (call.resume === "implied") {
      const { held } = state;
      state.held = "";
      if (held.trim() !== "" || state.gap.trim() !== "") this.#addContent(held);
      else state.gap = "";
    }
    if (call.resume === "content" || call.resume === "implied") {
      if (state.content === "" && state.trim === null && state.fence === "none") state.gap = "";
      this.#endContent(lead.pieces.length === 0 ? lead.text : lead.lead);
    }
    state.gap = "";
    state.trim = null;
    state.said = true;
    state.reasoned = true;
    const index = state.calls.length;
    call.firstId = this.#tokenAt(call.firstId < 0 ? call.from : call.firstId);
    this.#events.push({ kind: "toolCallStart", index });
    if (call.unreported !== "") this.#events.push({ kind: "toolCallDelta", index, text: call.unreported });
    this.#events.push({ kind: "toolCallName", index, name: call.name ?? "" });
    if (call.unreportedArgs !== "") this.#events.push({ kind: "toolCallArguments", index, text: call.unreportedArgs });
    call.unreported = "";
    call.unreportedArgs = "";
    state.inSection = this.#layout.calls?.section != null && !call.isLate;
  }

  #tokenAt(place: number): number {
    return this.#options.tokenAt?.(place) ?? place;
  }

  /** What began like a call is none: its marker is content, and so is what follows, unless another call begins there. */
  #noCall(): void {
    const state = this.#state;
    const { call } = state;
    if (!call) return;
    const whole = call.past.slice(0, call.markerLength).trim();
    // Its first character alone: a marker may begin with the end of what looked like one (`>` and `>>>`).
    const marker = String.fromCodePoint(call.past.codePointAt(0) ?? 0).slice(0, call.markerLength);
    const rest = call.past.slice(marker.length);
    state.buf = rest + state.buf;
    state.pos = call.from + marker.length;
    state.reread += rest.length;
    state.call = null;
    if (whole !== "") {
      const end = call.from + call.markerLength;
      const [first, last] = [this.#tokenAt(call.from), this.#tokenAt(Math.max(call.from, end - 1))];
      state.strays.push({
        marker: whole,
        tokenSpan: [first, last + 1],
        reason: call.name !== null && this.#options.tools?.has(call.name) === false ? "unknown_tool" : "no_call",
      });
    }
    if (call.resume === "implied") {
      state.mode = "implied";
      state.held += state.gap + marker;
      state.gap = "";
      return;
    }
    if (call.resume !== "content") this.#openContent(false, call.resume === "between" ? null : state.trim);
    state.mode = "content";
    state.inSection = false;
    this.#speak(marker, (text) => this.#addContent(text));
  }

  #endCall(isClosed: boolean): void {
    const state = this.#state;
    const { call } = state;
    if (!call) return;
    const value = isClosed ? parsePlainJson(call.args) : undefined;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    const name = call.name ?? "";
    const known = knownStatus(name, this.#options.tools);
    const damaged = call.lost || value === undefined;
    const status = !isClosed
      ? "unclosed_block"
      : damaged
        ? value === undefined
          ? "invalid_json"
          : "malformed_structure"
        : !isObject
          ? "malformed_structure"
          : known === "ok"
            ? call.status
            : known;
    const parsed: ParsedToolCall = {
      name,
      arguments: value === undefined ? null : value,
      argumentsText: value === undefined ? null : call.args,
      id: call.id,
      status,
      ...(isClosed || call.args === "" ? {} : { partialArguments: closedJson(call.args) }),
      raw: pythonStrip(call.raw),
      tokenSpan: [call.firstId, this.#tokenAt(Math.max(0, state.pos - 1)) + 1],
    };
    this.#events.push({ kind: "toolCallEnd", index: state.calls.length, call: parsed });
    state.calls.push(parsed);
    state.call = null;
    state.gap = "";
    state.trim = null;
    state.mode = state.inSection ? "between" : "outside";
    state.afterCalls = true;
    state.afterGlue = false;
    state.wrapped = false;
  }

  /** In the section, behind a call. */
  #readBetween(): boolean {
    const state = this.#state;
    const calls = this.#layout.calls;
    if (!calls?.section) return false;
    const start = afterSpace(state, 0);
    if (start === MORE || state.buf.length === start) return false;
    const close = calls.section.close.pieces.length > 0 ? matchAt(state, 0, calls.section.close) : NO;
    if (close >= 0) {
      this.#take(close);
      this.#leaveSection();
      return true;
    }
    const separated = calls.separator.pieces.length > 0 ? matchAt(state, 0, calls.separator) : NO;
    const first = calls.first.pieces.length > 0 ? matchAt(state, 0, calls.first) : NO;
    if (close === MORE || separated === MORE || (first === MORE && separated < 0)) return false;
    const begins = separated >= 0 ? separated : first >= 0 ? 0 : NO;
    const isBare = calls.first.pieces.length === 0 && calls.separator.pieces.length === 0;
    if (begins === NO && !(isBare && "{[".includes(state.buf[start]))) {
      this.#leaveSection();
      return true;
    }
    const from = state.pos;
    const past = this.#take(Math.max(begins, 0));
    state.mode = "call";
    state.call = newCall({
      from,
      past,
      markerLength: past.length,
      resume: "between",
      element: 0,
      start: -1,
      isLate: false,
      isLimited: false,
    });
    return true;
  }

  #leaveSection(): void {
    const state = this.#state;
    state.inSection = false;
    state.mode = "outside";
    state.gap = "";
  }

  /** The response is over inside a call. */
  #breakOff(): void {
    const { call } = this.#state;
    if (call?.committed) {
      const { buf } = this.#state;
      if (buf !== "") {
        // What could not be read any more is raw text.
        call.raw += buf;
        this.#events.push({ kind: "toolCallDelta", index: this.#state.calls.length, text: buf });
        this.#take(buf.length);
      }
      this.#endCall(this.#isComplete(call));
      this.#state.mode = "over";
      return;
    }
    this.#noCall();
    this.#run();
  }

  /** A damaged call of a format without closing marker is over with the response. */
  #isComplete(call: CallState): boolean {
    const last = this.#layout.calls?.elements.at(-1);
    return call.lost && last?.kind !== "text";
  }

  #finish(): void {
    const state = this.#state;
    const { end, content } = this.#layout;
    const add = (text: string) => this.#addContent(text);
    if (state.mode === "reasoning") {
      const close = this.#layout.reasoning?.close;
      if (close && state.buf !== "" && matchedPieces(state, 0, close) > 0) {
        this.#take(state.buf.length);
        this.#endReasoning("");
      } else {
        const text = state.gap + this.#take(state.buf.length);
        state.gap = "";
        if (state.trim !== null) {
          const start = text.length - text.trimStart().length;
          this.#begun(text.slice(0, start), (said) => this.#addReasoning(said));
          this.#addReasoning(text.slice(start));
        } else this.#addReasoning(text);
      }
    } else if (state.mode === "implied") {
      const text = state.held + state.gap + this.#take(state.buf.length);
      state.held = "";
      state.gap = "";
      state.mode = "content";
      this.#addContent(end.text !== "" && text.endsWith(end.text) ? text.slice(0, -end.text.length) : text);
    } else if (state.mode === "content") {
      this.#speak(this.#take(state.buf.length), add);
      const edge = state.wrapped ? content.close.lead : end.lead;
      if (state.trim !== null) this.#begun(state.gap, add);
      else
        add(edge !== "" && state.gap.endsWith(edge) ? state.gap.slice(0, state.gap.length - edge.length) : state.gap);
      state.gap = "";
    } else if (state.mode === "outside" && !state.afterCalls && !state.wrapped) {
      const gap = state.gap;
      state.gap = "";
      const trim = state.trim ?? "";
      const text = gap.startsWith(trim) ? gap.slice(trim.length) : "";
      if (!state.said && !state.afterGlue)
        add(text.endsWith(end.text) ? text.slice(0, text.length - end.text.length) : text);
    }
    if (state.fence !== "none") this.#readFence();
  }
}

type CallBeginning = Pick<
  CallState,
  "from" | "past" | "markerLength" | "resume" | "element" | "isLate" | "isLimited"
> & { readonly start: number };

function newCall({ from, past, markerLength, resume, element, start, isLate, isLimited }: CallBeginning): CallState {
  return {
    from,
    past,
    markerLength,
    resume,
    element,
    isLate,
    isLimited,
    firstId: start,
    name: null,
    id: null,
    committed: false,
    raw: "",
    unreported: "",
    args: "",
    unreportedArgs: "",
    status: "ok",
    lost: false,
    object: null,
    tagged: null,
    value: null,
  };
}

/** A reader of text by a layout. */
export function layoutReader(layout: ResponseLayout | CompiledLayout, options: LayoutReaderOptions): LayoutReader {
  return new LayoutReader("layout" in layout ? layout : compileLayout(layout), options);
}
