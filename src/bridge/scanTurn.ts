import { CALL_OPEN, REASONING_CLOSE, REASONING_OPEN, STOP, UNKNOWN_ID } from "../parse/grammar.ts";
import { beginsInReasoning, isBlank, type MarkerTable, type ResponseGrammar } from "../parse/index.ts";
import type { Ids, Tokenizer } from "../tokenizer/types.ts";

/** How a sampled turn ends, as far as a bridge needs to know. */
export interface TurnEnd {
  /** Index of the first stop in the completion; null after a truncation. */
  readonly stop: number | null;
  readonly reasoningOpen: boolean;
}

/**
 * Reads a completion's markers by id. It follows the token parser, of which it needs only the place of the stop and
 * whether reasoning is open, and decodes no text but what stands before an opening marker.
 */
export function scanTurn(options: {
  readonly grammar: ResponseGrammar;
  readonly markers: MarkerTable;
  readonly tokenizer: Tokenizer;
  readonly promptIds: Ids;
  readonly completionIds: Ids;
}): TurnEnd {
  const { completionIds, markers } = options;
  let reasoning: "possible" | "open" | "over" = beginsInReasoning(options.grammar, options.promptIds)
    ? "open"
    : "possible";
  for (let i = 0; i < completionIds.length && reasoning !== "over"; i++) {
    const meaning = markers(completionIds[i]);
    if (meaning === STOP) break;
    if (meaning === REASONING_OPEN && reasoning === "possible") {
      const isFirst = isBlank(options.tokenizer.decode(completionIds.slice(0, i)));
      reasoning = isFirst ? "open" : "over";
    } else if (meaning === CALL_OPEN || (meaning === REASONING_CLOSE && reasoning === "open")) reasoning = "over";
    else if (meaning === UNKNOWN_ID && reasoning === "possible") reasoning = "over";
  }
  const stop = completionIds.findIndex((id) => markers(id) === STOP);
  return { stop: stop < 0 ? null : stop, reasoningOpen: reasoning === "open" };
}
