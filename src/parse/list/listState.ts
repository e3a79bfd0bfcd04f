import type { TaggedState } from "../tagged/taggedState.ts";
import type { ParsedToolCall } from "../types.ts";

/**
 * Where the automaton stands:
 * - `lead`: no content so far but white space, or what may begin a list
 * - `held`: the content begins as a list does; it is read when the response is over
 * - `block`: between the markers of a list
 * - `content`: anywhere else
 */
export type ListMode = "lead" | "held" | "block" | "content";

export interface ListState {
  readonly kind: "list";
  readonly mode: ListMode;
  /** What the parser of parts and blocks knows. */
  readonly blocks: TaggedState;
  /** Content that is not reported, because it may be a list. */
  readonly held: string;
  /** Ids that a list may stand in, and the index of the first one in the completion. */
  readonly ids: readonly number[];
  readonly offset: number;
  readonly calls: readonly ParsedToolCall[];
  /** The content was a list. */
  readonly isList: boolean;
}
