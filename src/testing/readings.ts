import type { ParsedResponse, ParserEvent } from "../parse/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { Utf8Stream } from "../tokens/index.ts";
import type { ResponseReading } from "./expectedMessage.ts";

/** A parser of pieces: texts, or ids. */
export interface PieceParser<Piece> {
  readonly state: unknown;
  push(piece: Piece): ParserEvent[];
  end(): { readonly events: ParserEvent[]; readonly response: ParsedResponse };
}

/** Reads the pieces; `stored`: with a new parser after each of them, from the state of the one before as JSON. */
export function readPieces<Piece>(
  way: string,
  pieces: readonly Piece[],
  parserFrom: (state: unknown) => PieceParser<Piece>,
  { stored = false }: { readonly stored?: boolean } = {},
): ResponseReading {
  let parser = parserFrom(undefined);
  const events: ParserEvent[] = [];
  for (const piece of pieces) {
    events.push(...parser.push(piece));
    if (stored) parser = parserFrom(JSON.parse(JSON.stringify(parser.state)));
  }
  const last = parser.end();
  return { way, events: [...events, ...last.events], response: last.response };
}

/** What a reader of UTF-8 gets to see when one byte comes after the other. */
export function byteTexts(text: string): string[] {
  const stream = new Utf8Stream();
  const texts = Array.from(new TextEncoder().encode(text), (byte) => stream.push(Uint8Array.of(byte)));
  return [...texts, stream.end()];
}

const byteIds = new WeakMap<Tokenizer, ReadonlyMap<number, number>>();

/** The same ids with ordinary tokens spelled in tokens of one byte; null where the vocabulary lacks one. */
export function inSingleBytes(tokenizer: Tokenizer, ids: ArrayLike<number>): Int32Array | null {
  let known = byteIds.get(tokenizer);
  if (known === undefined) {
    known = singleBytes(tokenizer);
    byteIds.set(tokenizer, known);
  }
  const added = new Set(tokenizer.addedTokens.map(({ id }) => id));
  const spelled: number[] = [];
  for (const id of Array.from(ids)) {
    if (added.has(id)) spelled.push(id);
    else {
      for (const byte of tokenizer.decodeBytes([id])) {
        const one = known.get(byte);
        if (one === undefined) return null;
        spelled.push(one);
      }
    }
  }
  return Int32Array.from(spelled);
}

function singleBytes(tokenizer: Tokenizer): ReadonlyMap<number, number> {
  const added = new Set(tokenizer.addedTokens.map(({ id }) => id));
  const found = new Map<number, number>();
  for (let id = 0; id < tokenizer.vocabSize && found.size < 256; id++) {
    if (added.has(id) || tokenizer.idToToken(id) === undefined || tokenizer.byteLength(id) !== 1) continue;
    const [byte] = tokenizer.decodeBytes([id]);
    if (byte !== undefined && !found.has(byte)) found.set(byte, id);
  }
  return found;
}
