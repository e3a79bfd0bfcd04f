/**
 * Where a text is cut before merging: before every blank (a Metaspace pre-tokenizer that splits), before a blank that
 * follows something else (no piece reaches across such a place, so the cut changes nothing), or nowhere.
 */
export type Cut = "blanks" | "words" | "nowhere";

/** The cut that keeps what merging a whole text gives, for a vocabulary with these pieces (blanks as such). */
export function harmlessCut(pieces: Iterable<string>): Cut {
  for (const piece of pieces) if (/[^ ] /.test(piece)) return "nowhere";
  return "words";
}

/** The end of the stretch that starts at `start`. */
export function cutAfter(text: string, start: number, cut: Cut): number {
  if (cut === "nowhere") return text.length;
  let from = start + 1;
  if (cut === "words") while (text.charCodeAt(from - 1) === 32 && text.charCodeAt(from) === 32) from++;
  const blank = text.indexOf(" ", from);
  return blank < 0 ? text.length : blank;
}
