import { codePointLength } from "../values/codePoints.ts";
import { compare } from "../values/compare.ts";
import { Dict, List, Tuple } from "../values/containers.ts";
import { native } from "../values/native.ts";
import { repr, typeName } from "../values/print.ts";
import { Markup } from "../values/scalars.ts";
import { anySource } from "../values/sources.ts";
import { plain, textOf, traced } from "../values/text.ts";
import { PythonError, type Runtime, type Value } from "../values/types.ts";
import { Group } from "./group.ts";
import { sortByKey } from "./order.ts";
import { whiteSpace } from "./support.ts";

const width = 80;

/** Python's `pprint`: dicts in order of their keys, and what does not fit into 80 columns on lines of its own. */
export const pprint = native("pprint", ["value"], (runtime, value) => {
  const printer: Printer = { runtime, lines: "", open: [] };
  print(printer, value!, 0, 0, 0);
  runtime.allow(printer.lines.length);
  return traced(printer.lines, runtime.traced ? anySource(value!) : null);
});

interface Printer {
  readonly runtime: Runtime;
  lines: string;
  /** Containers around the value that is printed. */
  readonly open: Value[];
}

/** `indent`: the column; `allowance`: columns that must stay free behind the value; `level`: containers around it. */
function print(printer: Printer, given: Value, indent: number, allowance: number, level: number): void {
  const value = plain(given);
  const flat = flatText(printer, value, printer.open);
  if (codePointLength(flat) <= width - indent - allowance || value instanceof Group) {
    printer.lines += flat;
    return;
  }
  if (typeof value === "string") {
    printString(printer, value, indent, allowance, level + 1);
    return;
  }
  if (!(value instanceof Dict || value instanceof List || value instanceof Tuple) || printer.open.includes(value)) {
    printer.lines += flat;
    return;
  }
  printer.open.push(value);
  printer.runtime.enter();
  const [start, end] =
    value instanceof Dict ? "{}" : value instanceof List ? "[]" : ["(", value.items.length === 1 ? ",)" : ")"];
  printer.lines += start;
  const inner = indent + 1;
  const delimiter = `,\n${" ".repeat(inner)}`;
  const behind = allowance + end!.length;
  const members: [prefix: string, value: Value][] =
    value instanceof Dict
      ? sortedEntries(printer.runtime, value).map(([key, member]) => [
          `${flatText(printer, key, printer.open)}: `,
          member,
        ])
      : value.items.map((member) => ["", member]);
  for (const [index, [prefix, member]] of members.entries()) {
    const isLast = index === members.length - 1;
    printer.lines += prefix;
    print(printer, member, inner + codePointLength(prefix), isLast ? behind : 1, level + 1);
    if (!isLast) printer.lines += delimiter;
    printer.runtime.allow(printer.lines.length);
  }
  printer.lines += end;
  printer.runtime.leave();
  printer.open.pop();
}

/** A long text, in several literals. */
function printString(printer: Printer, text: string, indent: number, allowance: number, level: number): void {
  // Only the outermost value is put into brackets.
  const outer = level === 1 ? 1 : 0;
  const column = indent + outer;
  const behind = allowance + outer;
  const literals: string[] = [];
  const quote = (part: string): string => textOf(repr(printer.runtime, part));
  const lines = text.match(keptLines)!;
  let last = "";
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    last = quote(line);
    if (codePointLength(last) <= width - column - (isLast ? behind : 0)) {
      literals.push(last);
      continue;
    }
    const words = line.match(wordsAndSpace)!;
    let current = "";
    for (const [at, word] of words.entries()) {
      const room = width - column - (isLast && at === words.length - 1 ? behind : 0);
      if (codePointLength(quote(current + word)) > room) {
        if (current !== "") literals.push(quote(current));
        current = word;
      } else current += word;
      printer.runtime.charge(current.length >> 6);
    }
    if (current !== "") literals.push(quote(current));
  }
  if (literals.length === 1) printer.lines += last;
  else printer.lines += `${outer ? "(" : ""}${literals.join(`\n${" ".repeat(column)}`)}${outer ? ")" : ""}`;
  printer.runtime.allow(printer.lines.length);
}

const keptLines =
  /[^\n\v\f\r\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029])|[^\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+$/g;

const wordsAndSpace = new RegExp(`[^${whiteSpace}]+[${whiteSpace}]*|[${whiteSpace}]+`, "g");

/** `repr` on one line, with dicts in order of their keys. */
function flatText(printer: Printer, given: Value, around: readonly Value[]): string {
  const value = plain(given);
  const { runtime } = printer;
  const isDict = value instanceof Dict;
  if (!(isDict || value instanceof List || value instanceof Tuple) || value instanceof Group) {
    return textOf(repr(runtime, value));
  }
  if (around.includes(value)) return `<Recursion on ${typeName(value)}>`;
  runtime.enter();
  const inside = [...around, value];
  const flat = (member: Value): string => flatText(printer, member, inside);
  let text: string;
  if (isDict) {
    const entries = sortedEntries(runtime, value);
    text = `{${entries.map(([key, member]) => `${flat(key)}: ${flat(member)}`).join(", ")}}`;
  } else {
    runtime.charge(value.items.length);
    const items = value.items.map(flat).join(", ");
    text = value instanceof List ? `[${items}]` : `(${items}${value.items.length === 1 ? "," : ""})`;
  }
  runtime.allow(text.length);
  runtime.leave();
  return text;
}

/** Keys in order; those that have none between them by the names of their types. */
function sortedEntries(runtime: Runtime, dict: Dict): [Value, Value][] {
  const entries = [...dict.entries()];
  runtime.charge(entries.length);
  try {
    return sortByKey(runtime, entries, ([key]) => key, false);
  } catch (error) {
    if (!(error instanceof PythonError && error.type === "TypeError")) throw error;
    return sortByKey(runtime, entries, ([key]) => key, false, isBefore);
  }
}

function isBefore(runtime: Runtime, a: Value, b: Value): boolean {
  try {
    return compare(runtime, "<", a, b);
  } catch (error) {
    if (!(error instanceof PythonError && error.type === "TypeError")) throw error;
    return className(a) < className(b);
  }
}

/** A type's name with its module, unless it is a builtin one. */
function className(value: Value): string {
  return value instanceof Markup ? "markupsafe.Markup" : typeName(value);
}
