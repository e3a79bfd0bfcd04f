import type { ParsedToolCall, ParserEvent, Reasoning, StrayMarker } from "../types.ts";
import { type CompiledLayout, compileLayout, type PartMarker } from "./compile.ts";
import { finishReading } from "./finishReading.ts";
import type { ResponseLayout } from "./layout.ts";
import { initialState, type ReadingState } from "./layoutState.ts";
import { openContent, openReasoning } from "./openParts.ts";
import { readBetween } from "./readBetween.ts";
import { readContent } from "./readContent.ts";
import { readDoubt, settleDoubt } from "./readDoubt.ts";
import { readNothing } from "./readNothing.ts";
import { breakOff, readOpenCall } from "./readOpenCall.ts";
import { readOutside } from "./readOutside.ts";
import { readReasoning } from "./readReasoning.ts";
import type { LayoutReaderOptions, ResponseReader } from "./responseReader.ts";
import { commitCall } from "./settleCall.ts";

export type { LayoutReaderOptions } from "./responseReader.ts";

export interface LayoutReading {
  readonly content: string;
  readonly reasoning: Reasoning | null;
  readonly toolCalls: readonly ParsedToolCall[];
  readonly strays: readonly StrayMarker[];
  /** All text that was read. */
  readonly spoken: string;
}

/** Text is read in steps, so that what is read again is copied with little behind it. */
const maxStep = 1024;

/** Reads a response's text by its layout, piece by piece. Nothing that it reported is taken back. */
export class LayoutReader {
  readonly #reader: ResponseReader;

  constructor(layout: CompiledLayout, options: LayoutReaderOptions) {
    this.#reader = readerOf(layout, options);
    if (!options.state) begin(this.#reader);
  }

  get state(): ReadingState {
    return structuredClone(this.#reader.state);
  }

  /** Text before this place is no longer asked for. */
  get from(): number {
    const { call, doubt, pos } = this.#reader.state;
    if (doubt) return doubt.from;
    return call && !call.committed ? call.from : pos;
  }

  /** What is being read; `call`: one that is certain. */
  get part(): "call" | "content" | "other" {
    const { call, mode } = this.#reader.state;
    if (call?.committed) return "call";
    return mode === "content" || mode === "implied" ? "content" : "other";
  }

  /** Text that is not read stands here, before what comes next. */
  skip(length: number): void {
    this.#reader.state.pos += length;
  }

  /** `atoms`: where added tokens stand in the text, if it comes from ids. */
  push(text: string, atoms?: readonly (readonly [start: number, end: number])[]): ParserEvent[] {
    const { state, events } = this.#reader;
    if (atoms) {
      const offset = state.pos + state.buf.length;
      state.atoms ??= [];
      for (const [start, end] of atoms) state.atoms.push([offset + start, offset + end]);
    }
    if (text !== "" && state.mode !== "over") {
      for (let at = 0; at < text.length; at += maxStep) {
        const part = text.slice(at, at + maxStep);
        state.buf += part;
        state.spoken += part;
        run(this.#reader);
      }
    }
    if (state.atoms && state.atoms.length > 0 && state.atoms[0][1] <= this.from) {
      const { from } = this;
      state.atoms = state.atoms.filter(([, end]) => end > from);
    }
    return events.splice(0);
  }

  end(): { readonly events: ParserEvent[]; readonly reading: LayoutReading } {
    const { state, events } = this.#reader;
    if (state.mode !== "over") {
      state.eof = true;
      run(this.#reader);
      while (state.mode === "call" || state.mode === "doubt") {
        if (state.mode === "call") breakOff(this.#reader);
        else settleDoubt(this.#reader);
        run(this.#reader);
      }
      finishReading(this.#reader);
      state.mode = "over";
    }
    const { content, reasoning, calls: toolCalls, strays, spoken } = state;
    return { events: events.splice(0), reading: { content, reasoning, toolCalls, strays, spoken } };
  }
}

const holdsJson = ({ responseFormat }: LayoutReaderOptions): boolean =>
  responseFormat !== undefined && responseFormat.type !== "text";

function readerOf(layout: CompiledLayout, options: LayoutReaderOptions): ResponseReader {
  const { tools, reasoningFormat } = options;
  const readsReasoning = layout.reasoning !== null && reasoningFormat !== "none";
  const hasTools = tools === null || tools.size > 0;
  const readsCalls = layout.calls !== null && !holdsJson(options);
  const heeded = ({ kind }: PartMarker): boolean => {
    if (kind === "lateCall") return readsCalls && tools !== null;
    if (kind === "call" || kind === "sectionClose") return readsCalls;
    return kind === "reasoning" || kind === "strayClose" || kind === "nothing" ? readsReasoning : true;
  };
  const [outside, inside] = [layout.outside.filter(heeded), layout.inside.filter(heeded)];
  const calls = layout.calls && readsCalls && (hasTools || !layout.calls.bare) ? layout.calls : null;
  const opener = calls?.section?.open ?? calls?.first;
  const openers = opener && opener.pieces.length > 0 ? [opener] : [];
  const followers = [...layout.glue, layout.end];
  const readerFrom = (reading: ReadingState, eof: boolean): ResponseReader => {
    const events: ParserEvent[] = [];
    const state = Object.assign(reading, { eof });
    const reader: ResponseReader = {
      layout,
      options,
      state,
      calls: calls && { state, calls, tools, events, commit: () => commitCall(reader), followers },
      outside,
      inside,
      readsReasoning,
      events,
      openers,
      run: () => run(reader),
      fork: readerFrom,
    };
    return reader;
  };
  return readerFrom(options.state ? structuredClone(options.state) : initialState(), false);
}

function begin(reader: ResponseReader): void {
  const { state, options } = reader;
  const { beginning } = options;
  if (holdsJson(options)) state.fence = "unknown";
  if (beginning.in === "reasoning" && reader.readsReasoning) openReasoning(reader, null);
  else if (beginning.in === "content") openContent(reader, true, null);
  else if (beginning.in === "glue") state.afterGlue = true;
  else if (beginning.in === "start" && beginning.closed) state.reasoned = true;
}

function run(reader: ResponseReader): void {
  while (reader.state.mode !== "over" && step(reader));
}

function step(reader: ResponseReader): boolean {
  switch (reader.state.mode) {
    case "outside":
      return readOutside(reader);
    case "reasoning":
      return readReasoning(reader);
    case "doubt":
      return readDoubt(reader);
    case "call":
      return readOpenCall(reader);
    case "nothing":
      return readNothing(reader);
    case "between":
      return readBetween(reader);
    default:
      return readContent(reader);
  }
}

/** A reader of text by a layout. */
export function layoutReader(layout: ResponseLayout | CompiledLayout, options: LayoutReaderOptions): LayoutReader {
  return new LayoutReader("layout" in layout ? layout : compileLayout(layout), options);
}
