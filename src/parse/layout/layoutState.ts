import type { ParsedToolCall, StrayMarker } from "../types.ts";
import type { ValueState } from "./jsonWriter.ts";

/**
 * - `outside`: no part is open
 * - `implied`: perhaps reasoning: only its closing marker tells
 * - `reasoning`, `content`, `call`
 * - `doubt`: reasoning, or calls that end it
 * - `nothing`: behind reasoning that says nothing, within content: it is content if more of that follows
 * - `between`: inside the section, behind a call
 * - `over`: nothing more is read
 */
export type LayoutMode =
  | "outside"
  | "implied"
  | "reasoning"
  | "doubt"
  | "content"
  | "nothing"
  | "call"
  | "between"
  | "over";

/** Where an object is read: its outer keys so far, and the value that is being read. */
export interface ObjectState {
  phase: "start" | "key" | "keyText" | "colon" | "value" | "valueText" | "next" | "done";
  /** Keys of the objects that are open, outermost first; the last one is that of the value. */
  path: string[];
  role: "name" | "arguments" | "id" | "other";
  value: ValueState | null;
  /** A key or a short value, as JSON text so far. */
  text: string;
  hasArguments: boolean;
  /** The arguments are a string that holds JSON text. */
  isText: boolean;
  /** What of it is no whole character yet. */
  rest: string;
}

export interface TaggedArgumentsState {
  phase: "open" | "argument" | "key" | "value" | "suffix";
  count: number;
  key: string;
  /** Index of the form among the compiled ones. */
  form: number;
  reading: "raw" | "held" | "json";
  held: string;
  /** Does the value stand in a fence? */
  fence: "unknown" | "open" | "none";
  /** White space that may belong to the closing marker. */
  value: ValueState | null;
  /** The value's first characters may still be the template's white space. */
  lead: string;
}

export interface CallState {
  /** Where its first marker begins, and the token there. */
  from: number;
  firstId: number;
  /** All text since the marker, as long as it may turn out to be content. */
  past: string;
  markerLength: number;
  resume: "outside" | "implied" | "content" | "between";
  element: number;
  /** Without the section, or without its first marker: only a known tool makes it a call. */
  isLate: boolean;
  /** Too much was read twice already: this one must be certain soon. */
  isLimited: boolean;
  name: string | null;
  id: string | null;
  committed: boolean;
  raw: string;
  /** Raw text and arguments that were not reported yet. */
  unreported: string;
  args: string;
  unreportedArgs: string;
  status: "ok" | "ambiguous_arguments" | "invalid_json" | "malformed_structure";
  /** Damaged: the closing marker is looked for. */
  lost: boolean;
  object: ObjectState | null;
  tagged: TaggedArgumentsState | null;
  value: ValueState | null;
}

/** Calls that begin inside reasoning. */
export interface DoubtState {
  /** Where the first one's marker begins. */
  from: number;
  /** All text since. */
  text: string;
  /** Reads it as calls. */
  trial: ReadingState;
}

/** All that a reader knows, as plain JSON. */
export interface ReadingState {
  mode: LayoutMode;
  buf: string;
  pos: number;
  atoms: (readonly [start: number, end: number])[] | null;
  /** White space that is held back. */
  gap: string;
  /** White space that the layout writes where the part begins; null: the part has begun. */
  trim: string | null;
  /** Text that is reasoning or content, or nothing. */
  held: string;
  wrapped: boolean;
  reasoned: boolean;
  said: boolean;
  afterGlue: boolean;
  afterCalls: boolean;
  inSection: boolean;
  /** Content behind a ```json fence: `unknown` while it may begin with one. */
  fence: "unknown" | "open" | "none";
  fenceText: string;
  content: string;
  reasoning: { text: string; complete: boolean } | null;
  calls: ParsedToolCall[];
  call: CallState | null;
  doubt: DoubtState | null;
  /** Reads only to find out whether there are calls; `end`: where the last one ends, or the marker. */
  trial: { end: number } | null;
  strays: StrayMarker[];
  /** Characters read twice, and all text. */
  reread: number;
  spoken: string;
}

export const initialState = (): ReadingState => ({
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
  doubt: null,
  trial: null,
  strays: [],
  reread: 0,
  spoken: "",
});
