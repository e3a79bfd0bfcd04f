import type { ParsedToolCall } from "./types.ts";

/**
 * Where the automaton stands:
 * - `start`: nothing but white space so far; reasoning may still open
 * - `reasoning`, `content`, `call`: inside that part
 * - `doubt`: after a call's opening marker inside reasoning. If the reasoning's closing marker comes, the call was only
 *   talked about; if the turn ends first, the model forgot to close its reasoning. Ids wait until that is known.
 * - `after`: after a call, nothing but white space since
 * - `stopped`: the turn has ended
 */
export type ParserMode = "start" | "reasoning" | "doubt" | "content" | "call" | "after" | "stopped";

/** Everything a parser knows, as plain JSON: store it, send it, go on from it. */
export interface ParserState {
  readonly mode: ParserMode;
  /** Ids read so far. */
  readonly index: number;
  /** Bytes of a character that is not complete yet. */
  readonly bytes: readonly number[];
  /** White space dropped at the start of the current part. */
  readonly lead: string;
  /** Text that may turn out to be the format's; not reported before that is known. */
  readonly held: string;
  readonly content: string;
  readonly reasoning: { readonly text: string; readonly complete: boolean } | null;
  readonly calls: readonly ParsedToolCall[];
  /** The call being read: its text so far, and where its opening marker stands. */
  readonly call: { readonly text: string; readonly start: number } | null;
  /** Ids that wait in `doubt`. */
  readonly waiting: readonly number[];
  readonly stop: { readonly id: number; readonly index: number } | null;
  readonly canonical: boolean;
}

type Mutable<Value> = Value extends readonly (infer Item)[]
  ? Item[]
  : Value extends object
    ? {
        -readonly [Field in keyof Value]: Value[Field] extends readonly ParsedToolCall[]
          ? ParsedToolCall[]
          : Mutable<Value[Field]>;
      }
    : Value;

/** The same while it is being written. */
export type MutableParserState = Mutable<ParserState>;

export function initialState(beginsInReasoning: boolean): MutableParserState {
  return {
    mode: beginsInReasoning ? "reasoning" : "start",
    index: 0,
    bytes: [],
    lead: "",
    held: "",
    content: "",
    reasoning: beginsInReasoning ? { text: "", complete: false } : null,
    calls: [],
    call: null,
    waiting: [],
    stop: null,
    canonical: true,
  };
}

/** A copy that shares nothing that is written; finished calls are never changed. */
export function copyState(state: ParserState): MutableParserState {
  return {
    ...state,
    bytes: [...state.bytes],
    reasoning: state.reasoning && { ...state.reasoning },
    calls: [...state.calls],
    call: state.call && { ...state.call },
    waiting: [...state.waiting],
  };
}
