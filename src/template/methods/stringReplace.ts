import { codePointLength } from "../values/codePoints.ts";
import { Dict, List, Range, Tuple } from "../values/containers.ts";
import { toArray } from "../values/iterate.ts";
import { Undefined } from "../values/scalars.ts";
import { concatTexts, isText, type PlainText, plain, textOf } from "../values/text.ts";
import { typeName } from "../values/typeName.ts";
import { PythonError, type Runtime, type Value } from "../values/types.ts";
import { refuseUndefined } from "../values/undefined.ts";
import { asInteger, integerArgument, textArgument } from "./arguments.ts";
import { cutter } from "./cut.ts";
import { define, methodTable } from "./define.ts";
import { findAll } from "./search.ts";

export const replaceMethods = methodTable([
  define<PlainText>("replace", 2, 3, (runtime, self, old, replacement, count) => {
    const sought = textOf(textArgument("replace", old!));
    const limit = integerArgument("replace", count, -1);
    return replace(runtime, self, sought, textArgument("replace", replacement!), limit);
  }),
  define<PlainText>("join", 1, 1, (runtime, self, items) => join(runtime, self, toArray(runtime, items!))),
  define<PlainText>("translate", 1, 1, (runtime, self, table) => translate(runtime, self, table!)),
  define<PlainText>("maketrans", 1, 3, (_runtime, _self, from, to, removed) =>
    to === undefined ? tableOf(from!) : tableOfPairs(from!, to, removed),
  ),
]);

/** Replaces the first `limit` occurrences, all where it is negative. What is put in has the replacement's source. */
export function replace(
  runtime: Runtime,
  self: PlainText,
  sought: string,
  replacement: PlainText,
  limit: number,
): PlainText {
  const text = textOf(self);
  const most = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  const found = sought === "" ? between(text, most) : findAll(text, sought, most);
  if (found.length === 0) return self;
  runtime.allowItems(found.length);
  runtime.charge(found.length >> 2);
  runtime.allow(text.length + found.length * (textOf(replacement).length - sought.length));
  if (typeof self === "string" && typeof replacement === "string") {
    let result = "";
    let start = 0;
    for (const at of found) {
      result += self.slice(start, at) + replacement;
      start = at + sought.length;
    }
    return result + self.slice(start);
  }
  const part = cutter(self);
  const parts: PlainText[] = [];
  let start = 0;
  for (const at of found) {
    parts.push(part(start, at), replacement);
    start = at + sought.length;
  }
  parts.push(part(start, text.length));
  return concatTexts(parts);
}

/** UTF-16 indices before every character and at the end: where the empty text stands. */
function between(text: string, limit: number): number[] {
  const found: number[] = [];
  let at = 0;
  while (found.length < limit) {
    found.push(at);
    if (at >= text.length) break;
    at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  }
  return found;
}

/** The items, which must be texts, with `separator` between them. */
export function join(runtime: Runtime, separator: PlainText, items: readonly Value[]): PlainText {
  const parts: PlainText[] = [];
  const between = textOf(separator).length;
  let length = 0;
  for (const [index, item] of items.entries()) {
    if (!isText(item)) {
      throw new PythonError("TypeError", `join() needs texts, but item ${index} is of type ${typeName(item)}`);
    }
    if (index > 0 && between > 0) parts.push(separator);
    parts.push(textArgument("join", item));
    length += textOf(item).length + between;
  }
  runtime.allow(length);
  return concatTexts(parts);
}

function translate(runtime: Runtime, self: PlainText, table: Value): PlainText {
  const text = textOf(self);
  const part = cutter(self);
  const parts: PlainText[] = [];
  let length = 0;
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    const mapped = lookup(table, character.codePointAt(0)!);
    const now = mapped === undefined ? part(at, end) : mapped;
    length += textOf(now).length;
    runtime.allow(length);
    parts.push(now);
    at = end;
  }
  return concatTexts(parts);
}

/** What a character becomes; undefined: itself. A table may be anything that has items by number. */
function lookup(table: Value, code: number): PlainText | undefined {
  const entry = entryOf(table, code);
  if (entry === undefined) return undefined;
  const scalar = plain(entry);
  if (scalar === null) return "";
  if (isText(entry)) return textArgument("translate", entry);
  const mapped = asInteger(entry);
  if (mapped === null) {
    throw new PythonError("TypeError", `translate() maps to a text, a number or None, found ${typeName(entry)}`);
  }
  if (mapped < 0 || mapped > 0x10ffff) throw new PythonError("ValueError", `translate(): ${mapped} is no character`);
  return String.fromCodePoint(Number(mapped));
}

function entryOf(table: Value, code: number): Value | undefined {
  if (table instanceof Dict) return table.get(code);
  if (table instanceof List || table instanceof Tuple) return table.items[code];
  if (table instanceof Range) return code < table.length ? table.start + code * table.step : undefined;
  if (isText(table)) return Array.from(textOf(table))[code];
  if (table instanceof Undefined) refuseUndefined(table);
  throw new PythonError("TypeError", `translate() needs a dict, found ${typeName(table)}`);
}

/** A table by code point from a dict whose keys may be characters. */
function tableOf(from: Value): Dict {
  if (!(from instanceof Dict)) throw new PythonError("TypeError", "maketrans() with one argument needs a dict");
  const table = new Dict();
  for (const [key, value] of from.entries()) {
    if (isText(key)) table.set(onlyCode(textOf(key)), value);
    else if (asInteger(key) !== null) table.set(key, value);
    else throw new PythonError("TypeError", "maketrans() needs characters or integers as keys");
  }
  return table;
}

function onlyCode(text: string): number {
  if (codePointLength(text) !== 1) throw new PythonError("ValueError", "a key of maketrans() is one character");
  return text.codePointAt(0)!;
}

function tableOfPairs(from: Value, to: Value, removed: Value | undefined): Dict {
  const texts = removed === undefined ? [from, to] : [from, to, removed];
  const [sought, put, cut] = texts.map((value) => codesOf(textOf(textArgument("maketrans", value))));
  if (sought!.length !== put!.length) {
    throw new PythonError("ValueError", "the first two arguments of maketrans() must be of one length");
  }
  const table = new Dict();
  sought!.forEach((code, index) => {
    table.set(code, put![index]!);
  });
  for (const code of cut ?? []) table.set(code, null);
  return table;
}

function codesOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0)!);
}
