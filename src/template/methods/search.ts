/*
 * Search by code points: a lone surrogate is no part of a pair, so a hit that would cut a pair in two is none.
 */

/** UTF-16 index of the first occurrence that lies within `from` and `to`, or -1. */
export function findFirst(text: string, part: string, from: number, to: number): number {
  if (part === "") return from <= to ? from : -1;
  let at = text.indexOf(part, from);
  while (at !== -1 && at + part.length <= to && cutsPair(text, at, at + part.length)) at = text.indexOf(part, at + 1);
  return at !== -1 && at + part.length <= to ? at : -1;
}

/** UTF-16 index of the last occurrence that lies within `from` and `to`, or -1. */
export function findLast(text: string, part: string, from: number, to: number): number {
  if (part === "") return from <= to ? to : -1;
  if (to - part.length < from) return -1;
  let at = text.lastIndexOf(part, to - part.length);
  while (at > 0 && cutsPair(text, at, at + part.length)) at = text.lastIndexOf(part, at - 1);
  return at < from || (at === 0 && cutsPair(text, at, part.length)) ? -1 : at;
}

/** The part stands at the start of the range. */
export function startsAt(text: string, part: string, from: number, to: number): boolean {
  return from + part.length <= to && text.startsWith(part, from) && !splitsPair(text, from + part.length);
}

/** The part stands at the end of the range. */
export function endsAt(text: string, part: string, from: number, to: number): boolean {
  return to - part.length >= from && text.endsWith(part, to) && !splitsPair(text, to - part.length);
}

/** UTF-16 indices of all occurrences that do not overlap, from the left, at most `limit`. An empty part stands nowhere. */
export function findAll(text: string, part: string, limit: number, from = 0, to: number = text.length): number[] {
  const found: number[] = [];
  if (part === "") return found;
  let at = from;
  while (found.length < limit) {
    at = findFirst(text, part, at, to);
    if (at === -1) break;
    found.push(at);
    at += part.length;
  }
  return found;
}

function cutsPair(text: string, start: number, end: number): boolean {
  return splitsPair(text, start) || splitsPair(text, end);
}

function splitsPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
