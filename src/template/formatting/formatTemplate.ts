import { PythonError } from "../values/types.ts";

export interface FormatField {
  readonly name: string;
  readonly conversion: string | null;
  readonly spec: string;
}

/** Text from `start` to `end` and the field behind it, if one follows. */
export interface FormatPart {
  readonly start: number;
  readonly end: number;
  readonly field: FormatField | null;
}

/** Reads a format of `str.format` part by part: texts, `{{` and `}}`, fields. */
export function* readTemplate(text: string): Generator<FormatPart> {
  let at = 0;
  while (at < text.length) {
    const brace = /[{}]/g;
    brace.lastIndex = at;
    const found = brace.exec(text);
    if (found === null) {
      yield { start: at, end: text.length, field: null };
      return;
    }
    const mark = found[0];
    const end = found.index;
    if (text.charAt(end + 1) === mark) {
      yield { start: at, end: end + 1, field: null };
      at = end + 2;
      continue;
    }
    if (mark === "}" || end + 1 === text.length) {
      throw new PythonError(
        "ValueError",
        `the format has a single "${mark}": write "${mark}${mark}" for the character`,
      );
    }
    const { field, next } = readField(text, end + 1);
    yield { start: at, end, field };
    at = next;
  }
}

function readField(text: string, start: number): { readonly field: FormatField; readonly next: number } {
  const nameEnd = endOfName(text, start);
  const name = text.slice(start, nameEnd);
  let at = nameEnd;
  let conversion: string | null = null;
  if (text.charAt(at) === "!") {
    at++;
    if (at >= text.length) throw new PythonError("ValueError", "the format ends where a conversion should follow");
    conversion = String.fromCodePoint(text.codePointAt(at)!);
    at += conversion.length;
    if (text.charAt(at) === "}") return { field: { name, conversion, spec: "" }, next: at + 1 };
    if (at < text.length && text.charAt(at) !== ":") {
      throw new PythonError("ValueError", "only a colon may follow a field's conversion");
    }
  }
  if (text.charAt(at) === "}") return { field: { name, conversion, spec: "" }, next: at + 1 };
  const specStart = at + 1;
  let depth = 1;
  for (at = specStart; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "{") depth++;
    else if (character === "}" && --depth === 0) {
      return { field: { name, conversion, spec: text.slice(specStart, at) }, next: at + 1 };
    }
  }
  throw unclosed();
}

/** Where `}`, `:` or `!` ends a field's name; within brackets they are part of it. */
function endOfName(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "{") throw new PythonError("ValueError", 'a field\'s name in the format holds a "{"');
    if (character === "}" || character === ":" || character === "!") return at;
    if (character === "[") {
      const close = text.indexOf("]", at);
      if (close === -1) break;
      at = close;
    }
  }
  throw unclosed();
}

function unclosed(): PythonError {
  return new PythonError("ValueError", "a field of the format is not closed");
}
