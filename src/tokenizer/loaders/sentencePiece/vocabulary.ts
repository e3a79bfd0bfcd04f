import { byteEntry, METASPACE } from "../../metaspace/spelling.ts";
import { type Merge, type MetaspaceSource, requireByteIds } from "../../metaspace/tables.ts";
import { BYTE, NORMAL, type Piece, UNUSED, unsupported } from "./model.ts";

export const isNormal = (piece: Piece): boolean => piece.type === NORMAL;

export const isOneCharacter = (text: string): boolean => text.length === ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);

/**
 * A piece is made by joining any two symbols whose text it is, the piece of the highest score first, so each way to cut it
 * into two is a merge of its own rank.
 */
export function readPieces(pieces: readonly Piece[]): MetaspaceSource {
  const byteIds = requireByteIds(bytePieces(pieces), byteEntry);
  const ids = new Map<string, number>();
  pieces.forEach((piece, id) => {
    if (isNormal(piece)) ids.set(piece.text, id);
  });
  const hidden = new Map<string, number>();
  const symbolOf = (text: string): number | undefined => {
    const id = ids.get(text) ?? hidden.get(text);
    if (id !== undefined || !isOneCharacter(text)) return id;
    hidden.set(text, pieces.length + hidden.size);
    return hidden.get(text);
  };
  const merges: Merge[] = [];
  const ranked = byScore(pieces);
  ranked.forEach((merged, rank) => {
    const { text } = pieces[merged];
    for (let seam = 0; ; ) {
      seam += (text.codePointAt(seam) as number) > 0xffff ? 2 : 1;
      if (seam >= text.length) break;
      const left = symbolOf(text.slice(0, seam));
      const right = left === undefined ? undefined : symbolOf(text.slice(seam));
      if (left !== undefined && right !== undefined) merges.push({ left, right, merged, rank });
    }
  });
  const symbols = new Map<number, number>();
  for (const [text, symbol] of [...ids, ...hidden]) if (isOneCharacter(text)) symbols.set(startOf(text), symbol);
  return {
    entries: pieces.map(({ text, type }) => (type === UNUSED ? undefined : text)),
    byteIds,
    symbols,
    hidden: [...hidden.keys()],
    merges,
    ranks: ranked.length,
  };
}

/** The code point that a piece of one character stands for. */
const startOf = (text: string): number => (text === METASPACE ? 32 : (text.codePointAt(0) as number));

/** Ids of the pieces that are merged to, from the highest score to the lowest. */
function byScore(pieces: readonly Piece[]): number[] {
  const ids = pieces.flatMap((piece, id) => (isNormal(piece) && !isOneCharacter(piece.text) ? [id] : []));
  ids.sort((a, b) => pieces[b].score - pieces[a].score || a - b);
  // Of two equal scores the library takes the place further left, whichever piece it makes; ranks cannot say that.
  const equal = ids.findIndex((id, rank) => rank > 0 && pieces[id].score === pieces[ids[rank - 1]].score);
  if (equal < 0) return ids;
  const names = [ids[equal - 1], ids[equal]].map((id) => JSON.stringify(pieces[id].text)).join(" and ");
  throw unsupported(`its pieces ${names} have the same score`);
}

function bytePieces(pieces: readonly Piece[]): (byte: number) => number | undefined {
  const ids = new Map<string, number>();
  pieces.forEach(({ type, text }, id) => {
    if (type === BYTE) ids.set(text, id);
  });
  return (byte) => ids.get(byteEntry(byte));
}
