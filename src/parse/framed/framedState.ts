import type { FramedPart } from "../grammar.ts";
import type { ParsedToolCall } from "../types.ts";

/**
 * Where the automaton stands: before a message, in its header, in its body, after a stop behind which the turn may go on
 * (`paused`), after the turn's end, or in a response whose first header is lost (`plain`).
 */
export type FramedMode = "between" | "header" | "body" | "paused" | "stopped" | "plain";

export interface FramedState {
  readonly kind: "framed";
  readonly mode: FramedMode;
  /** Ids read so far. */
  readonly index: number;
  /** Bytes of a character that is not complete yet. */
  readonly bytes: readonly number[];
  /** The header being read, or of the body being read. */
  readonly header: string;
  /** How much of the header the prompt has written, in UTF-16 units. */
  readonly given: number;
  readonly part: FramedPart;
  /** Where the message in hand begins. */
  readonly start: number;
  readonly content: string;
  readonly reasoning: { readonly text: string; readonly complete: boolean } | null;
  readonly calls: readonly ParsedToolCall[];
  /** Text of the call being read. */
  readonly call: string;
  readonly stop: { readonly id: number; readonly index: number } | null;
  /** All text before the stop, control tokens spelled out. */
  readonly spoken: string;
}

export type MutableFramedState = {
  -readonly [Field in keyof FramedState]: Field extends "calls" ? ParsedToolCall[] : FramedState[Field];
};

export function initialFramedState(opening: {
  readonly mode: FramedMode;
  readonly header: string;
  readonly part: FramedPart;
}): MutableFramedState {
  return {
    kind: "framed",
    ...opening,
    given: opening.header.length,
    index: 0,
    bytes: [],
    start: 0,
    content: "",
    reasoning: opening.mode === "body" && opening.part === "reasoning" ? { text: "", complete: false } : null,
    calls: [],
    call: "",
    stop: null,
    spoken: "",
  };
}

export const copyFramedState = (state: FramedState): MutableFramedState => ({
  ...state,
  bytes: [...state.bytes],
  calls: [...state.calls],
});
