import type { CodePointRange, GbnfAny, GbnfClass } from "./types.ts";

export const maxCodePoint = 0x10ffff;

/** Sets of code points as sorted ranges that neither touch nor overlap. */
export type CodePointSet = readonly CodePointRange[];

export function codePointSet(ranges: readonly CodePointRange[]): CodePointSet {
  const sorted = ranges.filter(([from, to]) => from <= to).sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function complement(set: CodePointSet): CodePointSet {
  const gaps: CodePointRange[] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= maxCodePoint) gaps.push([next, maxCodePoint]);
  return gaps;
}

export function intersection(a: CodePointSet, b: CodePointSet): CodePointSet {
  return codePointSet(
    a.flatMap(([from, to]) => b.map(([low, high]): CodePointRange => [Math.max(from, low), Math.min(to, high)])),
  );
}

/** The code points that a class or `.` matches. */
export function matchedBy(one: GbnfClass | GbnfAny): CodePointSet {
  if (one.kind === "any") return [[0, maxCodePoint]];
  const set = codePointSet(one.ranges);
  return one.negated ? complement(set) : set;
}

/** Whether a code point from `low` to `high` is in the set. */
export function meets(set: CodePointSet, low: number, high: number): boolean {
  let first = 0;
  let end = set.length;
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (set[middle][1] < low) first = middle + 1;
    else end = middle;
  }
  return first < set.length && set[first][0] <= high;
}
