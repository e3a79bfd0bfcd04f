import type { Atom } from "../grammar.ts";
import type { TurnBeginning } from "../promptState.ts";
import type { ParsedToolCall } from "../types.ts";

/**
 * Where the automaton stands:
 * - `start`: nothing but white space so far; reasoning may still open
 * - `implied`: the same in a turn that begins in its reasoning, although its opening marker is not written yet
 * - `label`: after reasoning's opening marker, where a label may follow, which is not read yet
 * - `reasoning`, `content`, `call`: inside that part
 * - `doubt`: after a call's opening marker inside reasoning. If the reasoning's closing marker comes, the call was only
 *   talked about; if the turn ends first, the model forgot to close its reasoning. Ids wait until that is known.
 * - `section`: inside the markers around all calls, outside of a call
 * - `after`: after the calls, nothing but white space since
 * - `stopped`: the turn has ended
 */
export type TaggedMode =
  | "start"
  | "implied"
  | "label"
  | "reasoning"
  | "doubt"
  | "content"
  | "section"
  | "call"
  | "after"
  | "stopped";

export interface TaggedState {
  readonly kind: "tagged";
  readonly mode: TaggedMode;
  /** Ids read so far. */
  readonly index: number;
  /** Bytes of a character that is not complete yet. */
  readonly bytes: readonly number[];
  /** Bytes that may begin a marker of several tokens; for each, the index and the id of its token. */
  readonly tail: readonly TailByte[];
  /** White space dropped at the start of the current part. */
  readonly lead: string;
  /** Text that may turn out to be the format's; not reported before that is known. */
  readonly held: string;
  readonly content: string;
  readonly reasoning: { readonly text: string; readonly complete: boolean } | null;
  readonly calls: readonly ParsedToolCall[];
  readonly call: OpenCall | null;
  /** Where text of a section begins that belongs to no call, and how many calls stood before the section. */
  readonly section: { readonly start: number; readonly calls: number } | null;
  /** Ids that wait until it is known what they are. */
  readonly waiting: readonly number[];
  readonly stop: { readonly id: number; readonly index: number } | null;
  /** All text before the stop. */
  readonly spoken: string;
}

export type TailByte = readonly [byte: number, index: number, id: number];

/** The call being read. */
export interface OpenCall {
  readonly text: string;
  readonly atoms: readonly Atom[];
  /** Index of its opening marker's first id. */
  readonly start: number;
  /** Set once a closing marker stood where a value was open: what was known there, in case that was the end after all. */
  readonly doubt: CallDoubt | null;
}

export interface CallDoubt {
  /** Whose closing marker it was. */
  readonly closes: "call" | "section";
  /** Length of the call's text and number of its atoms before the marker. */
  readonly length: number;
  readonly atoms: number;
  /** The ids that spell the marker: from `start` up to `index`. */
  readonly start: number;
  readonly index: number;
  /** Length of all text up to the marker's end. */
  readonly spoken: number;
  /** Bytes after the marker that its last token holds. */
  readonly tail: readonly TailByte[];
}

type Mutable<Value> = Value extends readonly (infer Item)[]
  ? Item[]
  : Value extends object
    ? {
        -readonly [Field in keyof Value]: Field extends "calls" | "atoms" | "tail"
          ? Value[Field] extends readonly (infer Item)[]
            ? Item[]
            : Value[Field]
          : Mutable<Value[Field]>;
      }
    : Value;

/** The same while it is being written. */
export type MutableTaggedState = Mutable<TaggedState>;

export function initialTaggedState(mode: TurnBeginning["mode"]): MutableTaggedState {
  return {
    kind: "tagged",
    mode,
    index: 0,
    bytes: [],
    tail: [],
    lead: "",
    held: "",
    content: "",
    reasoning: mode === "reasoning" ? { text: "", complete: false } : null,
    calls: [],
    call: null,
    section: null,
    waiting: [],
    stop: null,
    spoken: "",
  };
}

/** A copy that shares nothing that is written; finished calls are never changed. */
export function copyTaggedState(state: TaggedState): MutableTaggedState {
  return {
    ...state,
    bytes: [...state.bytes],
    tail: [...state.tail],
    reasoning: state.reasoning && { ...state.reasoning },
    calls: [...state.calls],
    call: state.call && {
      ...state.call,
      atoms: [...state.call.atoms],
      doubt: state.call.doubt && { ...state.call.doubt, tail: [...state.call.doubt.tail] },
    },
    section: state.section && { ...state.section },
    waiting: [...state.waiting],
  };
}
