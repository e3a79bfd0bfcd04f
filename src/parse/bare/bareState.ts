import type { ParsedToolCall } from "../types.ts";

/**
 * Where the automaton stands:
 * - `start`: nothing but white space so far
 * - `held`: the response begins as a call does; it is read when it is over
 * - `content`: the response is no call
 */
export type BareMode = "start" | "held" | "content";

export interface BareState {
  readonly kind: "bare";
  readonly mode: BareMode;
  /** Ids read so far. */
  readonly index: number;
  /** Bytes of a character that is not complete yet. */
  readonly bytes: readonly number[];
  /** All text before the stop. */
  readonly text: string;
  /** Set when the response is over and was a call. */
  readonly call: ParsedToolCall | null;
  readonly stop: { readonly id: number; readonly index: number } | null;
}

export type MutableBareState = { -readonly [Field in keyof BareState]: BareState[Field] };

export const initialBareState: BareState = {
  kind: "bare",
  mode: "start",
  index: 0,
  bytes: [],
  text: "",
  call: null,
  stop: null,
};
