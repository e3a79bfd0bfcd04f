import { isPythonSpace } from "../../messages/index.ts";
import { codePointLength, unitIndex } from "../values/codePoints.ts";
import { compare } from "../values/compare.ts";
import { native } from "../values/native.ts";
import { indexOf } from "../values/numbers.ts";
import { typeName } from "../values/print.ts";
import { Float, Markup } from "../values/scalars.ts";
import { concatTexts, isText, type PlainText, plain, sliceText, textOf } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { PythonError, type Runtime, type Value } from "../values/types.ts";
import { escaped } from "./html.ts";
import { bare, noAttribute } from "./support.ts";

/** Breaks lines as Python's `textwrap` does, keeping the line breaks that are there. */
export const wordwrap = native(
  "wordwrap",
  ["s", ["width", 79], ["break_long_words", true], ["wrapstring", null], ["break_on_hyphens", true]],
  (runtime, value, width, breakLongWords, wrapstring, breakOnHyphens) => {
    const separator = plain(wrapstring!) === null ? "\n" : wrapstring!;
    if (!isText(separator)) return noAttribute(separator, "join");
    if (!isText(value!)) return noAttribute(value!, "splitlines");
    const text = bare(value);
    const wrapped = wrapLines(runtime, textOf(text), width!, {
      breakLongWords: isTrue(breakLongWords!),
      breakOnHyphens: isTrue(breakOnHyphens!),
      // Python splits at hyphens for True itself only.
      splitAtHyphens: plain(breakOnHyphens!) === true,
    });
    const parts: PlainText[] = [];
    let length = 0;
    for (const [index, { start, end }] of wrapped.entries()) {
      if (index > 0) parts.push(bare(separator));
      const line = sliceText(text, start, end);
      parts.push(separator instanceof Markup ? bare(escaped(runtime, line)) : line);
      length += textOf(separator).length + end - start;
      runtime.allow(length);
    }
    return separator instanceof Markup ? new Markup(concatTexts(parts)) : concatTexts(parts);
  },
);

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Breaking {
  readonly breakLongWords: boolean;
  readonly breakOnHyphens: boolean;
  readonly splitAtHyphens: boolean;
}

const lineBreak = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/g;

/** Lines of the result, as parts of the text. */
function wrapLines(runtime: Runtime, text: string, width: Value, breaking: Breaking): Range[] {
  const lines: Range[] = [];
  const add = (start: number, end: number): void => {
    const wrapped = wrapParagraph(runtime, text, start, end, width, breaking);
    // A blank line has no lines when wrapped, and is one all the same.
    if (wrapped.length === 0) lines.push({ start, end: start });
    else lines.push(...wrapped);
  };
  let start = 0;
  for (const { index, 0: found } of text.matchAll(lineBreak)) {
    add(start, index);
    start = index + found.length;
  }
  if (start < text.length) add(start, text.length);
  return lines;
}

const space = "[\\t-\\r ]";
const punctuated = "[\\p{L}\\p{N}_!\"'&.,?]";
const word = "[\\p{L}\\p{N}_]";
const letter = "(?!\\p{Nd})[\\p{L}\\p{N}_]";
const letterBefore = "(?:(?!\\p{Nd})[\\p{L}\\p{N}_])";

/** White space; a dash between words; a word, or its part up to a hyphen or dash. */
const hyphenated = new RegExp(
  `(${space}+|(?<=${punctuated})-{2,}(?=${word})|[^\\t-\\r ]+?(?:` +
    `-(?:(?<=${letterBefore}{2}-)|(?<=${letterBefore}-${letterBefore}-))(?=${letter}-?${letter})` +
    `|(?=${space}|$)|(?<=${punctuated})(?=-{2,}${word})))`,
  "gu",
);
const spaced = new RegExp(`(${space}+)`, "gu");

function chunksOf(text: string, start: number, splitAtHyphens: boolean): Range[] {
  const chunks: Range[] = [];
  let at = 0;
  const add = (from: number, to: number): void => {
    if (to > from) chunks.push({ start: start + from, end: start + to });
  };
  for (const { index, 0: found } of text.matchAll(splitAtHyphens ? hyphenated : spaced)) {
    add(at, index);
    at = index + found.length;
    add(index, at);
  }
  add(at, text.length);
  return chunks;
}

function wrapParagraph(
  runtime: Runtime,
  text: string,
  from: number,
  to: number,
  given: Value,
  { breakLongWords, breakOnHyphens, splitAtHyphens }: Breaking,
): Range[] {
  const chunks = chunksOf(text.slice(from, to), from, splitAtHyphens).reverse();
  runtime.charge(chunks.length);
  const width = widthOf(runtime, given);
  const lines: Range[] = [];
  const sizeOf = ({ start, end }: Range): number => codePointLength(text.slice(start, end));
  const isBlank = ({ start, end }: Range): boolean => {
    for (let at = start; at < end; at++) if (!isPythonSpace(text.charCodeAt(at))) return false;
    return true;
  };
  while (chunks.length > 0) {
    if (lines.length > 0 && isBlank(chunks[chunks.length - 1]!)) chunks.pop();
    const line: Range[] = [];
    let length = 0;
    while (chunks.length > 0) {
      const size = sizeOf(chunks[chunks.length - 1]!);
      if (length + size > width) break;
      line.push(chunks.pop()!);
      length += size;
    }
    const next = chunks[chunks.length - 1];
    if (next !== undefined && sizeOf(next) > width) {
      if (breakLongWords) {
        const room = width < 1 ? 1 : width - length;
        if (plain(given) instanceof Float && width >= 1) refuseWidth(given);
        const cut = cutOf(text, next, room, breakOnHyphens);
        line.push({ start: next.start, end: cut });
        chunks[chunks.length - 1] = { start: cut, end: next.end };
      } else if (line.length === 0) line.push(chunks.pop()!);
    }
    if (line.length > 0 && isBlank(line[line.length - 1]!)) line.pop();
    if (line.length > 0) lines.push({ start: line[0]!.start, end: line[line.length - 1]!.end });
  }
  return lines;
}

function widthOf(runtime: Runtime, given: Value): number {
  if (compare(runtime, "<=", given, 0)) throw new PythonError("ValueError", "lines are wrapped to a width above 0");
  const scalar = plain(given);
  if (scalar instanceof Float) return scalar.value;
  return indexOf(given) ?? refuseWidth(given);
}

function refuseWidth(given: Value): never {
  throw new PythonError("TypeError", `the width of lines is an int, not ${typeName(given)}`);
}

/** Where a word that no line can hold is cut: behind its last hyphen that fits, else where the line ends. */
function cutOf(text: string, { start, end }: Range, room: number, breakOnHyphens: boolean): number {
  const chunk = text.slice(start, end);
  const limit = unitIndex(chunk, room);
  if (breakOnHyphens && limit < chunk.length) {
    const hyphen = limit === 0 ? -1 : chunk.lastIndexOf("-", limit - 1);
    if (hyphen > 0 && /[^-]/.test(chunk.slice(0, hyphen))) return start + hyphen + 1;
  }
  return start + limit;
}
