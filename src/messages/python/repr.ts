import { checkDepth } from "../json/limits.ts";
import { notJson, objectEntries } from "../json/objectEntries.ts";
import { type JsonInput, JsonNumber } from "../json/types.ts";
import { type NonFinite, printJsonNumber, printNumber } from "./numbers.ts";

/**
 * Python's `repr()` of the value that `json.loads` makes of it: `True`, `None`, `'text'`, `{'a': [1.0]}`. Templates print
 * it when they put a dict or a list into text. Which characters count as printable follows the runtime's Unicode version.
 *
 * @throws TitoError `invalid_json` for what is no JSON value.
 * @example
 * pythonRepr(parseJson('{"ok": true, "who": "it\'s"}')); // {'ok': True, 'who': "it's"}
 */
export function pythonRepr(value: JsonInput): string {
  return repr(value, 0);
}

/** Python's `str()`: a string is itself, anything else its `repr()`. */
export function pythonStr(value: JsonInput): string {
  return typeof value === "string" ? value : repr(value, 0);
}

const nonFinite: NonFinite = { nan: "nan", infinity: "inf" };

function repr(value: JsonInput, depth: number): string {
  if (typeof value === "string") return reprString(value);
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number" || typeof value === "bigint") return printNumber(value, nonFinite);
  if (value instanceof JsonNumber) return printJsonNumber(value, nonFinite);
  if (typeof value !== "object") return notJson(value);
  checkDepth(depth + 1);
  if (Array.isArray(value)) return `[${Array.from(value, (item: JsonInput) => repr(item, depth + 1)).join(", ")}]`;
  const fields = objectEntries(value as ReadonlyMap<string, JsonInput>);
  return `{${fields.map(([key, field]) => `${reprString(key)}: ${repr(field, depth + 1)}`).join(", ")}}`;
}

function reprString(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\']|(?! )[\p{C}\p{Z}]/gu, (char) => {
    if (char === "'") return mark === "'" ? "\\'" : char;
    return escapes[char] ?? escapeCodePoint(char.codePointAt(0)!);
  });
  return mark + escaped + mark;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCodePoint(code: number): string {
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
