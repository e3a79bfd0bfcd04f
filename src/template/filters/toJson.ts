import { printFloat, quoteJson } from "../../messages/index.ts";
import { Dict, List, Tuple } from "../values/containers.ts";
import { toArray } from "../values/iterate.ts";
import { native } from "../values/native.ts";
import { indexOf } from "../values/numbers.ts";
import { str, typeName } from "../values/print.ts";
import { Float, Markup, Traced, Undefined } from "../values/scalars.ts";
import type { Source } from "../values/source.ts";
import { isText, mapText, type PlainText, plain, TextBuilder, textOf } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { type Callable, PythonError, type Runtime, type Value } from "../values/types.ts";
import { refuseUndefined } from "../values/undefined.ts";
import { sortByKey } from "./order.ts";

/** `json.dumps`' options, as the template passes them. */
export interface ToJsonOptions {
  readonly ensureAscii?: Value;
  /** Spaces per level, or the text of one. */
  readonly indent?: Value;
  /** What stands between items and after a key. */
  readonly separators?: Value;
  readonly sortKeys?: Value;
}

/**
 * JSON text of a value as Python's `json.dumps` prints it. What comes from the context keeps its source, as one piece; the
 * brackets and commas of lists and dicts that the template made have none. Throws a `TypeError` for what is no JSON value, a
 * `ValueError` for a container that holds itself.
 */
export function toJson(runtime: Runtime, value: Value, options: ToJsonOptions = {}): PlainText {
  const writer = writerOf(runtime, value, options);
  if (!runtime.traced) return jsonText(writer, value, "\n");
  const source = sourceOf(value);
  const out = new TextBuilder(runtime);
  if (source !== null) out.add(jsonText(writer, value, "\n"), source);
  else addJson(writer, out, value, "\n");
  return out.text();
}

export const toJsonFilter: Callable = native(
  "tojson",
  ["x", ["ensure_ascii", false], ["indent", null], ["separators", null], ["sort_keys", false]],
  (runtime, value, ensureAscii, indent, separators, sortKeys) =>
    toJson(runtime, value!, {
      ensureAscii: ensureAscii!,
      indent: indent!,
      separators: separators!,
      sortKeys: sortKeys!,
    }),
);

interface Writer {
  readonly runtime: Runtime;
  readonly ensureAscii: boolean;
  readonly indent: string | null;
  readonly item: string;
  readonly key: string;
  readonly sortKeys: boolean;
  /** Containers around the value that is printed. */
  readonly open: Value[];
  /** Length of the texts printed so far. */
  length: number;
}

function writerOf(runtime: Runtime, value: Value, options: ToJsonOptions): Writer {
  const { ensureAscii = false, separators = null, sortKeys = false } = options;
  const indent = plain(options.indent ?? null);
  let item: Value = indent === null ? ", " : ",";
  let key: Value = ": ";
  if (plain(separators) !== null) {
    const pair = toArray(runtime, separators);
    if (pair.length !== 2) throw new PythonError("ValueError", `separators are two texts, not ${pair.length}`);
    [item, key] = pair as [Value, Value];
  }
  // Python looks at the other options only where there is something to lay out.
  const scalar = isText(value);
  if (!scalar && !(isText(item) && isText(key)) && (indent === null || !isEmptyOrScalar(value))) {
    throw new PythonError("TypeError", "separators must be texts");
  }
  return {
    runtime,
    ensureAscii: isTrue(ensureAscii),
    indent: scalar || indent === null ? null : indentText(runtime, indent),
    item: isText(item) ? textOf(item) : "",
    key: isText(key) ? textOf(key) : "",
    sortKeys: isTrue(sortKeys),
    open: [],
    length: 0,
  };
}

function isEmptyOrScalar(value: Value): boolean {
  if (value instanceof List || value instanceof Tuple) return value.items.length === 0;
  return !(value instanceof Dict) || value.size === 0;
}

function indentText(runtime: Runtime, indent: Value): string {
  if (isText(indent)) return textOf(indent);
  if (indent instanceof Undefined) refuseUndefined(indent);
  const width = indexOf(indent);
  if (width === null) throw new PythonError("TypeError", `indent must be an int or a text, not ${typeName(indent)}`);
  runtime.allow(width);
  return " ".repeat(Math.max(0, width));
}

function quote(writer: Writer, text: string): string {
  const quoted = quoteJson(text, writer.ensureAscii);
  grow(writer, quoted.length);
  return quoted;
}

function grow(writer: Writer, length: number): void {
  writer.length += length;
  writer.runtime.allow(writer.length);
}

/** The whole value, without sources. */
function jsonText(writer: Writer, value: Value, newline: string): string {
  switch (typeof value) {
    case "string":
      return quote(writer, value);
    case "number":
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return textOf(str(writer.runtime, value));
  }
  if (value === null) return "null";
  if (value instanceof Traced) return jsonText(writer, value.value, newline);
  if (value instanceof Dict) {
    const entries = open(writer, value, value.size, newline);
    if (entries === 0) return close(writer, "{}");
    const inner = writer.indent === null ? "" : newline + writer.indent;
    let text = "{";
    let between = inner;
    const add = (key: Value, member: Value) => {
      text += between + quote(writer, keyText(writer, key)) + writer.key + jsonText(writer, member, inner);
      between = writer.item + inner;
    };
    if (writer.sortKeys) for (const [key, member] of fieldsOf(writer, value)) add(key, member);
    else value.forEach(add);
    return close(writer, `${text}${writer.indent === null ? "" : newline}}`);
  }
  if (value instanceof List || value instanceof Tuple) {
    const length = open(writer, value, value.items.length, newline);
    if (length === 0) return close(writer, "[]");
    const inner = writer.indent === null ? "" : newline + writer.indent;
    let text = "[";
    let between = inner;
    for (const member of value.items) {
      text += between + jsonText(writer, member, inner);
      between = writer.item + inner;
    }
    return close(writer, `${text}${writer.indent === null ? "" : newline}]`);
  }
  if (value instanceof Float) return floatText(value);
  if (value instanceof Markup) return quote(writer, textOf(value));
  throw new PythonError(
    "TypeError",
    `${typeName(value)} is no JSON value${value instanceof Undefined ? `: ${value.message}` : ""}`,
  );
}

function floatText(value: Float): string {
  return printFloat(value.value, { nan: "NaN", infinity: "Infinity" });
}

/** Steps into a container of so many members. */
function open(writer: Writer, container: Value, members: number, newline: string): number {
  if (writer.open.includes(container))
    throw new PythonError("ValueError", "a list or dict that holds itself is no JSON");
  writer.open.push(container);
  writer.runtime.enter();
  writer.runtime.charge(members + 1);
  grow(writer, members * (writer.item.length + (writer.indent === null ? 0 : newline.length + writer.indent.length)));
  return members;
}

function close<T>(writer: Writer, text: T): T {
  writer.open.pop();
  writer.runtime.leave();
  return text;
}

function fieldsOf(writer: Writer, dict: Dict): Iterable<[Value, Value]> {
  if (!writer.sortKeys) return dict.entries();
  return sortByKey(writer.runtime, [...dict.entries()], ([key]) => key, false);
}

function keyText(writer: Writer, given: Value): string {
  const key = plain(given);
  if (isText(key)) return textOf(key);
  if (key === null) return "null";
  if (typeof key === "boolean") return key ? "true" : "false";
  if (typeof key === "number" || typeof key === "bigint") return textOf(str(writer.runtime, key));
  if (key instanceof Float) return floatText(key);
  throw new PythonError(
    "TypeError",
    `${typeName(key)} cannot be a key in JSON: use a text, a number, a boolean or none`,
  );
}

function sourceOf(value: Value): Source | null {
  return value instanceof Traced || value instanceof List || value instanceof Dict ? value.source : null;
}

/** The same, where sources are kept: a value with a source is one piece, a container without one is taken apart. */
function addJson(writer: Writer, out: TextBuilder, value: Value, newline: string): void {
  const source = sourceOf(value);
  if (source !== null) {
    out.add(jsonText(writer, value, newline), source);
    return;
  }
  if (value instanceof Markup || value instanceof Traced) {
    addString(writer, out, value instanceof Markup ? value.text : value);
    return;
  }
  const isDict = value instanceof Dict;
  if (!isDict && !(value instanceof List || value instanceof Tuple)) {
    out.add(jsonText(writer, value, newline), null);
    return;
  }
  const inner = writer.indent === null ? "" : newline + writer.indent;
  const length = open(writer, value, isDict ? value.size : value.items.length, newline);
  out.add(isDict ? "{" : "[", null);
  let between = inner;
  const addMember = (member: Value) => {
    addJson(writer, out, member, inner);
    between = writer.item + inner;
  };
  if (isDict) {
    for (const [key, member] of fieldsOf(writer, value)) {
      out.add(between, null);
      if (key instanceof Traced && isText(key)) addString(writer, out, key);
      else out.add(quote(writer, keyText(writer, key)), null);
      out.add(writer.key, null);
      addMember(member);
    }
  } else {
    for (const member of value.items) {
      out.add(between, null);
      addMember(member);
    }
  }
  close(writer, null);
  out.add((length === 0 || writer.indent === null ? "" : newline) + (isDict ? "}" : "]"), null);
}

/** A text put together of several sources: the quotation marks are the template's. */
function addString(writer: Writer, out: TextBuilder, text: PlainText): void {
  if (typeof text !== "string" && typeof text.value !== "string") {
    out.add(jsonText(writer, text.value, "\n"), text.source);
    return;
  }
  if (typeof text !== "string" && text.source !== null) {
    out.add(quote(writer, textOf(text)), text.source);
    return;
  }
  out.add('"', null);
  out.addText(mapText(text, (characters) => quote(writer, characters).slice(1, -1)));
  out.add('"', null);
}
