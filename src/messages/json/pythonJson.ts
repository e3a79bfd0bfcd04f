import { TitoError } from "../../errors.ts";
import { type NonFinite, printJsonNumber, printNumber } from "../python/numbers.ts";
import { checkDepth } from "./limits.ts";
import { notJson, objectEntries } from "./objectEntries.ts";
import { type JsonInput, JsonNumber } from "./types.ts";

export interface PythonJsonOptions {
  /** Escape everything outside ASCII. Default false, as chat templates' `tojson` does; `json.dumps` itself has true. */
  readonly ensureAscii?: boolean;
  /** Spaces per level, or the text of one level. Default: all on one line. */
  readonly indent?: number | string | null;
  /** Sort keys by code point. Default false. */
  readonly sortKeys?: boolean;
  /** Print `NaN`, `Infinity` and `-Infinity` (default true) or refuse them. */
  readonly allowNaN?: boolean;
  /** Between items, and after a key. Default `", "` (with `indent`: `","`) and `": "`. */
  readonly separators?: readonly [item: string, key: string];
}

/**
 * Text of a value exactly as Python's `json.dumps` prints it. Numbers from `parseJson` print as the `int` or `float` Python
 * would have read (`1.0` stays `1.0`, `1e-7` becomes `1e-07`); a JavaScript number prints as an `int` if it is a safe
 * integer, else as a `float`. A plain object's keys come in JavaScript's order, integer-like ones first; to keep another
 * order pass a Map or parsed text. Fields that are `undefined` are left out.
 *
 * @throws TitoError `invalid_json` for what is no JSON value, or what `json.dumps` refuses.
 * @example
 * pythonJson({ city: "Zürich", temperature: 21.5 }); // {"city": "Zürich", "temperature": 21.5}
 */
export function pythonJson(value: JsonInput, options: PythonJsonOptions = {}): string {
  const indent =
    typeof options.indent === "number" ? " ".repeat(Math.max(0, options.indent)) : (options.indent ?? null);
  return print(value, "\n", 0, {
    quote: options.ensureAscii ? quoteAscii : quote,
    indent,
    itemSeparator: options.separators?.[0] ?? (indent === null ? ", " : ","),
    keySeparator: options.separators?.[1] ?? ": ",
    sortKeys: options.sortKeys ?? false,
    allowNaN: options.allowNaN ?? true,
  });
}

interface Style {
  readonly quote: (text: string) => string;
  readonly indent: string | null;
  readonly itemSeparator: string;
  readonly keySeparator: string;
  readonly sortKeys: boolean;
  readonly allowNaN: boolean;
}

function print(value: JsonInput, newline: string, depth: number, style: Style): string {
  if (typeof value === "string") return style.quote(value);
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number" || typeof value === "bigint") return finite(printNumber(value, nonFinite), style);
  if (value instanceof JsonNumber) return finite(printJsonNumber(value, nonFinite), style);
  if (typeof value !== "object") return notJson(value);
  checkDepth(depth + 1);
  const inner = style.indent === null ? "" : newline + style.indent;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    // Array.from, because `map` would skip the holes of a sparse array instead of refusing them.
    const items = Array.from(value, (item: JsonInput) => print(item, inner, depth + 1, style));
    return `[${inner}${items.join(style.itemSeparator + inner)}${style.indent === null ? "" : newline}]`;
  }
  const entries = objectEntries(value as ReadonlyMap<string, JsonInput>);
  if (entries.length === 0) return "{}";
  if (style.sortKeys) entries.sort((a, b) => compareCodePoints(a[0], b[0]));
  const fields = entries.map(
    ([key, field]) => style.quote(key) + style.keySeparator + print(field, inner, depth + 1, style),
  );
  return `{${inner}${fields.join(style.itemSeparator + inner)}${style.indent === null ? "" : newline}}`;
}

const nonFinite: NonFinite = { nan: "NaN", infinity: "Infinity" };

function finite(text: string, style: Style): string {
  if (style.allowNaN || !/[NI]/.test(text)) return text;
  throw new TitoError("invalid_json", `${text} is no JSON number. Pass a finite number, or set allowNaN.`);
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\f": "\\f",
  "\b": "\\b",
};

function escapeUnit(unit: string): string {
  return escapes[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Where there is much to escape, the engine's own printer is several times faster; but it escapes lone surrogates too. */
function quote(text: string): string {
  if (!/["\\\u0000-\u001f]/.test(text)) return `"${text}"`;
  return /[\ud800-\udfff]/.test(text) && /\p{Cs}/u.test(text)
    ? `"${text.replace(/["\\\u0000-\u001f]/g, escapeUnit)}"`
    : JSON.stringify(text);
}

/** A text in quotation marks, as `json.dumps` escapes it. */
export function quoteJson(text: string, ensureAscii: boolean): string {
  return ensureAscii ? quoteAscii(text) : quote(text);
}

/** 0x7f is ASCII, but CPython escapes it. */
function quoteAscii(text: string): string {
  return `"${text.replace(/["\\]|[^ -~]/g, escapeUnit)}"`;
}

/** Order of texts by code point, as in Python. JavaScript compares UTF-16 units, where surrogate pairs come before U+E000..U+FFFF. */
export function compareCodePoints(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === a.length || i === b.length) return a.length - b.length;
  const before = i > 0 ? a.codePointAt(i - 1)! - b.codePointAt(i - 1)! : 0;
  return before !== 0 ? before : a.codePointAt(i)! - b.codePointAt(i)!;
}
