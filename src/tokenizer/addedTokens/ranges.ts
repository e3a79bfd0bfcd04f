import { TitoError } from "../../errors.ts";
import type { TextRange } from "../types.ts";

/** Checks that ranges are sorted, disjoint and within the text, and joins those that touch. Empty ones are dropped. */
export function joinRanges(ranges: readonly TextRange[], length: number): TextRange[] {
  const joined: [number, number][] = [];
  let previous = 0;
  for (const [start, end] of ranges) {
    if (!(start >= previous && end >= start && end <= length)) {
      throw new TitoError(
        "invalid_range",
        `Range [${start}, ${end}) is out of order or outside the text of ${length} UTF-16 units. Pass sorted, disjoint ranges.`,
        { details: { start, end, length } },
      );
    }
    previous = end;
    if (start === end) continue;
    const last = joined.at(-1);
    if (last !== undefined && last[1] === start) last[1] = end;
    else joined.push([start, end]);
  }
  return joined;
}

/**
 * Where ranges of `text` lie in its normalised form, given the ranges' own normaliser. If a normalisation reaches across
 * an edge, no character can be said to come from one side alone: then nothing is in any range.
 */
export function mapRanges(
  text: string,
  normalized: string,
  ranges: readonly TextRange[],
  normalize: (text: string) => string,
): TextRange[] {
  const mapped: [number, number][] = [];
  let whole = "";
  let from = 0;
  for (const [start, end] of ranges) {
    whole += normalize(text.slice(from, start));
    const mappedStart = whole.length;
    whole += normalize(text.slice(start, end));
    mapped.push([mappedStart, whole.length]);
    from = end;
  }
  whole += normalize(text.slice(from));
  return whole === normalized ? mapped : [];
}

/** The parts of sorted ranges that lie in `[start, end)`, counted from `start`. */
export function clipRanges(ranges: readonly TextRange[], start: number, end: number): TextRange[] {
  const clipped: TextRange[] = [];
  for (let index = firstEndingAfter(ranges, start); index < ranges.length && ranges[index][0] < end; index++) {
    clipped.push([Math.max(ranges[index][0], start) - start, Math.min(ranges[index][1], end) - start]);
  }
  return clipped;
}

function firstEndingAfter(ranges: readonly TextRange[], position: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle][1] > position) high = middle;
    else low = middle + 1;
  }
  return low;
}
