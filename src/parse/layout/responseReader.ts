import { isPythonSpace } from "../../messages/index.ts";
import type { KnownTool, ParserEvent } from "../types.ts";
import type { CallReader } from "./callReader.ts";
import type { CompiledLayout, PartMarker } from "./compile.ts";
import type { LayoutBeginning } from "./layout.ts";
import type { ReadingState } from "./layoutState.ts";
import type { Pattern, Waiting } from "./pieces.ts";

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

/** What all that read a response share: the state, and what goes out. */
export interface ResponseReader {
  readonly layout: CompiledLayout;
  readonly options: LayoutReaderOptions;
  readonly state: ReadingState & Waiting;
  /** Null: no calls are read. */
  readonly calls: CallReader | null;
  /** Markers that are heeded where no part is open, and within content. */
  readonly outside: readonly PartMarker[];
  readonly inside: readonly PartMarker[];
  readonly readsReasoning: boolean;
  readonly events: ParserEvent[];
  /** What begins a call within reasoning. */
  readonly openers: readonly Pattern[];
  /** Reads as far as the text goes. */
  readonly run: () => void;
  /** A reader of the same response that goes on from another state. */
  readonly fork: (state: ReadingState, eof: boolean) => ResponseReader;
}

/** Text that is read twice, at most, as a multiple of all text. */
const maxReread = 16;

/** Too much was read twice already. A bound on that keeps the cost linear. */
export function isOverread({ reread }: ReadingState, from: number): boolean {
  return reread > maxReread * (from + 1024);
}

export function takeText(reader: ResponseReader, length: number): string {
  const { state } = reader;
  const text = state.buf.slice(0, length);
  state.buf = state.buf.slice(length);
  state.pos += length;
  return text;
}

export function spacesAhead(reader: ResponseReader): number {
  const { buf } = reader.state;
  let end = 0;
  while (end < buf.length && isPythonSpace(buf.charCodeAt(end))) end++;
  return end;
}

export function tokenAt(reader: ResponseReader, place: number): number {
  return reader.options.tokenAt?.(place) ?? place;
}
