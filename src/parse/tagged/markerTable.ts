import type { Tokenizer } from "../../tokenizer/types.ts";
import type { TaggedGrammar } from "../grammar.ts";

/** What an id or a text means to the token parser. */
export const TEXT = 0;
export const STOP = 1;
export const REASONING_OPEN = 2;
export const REASONING_CLOSE = 3;
export const CALL_OPEN = 4;
export const CALL_CLOSE = 5;
export const SECTION_OPEN = 6;
export const SECTION_CLOSE = 7;
export const ATOM = 8;
export const UNKNOWN_ID = 9;
export const TURN_START = 10;

export interface MarkerTable {
  /** An id's meaning: `UNKNOWN_ID` outside the vocabulary, `TEXT` for everything that is no marker. */
  readonly ofId: (id: number) => number;
  /** A marker's text. */
  readonly textOf: (id: number) => string;
  /** Markers of several tokens. */
  readonly texts: readonly TextMarker[];
}

export interface TextMarker {
  readonly meaning: number;
  readonly bytes: Uint8Array;
  /** The id that one of its tokens must be. */
  readonly atom: number | undefined;
}

export function markerTable(grammar: TaggedGrammar, tokenizer: Tokenizer): MarkerTable {
  const { reasoning, calls, stops, turnStart, opensTurn } = grammar;
  const ids = new Map<number, number>();
  const texts: TextMarker[] = [];
  for (const id of calls?.atoms ?? []) ids.set(id, ATOM);
  for (const [meaning, marker] of [
    [CALL_OPEN, calls?.open],
    [CALL_CLOSE, calls?.close],
    [SECTION_OPEN, calls?.section?.open],
    [SECTION_CLOSE, calls?.section?.close],
    [REASONING_OPEN, reasoning?.open],
    [REASONING_CLOSE, reasoning?.close],
  ] as const) {
    if (marker?.id !== undefined) ids.set(marker.id, meaning);
    else if (marker) texts.push({ meaning, bytes: Buffer.from(marker.text, "utf8"), atom: marker.atom });
  }
  if (opensTurn) ids.set(turnStart, TURN_START);
  for (const id of stops) ids.set(id, STOP);
  const known = new Map<number, string>();
  const textOf = (id: number): string => {
    const text = known.get(id) ?? tokenizer.decode([id]);
    known.set(id, text);
    return text;
  };
  return { ofId: meaningOfIds(ids, tokenizer.vocabSize), textOf, texts };
}

/** Markers stand close together in a vocabulary, so that a table over their range answers with one comparison and one load. */
function meaningOfIds(meanings: ReadonlyMap<number, number>, vocabSize: number): (id: number) => number {
  const first = Math.min(...meanings.keys());
  const table = new Uint8Array(Math.max(...meanings.keys()) - first + 1);
  for (const [id, meaning] of meanings) table[id - first] = meaning;
  return (id) => {
    const at = id - first;
    if (at >= 0 && at < table.length) return table[at];
    return id >= 0 && id < vocabSize ? TEXT : UNKNOWN_ID;
  };
}
