/*
 * A call whose arguments stand in tags with a name each: {head}{open}{text}{close}{open}{text}{close} … {end}
 */

/**
 * How the tags are laid out. The first group of `head` and `open` is a name; `close` is searched for (`g`), the others match
 * at a place (`y`).
 */
export interface TagLayout {
  readonly head: RegExp;
  readonly open: RegExp;
  readonly close: RegExp;
  readonly end: RegExp;
}

export interface TagParts {
  readonly name: string;
  readonly entries: readonly (readonly [key: string, text: string])[];
  /** Nothing is left over. */
  readonly isWhole: boolean;
  /** The parameter that has no end. */
  readonly openKey?: string;
}

/**
 * Reads to the letter first: then a value may hold tags that are laid out otherwise. A closing tag counts only where the next
 * parameter or the end follows, so that a value may hold the tag. Null where no call begins.
 */
export function readTagLayout(text: string, exact: TagLayout, lenient: TagLayout): TagParts | null {
  const parts = readLayout(text, exact);
  return parts?.isWhole ? parts : readLayout(text, lenient);
}

function readLayout(text: string, layout: TagLayout): TagParts | null {
  const head = matchAt(layout.head, text, 0);
  if (!head) return null;
  const name = head[1];
  const entries: [string, string][] = [];
  let at = head[0].length;
  for (;;) {
    const open = matchAt(layout.open, text, at);
    if (!open) return { name, entries, isWhole: matchAt(layout.end, text, at) !== null };
    const start = at + open[0].length;
    const close = findClose(text, start, layout);
    if (!close) return { name, entries, isWhole: false, openKey: open[1] };
    entries.push([open[1], text.slice(start, close.index)]);
    at = close.index + close[0].length;
  }
}

function findClose(text: string, start: number, layout: TagLayout): RegExpExecArray | null {
  for (let from = start; ; ) {
    const close = matchAt(layout.close, text, from);
    if (!close) return null;
    const after = close.index + close[0].length;
    if (matchAt(layout.open, text, after) || matchAt(layout.end, text, after)) return close;
    from = close.index + 1;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
