/** Two texts, cut at what they share. No marker (`<…>`, `[…]`) is cut: one that is shared in part belongs to the difference. */
export interface TextDifference {
  readonly prefix: string;
  readonly left: string;
  readonly right: string;
  readonly suffix: string;
}

export interface Segment {
  readonly kind: "marker" | "text";
  readonly text: string;
}

const OPENERS = "<[";
const CLOSERS = ">]";

/**
 * A text's markers and what stands between them. A marker is what stands between `<` and `>` or `[` and `]` without white space
 * before its first letter; markers may be nested (`<a[b]>` is one).
 */
export function segments(text: string): Segment[] {
  const found: Segment[] = [];
  let plain = 0;
  let at = 0;
  while (at < text.length) {
    const end = markerEnd(text, at);
    if (end < 0) at++;
    else {
      if (at > plain) found.push({ kind: "text", text: text.slice(plain, at) });
      found.push({ kind: "marker", text: text.slice(at, end) });
      at = end;
      plain = end;
    }
  }
  if (plain < text.length) found.push({ kind: "text", text: text.slice(plain) });
  return found;
}

/** Where the marker that begins at `at` ends; -1: none begins there. */
function markerEnd(text: string, at: number): number {
  const kind = OPENERS.indexOf(text[at]!);
  if (kind < 0 || !/[^\s{"'\d[\]<>]/.test(text[at + 1] ?? " ")) return -1;
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === OPENERS[kind]) depth++;
    else if (text[i] === CLOSERS[kind] && --depth === 0) return i + 1;
    else if (text[i] === "\n" || text[i] === "{") return -1;
  }
  return -1;
}

export function commonPrefix(a: string, b: string): string {
  if (b.startsWith(a)) return a;
  let end = 0;
  while (end < a.length && a.charCodeAt(end) === b.charCodeAt(end)) end++;
  return a.slice(0, end);
}

export function commonSuffix(a: string, b: string): string {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[a.length - 1 - length] === b[b.length - 1 - length]) length++;
  return length === 0 ? "" : a.slice(-length);
}

/** The same without a marker of which only the beginning is shared. */
export function wholePrefix(a: string, b: string): string {
  let shared = commonPrefix(a, b);
  for (const text of [a, b]) shared = shared.slice(0, wholeEnd(text, shared.length));
  return shared;
}

export function wholeSuffix(a: string, b: string): string {
  let shared = commonSuffix(a, b);
  for (const text of [a, b]) {
    const start = wholeStart(text, text.length - shared.length);
    shared = text.slice(start);
  }
  return shared;
}

/** The place, or the beginning of the marker that it stands in. */
function wholeEnd(text: string, place: number): number {
  return markerAround(text, place)?.start ?? place;
}

/** The place, or the end of the marker that it stands in. */
function wholeStart(text: string, place: number): number {
  return markerAround(text, place)?.end ?? place;
}

/** No marker crosses a line: only the line before the place is read. */
function markerAround(text: string, place: number): { readonly start: number; readonly end: number } | null {
  for (let start = text.lastIndexOf("\n", place - 1) + 1; start < place; start++) {
    const end = markerEnd(text, start);
    if (end < 0) continue;
    if (end > place) return { start, end };
    start = end - 1;
  }
  return null;
}

export function difference(a: string, b: string): TextDifference {
  const prefix = wholePrefix(a, b);
  const restA = a.slice(prefix.length);
  const restB = b.slice(prefix.length);
  const suffix = wholeSuffix(restA, restB);
  return {
    prefix,
    left: restA.slice(0, restA.length - suffix.length),
    right: restB.slice(0, restB.length - suffix.length),
    suffix,
  };
}
