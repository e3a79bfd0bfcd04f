import type { Ids } from "../tokenizer/types.ts";

/**
 * What became of a tool call that the model began:
 * - `ok`: well formed, and its name is one of the tools (or no tools were given)
 * - `unknown_tool`: well formed, but no tool has this name
 * - `invalid_json`: the body, or its arguments, do not parse
 * - `missing_name`: parses, but names no function
 * - `malformed_structure`: parses, but is no call (a list, arguments that are no object)
 * - `unclosed_block`: the completion ended inside the call
 */
export type ToolCallStatus =
  | "ok"
  | "unknown_tool"
  | "invalid_json"
  | "missing_name"
  | "malformed_structure"
  | "unclosed_block";

export interface ParsedToolCall {
  readonly name: string | null;
  /** The arguments as plain JavaScript values; null where they could not be read. Number text is in `argumentsText`. */
  readonly arguments: unknown;
  /** The arguments' exact text as the model wrote it (JSON); null where they could not be read. */
  readonly argumentsText: string | null;
  /** The call's id, where the wire format carries one. */
  readonly id: string | null;
  readonly status: ToolCallStatus;
  /** The text between the call's markers, outer white space removed. */
  readonly raw: string;
  /** Half-open range of the completion's ids, markers included. */
  readonly tokenSpan: readonly [start: number, end: number];
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
}

/**
 * What the prompt opened before the completion begins: read from the prompt's ids, or said outright. `"unknown"` is for
 * completions whose prompt is lost; each family has its own reading of them.
 */
export type PromptContext = Ids | { readonly reasoning: "open" | "closed" | "unknown" };

/** A tool as far as parsing needs it. */
export interface KnownTool {
  readonly name: string;
}

export type ParserEvent =
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "reasoningEnd" }
  | { readonly kind: "content"; readonly text: string }
  | { readonly kind: "toolCallStart"; readonly index: number }
  /** Text inside the call as it arrives, markers excluded. */
  | { readonly kind: "toolCallDelta"; readonly index: number; readonly text: string }
  | { readonly kind: "toolCallEnd"; readonly index: number; readonly call: ParsedToolCall }
  | { readonly kind: "stop"; readonly id: number; readonly index: number };
