import type { KnownTool, ParsedToolCall } from "./types.ts";

/** A marker of the wire format that is one token. */
export interface Marker {
  readonly text: string;
  readonly id: number;
}

/** The markers of a family's response, as data: what the token parser and the bridge know of a family. */
export interface ResponseGrammar {
  /** Ids that end the turn. */
  readonly stops: readonly number[];
  /** The token that opens a turn; what follows the last one in a prompt is the generation prompt. */
  readonly turnStart: number;
  readonly reasoning: ReasoningGrammar | null;
  readonly calls: CallGrammar | null;
}

export interface ReasoningGrammar {
  readonly open: Marker;
  readonly close: Marker;
  /** Written after the opening and before the closing marker. Its characters are trimmed off the reasoning's ends. */
  readonly padding: string;
  /** Written between the closing marker and the content. Its characters are trimmed off the content's start. */
  readonly separator: string;
  /** How a completion is read whose prompt is unknown. */
  readonly whenUnknown: "open" | "closed";
}

export interface CallGrammar {
  readonly open: Marker;
  readonly close: Marker;
  /** Written after the opening and before the closing marker. */
  readonly padding: string;
  /** Written between content and a call, and between two calls. */
  readonly separator: string;
  readonly body: CallBody;
}

/** Reads the text between a call's markers, outer white space removed. */
export type CallBody = (text: string, tools: ReadonlyMap<string, KnownTool> | null) => CallReading;

export interface CallReading extends Pick<ParsedToolCall, "name" | "arguments" | "argumentsText" | "id" | "status"> {
  /** The text is to the letter what the family itself writes for this call. */
  readonly canonical: boolean;
}

/** What an id means to the token parser. */
export const TEXT = 0;
export const STOP = 1;
export const REASONING_OPEN = 2;
export const REASONING_CLOSE = 3;
export const CALL_OPEN = 4;
export const CALL_CLOSE = 5;
export const UNKNOWN_ID = 6;

/** Looks ids up: a marker's meaning, `UNKNOWN_ID` outside the vocabulary, `TEXT` for everything else. */
export type MarkerTable = (id: number) => number;

/** Markers stand close together in a vocabulary, so that a table over their range answers with one comparison and one load. */
export function markerTable(grammar: ResponseGrammar, vocabSize: number): MarkerTable {
  const meanings = new Map<number, number>();
  if (grammar.calls) meanings.set(grammar.calls.open.id, CALL_OPEN).set(grammar.calls.close.id, CALL_CLOSE);
  if (grammar.reasoning) {
    meanings.set(grammar.reasoning.open.id, REASONING_OPEN).set(grammar.reasoning.close.id, REASONING_CLOSE);
  }
  for (const id of grammar.stops) meanings.set(id, STOP);
  const first = Math.min(...meanings.keys());
  const table = new Uint8Array(Math.max(...meanings.keys()) - first + 1);
  for (const [id, meaning] of meanings) table[id - first] = meaning;
  return (id) => {
    const at = id - first;
    if (at >= 0 && at < table.length) return table[at];
    return id >= 0 && id < vocabSize ? TEXT : UNKNOWN_ID;
  };
}
