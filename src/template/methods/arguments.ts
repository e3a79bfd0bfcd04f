import { codePointLength, unitIndex } from "../values/codePoints.ts";
import { Markup } from "../values/scalars.ts";
import { isText, type PlainText, plain } from "../values/text.ts";
import { typeName } from "../values/typeName.ts";
import { PythonError, type Value } from "../values/types.ts";
import type { Argument } from "./define.ts";

/** An argument that must be a text; Markup counts as its text. */
export function textArgument(method: string, value: Value): PlainText {
  if (!isText(value)) throw new PythonError("TypeError", `${method}() needs a text, found ${typeName(value)}`);
  return value instanceof Markup ? value.text : value;
}

/** None or left out is undefined, else it must be a text. */
export function optionalText(method: string, value: Argument): PlainText | undefined {
  return value === undefined || plain(value) === null ? undefined : textArgument(method, value);
}

/** An argument that must be an int; one that no text's or list's length could reach is an OverflowError, as in Python. */
export function integerArgument(method: string, value: Argument, fallback: number): number {
  if (value === undefined) return fallback;
  const integer = asInteger(value);
  if (integer === null) throw new PythonError("TypeError", `${method}() needs an integer, found ${typeName(value)}`);
  if (typeof integer === "number") return integer;
  if (BigInt.asIntN(64, integer) !== integer)
    throw new PythonError("OverflowError", `${method}(): ${integer} is too large`);
  return Number(integer);
}

/** The int that a value is (a boolean is 0 or 1); null for what is none. */
export function asInteger(value: Value): number | bigint | null {
  const scalar = plain(value);
  if (typeof scalar === "number" || typeof scalar === "bigint") return scalar;
  return typeof scalar === "boolean" ? (scalar ? 1 : 0) : null;
}

/** Start or end of a slice: any int, clamped; where `none` is allowed, None stands for the fallback. */
export function sliceArgument(method: string, value: Argument, fallback: number, none: boolean): number {
  if (value === undefined || (none && plain(value) === null)) return fallback;
  const integer = asInteger(value);
  if (integer === null)
    throw new PythonError("TypeError", `${method}() needs integers for start and end, found ${typeName(value)}`);
  return Math.min(Math.max(Number(integer), -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

/** The UTF-16 range of `text[start:end]`; null where it begins behind its end, where not even "" can be found. */
export function textRange(
  method: string,
  text: string,
  start: Argument,
  end: Argument,
): { readonly from: number; readonly to: number } | null {
  if (start === undefined && end === undefined) return { from: 0, to: text.length };
  const length = codePointLength(text);
  let first = sliceArgument(method, start, 0, true);
  let last = sliceArgument(method, end, length, true);
  if (first < 0) first = Math.max(first + length, 0);
  last = last < 0 ? Math.max(last + length, 0) : Math.min(last, length);
  return first > last ? null : { from: unitIndex(text, first), to: unitIndex(text, last) };
}

/** An argument that fills: exactly one code point. */
export function fillArgument(method: string, value: Argument): PlainText {
  if (value === undefined) return " ";
  const fill = textArgument(method, value);
  if (codePointLength(typeof fill === "string" ? fill : (fill.value as string)) !== 1) {
    throw new PythonError("TypeError", `${method}() fills with exactly one character`);
  }
  return fill;
}
