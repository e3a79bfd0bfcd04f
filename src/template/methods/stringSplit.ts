import { isPythonSpace } from "../../messages/index.ts";
import { List, Tuple } from "../values/containers.ts";
import { isText, type PlainText, textOf } from "../values/text.ts";
import { typeName } from "../values/typeName.ts";
import { PythonError, type Runtime, type Value } from "../values/types.ts";
import { integerArgument, optionalText, textArgument } from "./arguments.ts";
import { cutter } from "./cut.ts";
import { define, defineNamed, methodTable } from "./define.ts";
import { findAll, findFirst, findLast } from "./search.ts";

export const splitMethods = methodTable([
  defineNamed<PlainText>("split", ["sep", "maxsplit"], (runtime, self, separator, limit) => {
    const most = limitOf(integerArgument("split", limit, -1));
    return cut(runtime, self, split(textOf(self), optionalText("split", separator), most));
  }),
  defineNamed<PlainText>("rsplit", ["sep", "maxsplit"], (runtime, self, separator, limit) => {
    const most = limitOf(integerArgument("rsplit", limit, -1));
    return cut(runtime, self, splitFromRight(textOf(self), optionalText("rsplit", separator), most));
  }),
  defineNamed<PlainText>("splitlines", ["keepends"], (runtime, self, keep) =>
    cut(runtime, self, lines(textOf(self), integerArgument("splitlines", keep, 0) !== 0)),
  ),
  define<PlainText>("partition", 1, 1, (_runtime, self, separator) => {
    const sought = partitionSeparator("partition", separator!);
    const text = textOf(self);
    const at = findFirst(text, textOf(sought), 0, text.length);
    return at === -1 ? new Tuple([self, "", ""]) : inThree(self, at, at + textOf(sought).length);
  }),
  define<PlainText>("rpartition", 1, 1, (_runtime, self, separator) => {
    const sought = partitionSeparator("rpartition", separator!);
    const text = textOf(self);
    const at = findLast(text, textOf(sought), 0, text.length);
    return at === -1 ? new Tuple(["", "", self]) : inThree(self, at, at + textOf(sought).length);
  }),
]);

function partitionSeparator(name: string, value: Value): PlainText {
  if (!isText(value)) throw new PythonError("TypeError", `${name}() needs a text, found ${typeName(value)}`);
  if (textOf(value) === "") throw emptySeparator(name);
  return textArgument(name, value);
}

function emptySeparator(name: string): PythonError {
  return new PythonError("ValueError", `${name}() needs a separator that is not empty`);
}

function limitOf(limit: number): number {
  return limit < 0 ? Number.POSITIVE_INFINITY : limit;
}

/** Start and end of every part, one after another. */
type Cuts = readonly number[];

function cut(runtime: Runtime, self: PlainText, cuts: Cuts): List {
  const count = cuts.length / 2;
  runtime.charge(count >> 2);
  if (typeof self === "string") {
    return new List(Array.from({ length: count }, (_, i) => self.slice(cuts[2 * i], cuts[2 * i + 1])));
  }
  const part = cutter(self);
  return new List(Array.from({ length: count }, (_, i) => part(cuts[2 * i]!, cuts[2 * i + 1]!)));
}

function inThree(self: PlainText, start: number, end: number): Tuple {
  const part = cutter(self);
  return new Tuple([part(0, start), part(start, end), part(end, textOf(self).length)]);
}

function split(text: string, separator: PlainText | undefined, limit: number): Cuts {
  if (separator === undefined) return splitAtSpace(text, limit);
  const sought = textOf(separator);
  if (sought === "") throw emptySeparator("split");
  const cuts = [0];
  for (const at of findAll(text, sought, limit)) cuts.push(at, at + sought.length);
  cuts.push(text.length);
  return cuts;
}

/** Words; after so many cuts the rest is one part, without the white space before it. */
function splitAtSpace(text: string, limit: number): Cuts {
  const cuts: number[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isPythonSpace(text.charCodeAt(at))) at++;
    if (at === text.length) return cuts;
    if (cuts.length / 2 >= limit) {
      cuts.push(at, text.length);
      return cuts;
    }
    const start = at;
    while (at < text.length && !isPythonSpace(text.charCodeAt(at))) at++;
    cuts.push(start, at);
  }
}

function splitFromRight(text: string, separator: PlainText | undefined, limit: number): Cuts {
  if (separator === undefined) return splitAtSpaceFromRight(text, limit);
  const sought = textOf(separator);
  if (sought === "") throw emptySeparator("rsplit");
  const ends = [text.length];
  let end = text.length;
  for (let left = limit; left > 0; left--) {
    const at = findLast(text, sought, 0, end);
    if (at === -1) break;
    ends.push(at + sought.length, at);
    end = at;
  }
  ends.push(0);
  return ends.reverse();
}

function splitAtSpaceFromRight(text: string, limit: number): Cuts {
  const ends: number[] = [];
  let at = text.length;
  for (;;) {
    while (at > 0 && isPythonSpace(text.charCodeAt(at - 1))) at--;
    if (at === 0) return ends.reverse();
    if (ends.length / 2 >= limit) {
      ends.push(at, 0);
      return ends.reverse();
    }
    const end = at;
    while (at > 0 && !isPythonSpace(text.charCodeAt(at - 1))) at--;
    ends.push(end, at);
  }
}

const lineBreak = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/g;

function lines(text: string, keepEnds: boolean): Cuts {
  const cuts: number[] = [];
  let start = 0;
  for (const found of text.matchAll(lineBreak)) {
    const end = found.index + found[0].length;
    cuts.push(start, keepEnds ? end : found.index);
    start = end;
  }
  if (start < text.length) cuts.push(start, text.length);
  return cuts;
}
