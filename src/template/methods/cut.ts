import { Traced } from "../values/scalars.ts";
import { fromPieces, type PlainText, sliceText } from "../values/text.ts";

/**
 * Cuts parts out of a text, given from left to right as UTF-16 ranges that do not overlap; all cuts together take time
 * linear in the text and its pieces.
 */
export function cutter(text: PlainText): (start: number, end: number) => PlainText {
  if (!(text instanceof Traced) || text.pieces === null) return (start, end) => sliceText(text, start, end);
  const { pieces } = text;
  let index = 0;
  let at = 0;
  return (start, end) => {
    const parts = [];
    while (index < pieces.length) {
      const piece = pieces[index]!;
      const from = Math.max(start - at, 0);
      const to = Math.min(end - at, piece.text.length);
      if (from < to) parts.push({ text: piece.text.slice(from, to), source: piece.source });
      if (at + piece.text.length > end) break;
      at += piece.text.length;
      index++;
    }
    return fromPieces(parts);
  };
}
