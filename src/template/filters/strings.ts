import { isPythonSpace, pythonStrip } from "../../messages/index.ts";
import { binary } from "../values/arithmetic.ts";
import { unitIndex } from "../values/codePoints.ts";
import { compare } from "../values/compare.ts";
import { Dict, List, Range, Tuple } from "../values/containers.ts";
import { lengthOf } from "../values/iterate.ts";
import { native } from "../values/native.ts";
import { indexOf } from "../values/numbers.ts";
import { str, typeName } from "../values/print.ts";
import { Float, Markup, type Text, Undefined } from "../values/scalars.ts";
import {
  concatTexts,
  firstSource,
  isText,
  mapText,
  type PlainText,
  plain,
  sliceText,
  textOf,
  traced,
} from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { Callable, PythonError, type Runtime, type Value } from "../values/types.ts";
import { refuseUndefined } from "../values/undefined.ts";
import {
  as,
  bare,
  builtin,
  callMethod,
  integerArgument,
  mapSoft,
  noAttribute,
  softText,
  whiteSpace,
} from "./support.ts";

export const upper = native("upper", ["s"], (runtime, value) =>
  mapSoft(softText(runtime, value!), (characters) => characters.toUpperCase()),
);

export const lower = native("lower", ["s"], (runtime, value) =>
  mapSoft(softText(runtime, value!), (characters) => characters.toLowerCase()),
);

export const capitalize = native("capitalize", ["s"], (runtime, value) =>
  callMethod(runtime, softText(runtime, value!), "capitalize"),
);

/** Unlike Python's `title`, it takes a word to end only at white space, a hyphen or an opening bracket. */
export const title = native("title", ["s"], (runtime, value) => {
  const text = bare(softText(runtime, value!));
  const parts: PlainText[] = [];
  let at = 0;
  const addWord = (end: number): void => {
    if (at === end) return;
    const head = at + (textOf(text).codePointAt(at)! > 0xffff ? 2 : 1);
    parts.push(mapText(sliceText(text, at, head), (characters) => characters.toUpperCase()));
    parts.push(mapText(sliceText(text, head, end), (characters) => characters.toLowerCase()));
  };
  for (const gap of textOf(text).matchAll(wordGap)) {
    addWord(gap.index);
    at = gap.index + gap[0].length;
    parts.push(sliceText(text, gap.index, at));
  }
  addWord(textOf(text).length);
  return concatTexts(parts);
});

const wordGap = new RegExp(`[-({[<${whiteSpace}]+`, "g");

export const trim = native("trim", ["value", ["chars", null]], (runtime, value, chars) => {
  if (chars === null && typeof value === "string") return trimmed(value);
  return callMethod(runtime, softText(runtime, value!), "strip", chars!);
});

function trimmed(text: string): string {
  const length = text.length;
  if (length === 0 || !(isPythonSpace(text.charCodeAt(0)) || isPythonSpace(text.charCodeAt(length - 1)))) return text;
  return pythonStrip(text);
}

export const center = native("center", ["value", ["width", 80]], (runtime, value, width) =>
  callMethod(runtime, softText(runtime, value!), "center", width!),
);

export const replace = native("replace", ["s", "old", "new", ["count", null]], (runtime, value, old, by, count) => {
  const text = str(runtime, value!);
  const from = str(runtime, old!);
  const to = str(runtime, by!);
  if (
    plain(count!) === null &&
    typeof text === "string" &&
    typeof from === "string" &&
    typeof to === "string" &&
    from !== ""
  ) {
    // The result is no longer than the text.
    if (to.length <= from.length) return text.includes(from) ? text.replaceAll(from, () => to) : text;
  }
  return callMethod(runtime, text, "replace", from, to, plain(count!) === null ? -1 : count!);
});

export const string = builtin("string", ["s"], (runtime, value) => softText(runtime, value!));

export const safe = native("safe", ["value"], (runtime, value) =>
  value instanceof Markup ? value : new Markup(str(runtime, value!)),
);

/** Python's `%` with the arguments given by position or by name. */
export const format = new Callable("format", "function", (runtime, { positional, named }) => {
  if (positional.length === 0) throw new PythonError("TypeError", "format needs its text");
  const [value, ...args] = positional;
  if (named === null || named.size === 0) return binary(runtime, "%", softText(runtime, value!), new Tuple(args));
  if (args.length > 0) {
    throw new PythonError("FilterArgumentError", "format takes arguments by position or by name, not both");
  }
  const fields = new Dict();
  for (const [key, field] of named) fields.set(key, field);
  return binary(runtime, "%", softText(runtime, value!), fields);
});

/** The width is a number of spaces, or the text that lines begin with. */
export const indent = native(
  "indent",
  ["s", ["width", 4], ["first", false], ["blank", false]],
  (runtime, value, width, first, blank) => {
    const indention = indentionOf(runtime, width!);
    if (!isText(value!)) return refuseLines(value!);
    const text = bare(value);
    const characters = textOf(text);
    const parts: PlainText[] = isTrue(first!) ? [indention] : [];
    let length = characters.length;
    const step = textOf(indention).length;
    const lines = linesOf(characters);
    for (const [index, { start, end }] of lines.entries()) {
      if (index > 0) {
        parts.push(lineFeed(sliceText(text, lines[index - 1]!.end, start)));
        if (end > start || isTrue(blank!)) {
          parts.push(indention);
          length += step;
          runtime.allow(length);
        }
      }
      parts.push(sliceText(text, start, end));
    }
    runtime.charge(lines.length);
    runtime.allow(length + step);
    return as(value, concatTexts(parts));
  },
);

function indentionOf(runtime: Runtime, width: Value): PlainText {
  if (isText(width)) return bare(width);
  if (width instanceof Undefined) refuseUndefined(width);
  const spaces = integerArgument(width, "the width of an indention");
  runtime.allow(spaces);
  return " ".repeat(Math.max(0, spaces));
}

/** Any line break becomes a line feed, from where the break was. */
function lineFeed(lineBreak: PlainText): PlainText {
  return textOf(lineBreak) === "\n" ? lineBreak : traced("\n", firstSource(lineBreak));
}

function refuseLines(value: Value): never {
  if (value instanceof List) noAttribute(value, "splitlines");
  if (value instanceof Undefined) refuseUndefined(value);
  throw new PythonError("TypeError", `a text is indented, not ${typeName(value)}: print it first (string)`);
}

interface Line {
  readonly start: number;
  readonly end: number;
}

/** Lines as Python's `splitlines` finds them when a line feed has been added to the text. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const { index, 0: found } of text.matchAll(lineBreak)) {
    lines.push({ start, end: index });
    start = index + found.length;
  }
  // A carriage return at the end takes the added line feed with it.
  if (!(start === text.length && text.endsWith("\r"))) lines.push({ start, end: text.length });
  return lines;
}

const lineBreak = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/g;

export const truncate = native(
  "truncate",
  ["s", ["length", 255], ["killwords", false], ["end", "..."], ["leeway", null]],
  (runtime, value, length, killwords, end, leeway) => {
    const ending = lengthOf(runtime, end!);
    const least = plain(leeway!) === null ? 5 : leeway!;
    if (!compare(runtime, ">=", length!, ending)) {
      throw new PythonError("AssertionError", `truncate to a length of at least ${ending}, that of its ending`);
    }
    if (!compare(runtime, ">=", least, 0))
      throw new PythonError("AssertionError", "the leeway of truncate is at least 0");
    const size = lengthOf(runtime, value!);
    if (compare(runtime, "<=", size, binary(runtime, "+", length!, least))) return value!;
    const cut = indexOf(length!);
    if (cut === null || !isText(value!)) return refuseCut(value!, length!, isTrue(killwords!));
    const text = bare(value);
    let head = sliceText(text, 0, unitIndex(textOf(text), cut - ending));
    if (!isTrue(killwords!)) {
      const space = textOf(head).lastIndexOf(" ");
      if (space !== -1) head = sliceText(head, 0, space);
    }
    return binary(runtime, "+", as(value, head), end!);
  },
);

function refuseCut(value: Value, length: Value, killwords: boolean): never {
  if (length instanceof Float || !(value instanceof List || value instanceof Tuple || value instanceof Range)) {
    throw new PythonError("TypeError", `a text is truncated to an int, not ${typeName(value)} to ${typeName(length)}`);
  }
  throw new PythonError(killwords ? "TypeError" : "AttributeError", `a text is truncated, not ${typeName(value)}`);
}

export const wordcount = native("wordcount", ["s"], (runtime, value) => {
  const text = textOf(softText(runtime, value!));
  let words = 0;
  for (const _ of text.matchAll(/[\p{L}\p{N}_]+/gu)) words++;
  return words;
});

/** A text's code points from last to first. */
export function reversedText(value: Text): Text {
  const text = bare(value);
  if (typeof text === "string") return as(value, Array.from(text).reverse().join(""));
  const characters = textOf(text);
  const parts: PlainText[] = [];
  for (let end = characters.length; end > 0; ) {
    const start = end > 1 && characters.codePointAt(end - 2)! > 0xffff ? end - 2 : end - 1;
    parts.push(sliceText(text, start, end));
    end = start;
  }
  return as(value, concatTexts(parts));
}
