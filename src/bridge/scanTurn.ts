import type { TurnEnd } from "../format/family.ts";
import {
  beginsInReasoning,
  type FramedState,
  isBlank,
  type ParserFactory,
  type ResponseGrammar,
  type TaggedGrammar,
} from "../parse/index.ts";
import type { Ids, Tokenizer } from "../tokenizer/types.ts";

export interface ScannedTurn {
  readonly grammar: ResponseGrammar;
  readonly parsers: ParserFactory;
  readonly tokenizer: Tokenizer;
  readonly promptIds: Ids;
  readonly completionIds: Ids;
}

/** Where a sampled turn stops, and whether its reasoning is open there. */
export function scanTurn(turn: ScannedTurn): TurnEnd {
  const { grammar, completionIds } = turn;
  if (grammar.kind === "framed") return readMessages(turn);
  const found = completionIds.findIndex((id) => grammar.stops.includes(id));
  const stop = found < 0 ? null : found;
  if (grammar.kind === "bare") return { stop, reasoningOpen: false };
  return { stop, reasoningOpen: hasTokenMarkers(grammar) ? scanMarkers(turn, grammar) : parseReasoning(turn) };
}

/** Where the turn goes on behind a stop, only the parser knows which one was the last. */
function readMessages({ parsers, promptIds, completionIds }: ScannedTurn): TurnEnd {
  const parser = parsers({ prompt: promptIds, tools: null });
  parser.push(completionIds);
  const state = parser.state as FramedState;
  const { stop, reasoning } = parser.end().response;
  // A character that is cut off is text, too: a header has begun.
  const isCut = state.bytes.length > 0 && (state.mode === "header" || state.mode === "between");
  const isOpen = state.mode === "header" || state.mode === "body" || isCut;
  const header = isCut ? `${state.header}\ufffd` : state.header;
  return {
    stop: stop.kind === "stop" ? stop.index : null,
    reasoningOpen: reasoning?.complete === false,
    openMessage: isOpen ? { header, part: state.mode === "body" ? state.part : null } : null,
  };
}

function hasTokenMarkers(grammar: ResponseGrammar): grammar is TaggedGrammar {
  if (grammar.kind !== "tagged") return false;
  const { reasoning, calls, opensTurn } = grammar;
  if (reasoning && (reasoning.repeats || reasoning.implied !== undefined || opensTurn)) return false;
  return [reasoning?.open, reasoning?.close, calls?.section?.open ?? calls?.open].every(
    (marker) => marker === undefined || marker.id !== undefined,
  );
}

function parseReasoning({ parsers, promptIds, completionIds }: ScannedTurn): boolean {
  const parser = parsers({ prompt: promptIds, tools: null });
  parser.push(completionIds);
  return parser.end().response.reasoning?.complete === false;
}

/** Follows the token parser by ids alone, and decodes no text but what stands before an opening marker. */
function scanMarkers(turn: ScannedTurn, { reasoning, calls, stops }: TaggedGrammar): boolean {
  if (!reasoning) return false;
  const { completionIds, tokenizer } = turn;
  const callOpen = reasoning.endedByCall === false ? undefined : (calls?.section?.open ?? calls?.open)?.id;
  let state: "possible" | "open" = beginsInReasoning(turn.grammar as TaggedGrammar, turn.promptIds, tokenizer)
    ? "open"
    : "possible";
  for (const [i, id] of completionIds.entries()) {
    if (stops.includes(id)) break;
    if (state === "open" ? id === reasoning.close.id || id === callOpen : id >= tokenizer.vocabSize || id < 0)
      return false;
    if (state === "possible" && (id === reasoning.open.id || id === (calls?.section?.open ?? calls?.open)?.id)) {
      if (id !== reasoning.open.id || !isBlank(tokenizer.decode(completionIds.slice(0, i)))) return false;
      state = "open";
    }
  }
  return state === "open";
}
