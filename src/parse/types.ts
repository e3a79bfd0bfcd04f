import type { JsonInput } from "../messages/index.ts";
import type { Ids } from "../tokenizer/types.ts";
import type { BareState } from "./bare/bareState.ts";
import type { FramedState } from "./framed/framedState.ts";
import type { LayoutState } from "./layout/layoutParser.ts";
import type { ListState } from "./list/listState.ts";
import type { TaggedState } from "./tagged/taggedState.ts";

/**
 * What became of a tool call that the model began:
 * - `ok`: well formed, and its name is one of the tools (or no tools were given)
 * - `unknown_tool`: well formed, but no tool has this name
 * - `ambiguous_arguments`: well formed, but the format writes strings without quotes, and no schema says whether an
 *   argument's text is a string or a JSON value; it is read as the JSON value, and `raw` has the text
 * - `invalid_json`: the body, or its arguments, do not parse
 * - `missing_name`: parses, but names no function
 * - `malformed_structure`: parses, but is no call (a list, arguments that are no object)
 * - `unclosed_block`: the completion ended inside the call
 */
export type ToolCallStatus =
  | "ok"
  | "unknown_tool"
  | "ambiguous_arguments"
  | "invalid_json"
  | "missing_name"
  | "malformed_structure"
  | "unclosed_block";

export interface ParsedToolCall {
  readonly name: string | null;
  /** The arguments as plain JavaScript values; null where they could not be read. Number text is in `argumentsText`. */
  readonly arguments: unknown;
  /**
   * The arguments as JSON text, number text and key order kept: to the letter where the format writes JSON, built from the
   * values where it does not; null where they could not be read.
   */
  readonly argumentsText: string | null;
  /** The call's id, where the wire format carries one. */
  readonly id: string | null;
  readonly status: ToolCallStatus;
  /**
   * The arguments of a call that broke off (`unclosed_block`), closed so that they are JSON text: open strings, lists and
   * objects are closed, a key without a value is dropped. Only layouts' parsers give it.
   */
  readonly partialArguments?: string | undefined;
  /** The text between the call's markers, outer white space removed. */
  readonly raw: string;
  /** Half-open range of the completion's ids, markers included. Where only text was read: of its UTF-16 units. */
  readonly tokenSpan: readonly [start: number, end: number];
}

/** A marker that begins a call and led to none, so that it is content. */
export interface StrayMarker {
  readonly marker: string;
  /** Half-open range of the completion's ids; where only text was read, of its UTF-16 units. */
  readonly tokenSpan: readonly [start: number, end: number];
  /** `no_call`: what follows is no call. `unknown_tool`: a call to a tool that there is not, which cannot be read either. */
  readonly reason: "no_call" | "unknown_tool";
}

export interface Reasoning {
  readonly text: string;
  /** False when the completion ended inside the reasoning. */
  readonly complete: boolean;
}

export interface ParsedResponse {
  readonly content: string;
  /** Null when the completion has no reasoning. */
  readonly reasoning: Reasoning | null;
  readonly toolCalls: readonly ParsedToolCall[];
  /** The id that ended the turn, and where it stands in the completion. Ids after it are not part of the response. */
  readonly stop: { readonly kind: "stop"; readonly id: number; readonly index: number } | { readonly kind: "none" };
  /** True when the completion's text is to the letter what the wire format prescribes: no leniency was used. */
  readonly canonical: boolean;
  /** Markers that were read as content. Only layouts' parsers give them. */
  readonly strays?: readonly StrayMarker[] | undefined;
}

/**
 * What the prompt opened before the completion begins: read from the prompt's ids, or said outright. `"unknown"` is for
 * completions whose prompt is lost; each family has its own reading of them.
 */
export type PromptContext = Ids | { readonly reasoning: "open" | "closed" | "unknown" };

/** A tool as far as parsing needs it. */
export interface KnownTool {
  readonly name: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: JsonInput | undefined;
}

export type ParserEvent =
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "reasoningEnd" }
  | { readonly kind: "content"; readonly text: string }
  | { readonly kind: "toolCallStart"; readonly index: number }
  /** The call's name. Only layouts' parsers report it; it comes before the arguments. */
  | { readonly kind: "toolCallName"; readonly index: number; readonly name: string }
  /** Arguments as JSON text: joined they are the call's `argumentsText`, where that is not null. Only layouts' parsers report them. */
  | { readonly kind: "toolCallArguments"; readonly index: number; readonly text: string }
  /** Text inside the call as it arrives, markers excluded. */
  | { readonly kind: "toolCallDelta"; readonly index: number; readonly text: string }
  | { readonly kind: "toolCallEnd"; readonly index: number; readonly call: ParsedToolCall }
  | { readonly kind: "stop"; readonly id: number; readonly index: number };

/**
 * Reads a response id by id. Any way of cutting the ids into pushes gives the same response and, joined, the same
 * events; nothing reported is taken back. No id sequence makes it throw.
 */
export interface TokenParser {
  /** A copy of all that is known so far, as plain JSON. */
  readonly state: ParserState;
  /** Reads the next ids. Ids after the turn's end are not read. */
  push(ids: Ids): ParserEvent[];
  /** The completion is over: the last events, and the response. */
  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse };
}

/** Everything a parser knows, as plain JSON: store it, send it, go on from it. */
export type ParserState = TaggedState | ListState | FramedState | BareState | LayoutState;
