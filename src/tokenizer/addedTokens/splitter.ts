import type { AddedToken, AddedTokenMatch, EncodeOptions, TextRange } from "../types.ts";
import { findMatches } from "./find.ts";
import { clipRanges, joinRanges, mapRanges } from "./ranges.ts";
import { TokenTrie } from "./tokenTrie.ts";

/** What takes the pieces of a text, in order. */
export interface PieceSink {
  /** Text between added tokens, as it was given. */
  text(piece: string): void;
  /** The same where added tokens were looked for in the normalised text: what is left of that. */
  normalizedText(piece: string): void;
  token(id: number): void;
}

/**
 * Cuts texts at added tokens: first at those that are matched in the text as given, then, between them, at those that are
 * matched in the normalised text.
 */
export class AddedTokenSplitter {
  readonly #raw: TokenTrie;
  readonly #normalized: TokenTrie;
  readonly #normalize: (text: string) => string;

  constructor(tokens: readonly AddedToken[], normalize: (text: string) => string) {
    const raw = tokens.filter((token) => !token.normalized);
    const normalized = tokens.filter((token) => token.normalized);
    this.#raw = new TokenTrie(raw.map((token) => [token.content, token]));
    this.#normalized = new TokenTrie(normalized.map((token) => [normalize(token.content), token]));
    this.#normalize = normalize;
  }

  /** Hands the whole of `text` to `sink`. Throws `invalid_range` for ranges that are not sorted and disjoint. */
  split(text: string, reading: NonNullable<EncodeOptions["addedTokens"]>, sink: PieceSink): void {
    if (reading === "plain") {
      if (text !== "") sink.text(text);
      return;
    }
    const ranges = reading === "match" ? undefined : joinRanges(reading, text.length);
    if (text !== "" && !this.#mayMatch(text)) {
      sink.text(text);
      return;
    }
    const emitPiece = (start: number, end: number): void => {
      if (start >= end) return;
      const piece = start === 0 && end === text.length ? text : text.slice(start, end);
      if (this.#normalized.isEmpty) sink.text(piece);
      else this.#splitNormalized(piece, ranges && clipRanges(ranges, start, end), sink);
    };
    emitMatches(text.length, findMatches(this.#raw, text, ranges), emitPiece, sink);
  }

  #mayMatch(text: string): boolean {
    return this.#raw.mayMatch(text) || (!this.#normalized.isEmpty && this.#normalized.mayMatch(this.#normalize(text)));
  }

  #splitNormalized(text: string, ranges: readonly TextRange[] | undefined, sink: PieceSink): void {
    const normalized = this.#normalize(text);
    const mapped =
      ranges === undefined || normalized === text ? ranges : mapRanges(text, normalized, ranges, this.#normalize);
    const emitPiece = (start: number, end: number): void => {
      if (start < end) sink.normalizedText(normalized.slice(start, end));
    };
    emitMatches(normalized.length, findMatches(this.#normalized, normalized, mapped), emitPiece, sink);
  }
}

function emitMatches(
  length: number,
  matches: readonly AddedTokenMatch[],
  emitPiece: (start: number, end: number) => void,
  sink: PieceSink,
): void {
  let from = 0;
  for (const { start, end, id } of matches) {
    emitPiece(from, start);
    sink.token(id);
    from = end;
  }
  emitPiece(from, length);
}
