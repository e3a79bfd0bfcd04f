import { asInteger } from "../methods/arguments.ts";
import { cutter } from "../methods/cut.ts";
import { escapeText, escapeValue } from "../methods/escape.ts";
import { codePointLength, unitIndex } from "../values/codePoints.ts";
import { Dict, List, Range, Tuple } from "../values/containers.ts";
import { toFloat, toInteger } from "../values/conversions.ts";
import { repr, str } from "../values/print.ts";
import { Markup, type Text, Undefined } from "../values/scalars.ts";
import {
  concatTexts,
  firstSource,
  isText,
  type PlainText,
  sliceText,
  TextBuilder,
  textOf,
  traced,
} from "../values/text.ts";
import { typeName } from "../values/typeName.ts";
import { PythonError, type Runtime, type Value } from "../values/types.ts";
import { refuseUndefined } from "../values/undefined.ts";
import { ascii } from "./ascii.ts";
import { floatText } from "./floatText.ts";
import { characterOf } from "./formatSpec.ts";
import { decimalDigits, digitsInBase } from "./integerText.ts";

/**
 * Python's `format % argument`: a tuple's items one after another, a dict's by key (`%(name)s`), any other value alone.
 * Where the format is Markup, what is put in is escaped; the caller makes Markup of the result.
 *
 * @throws PythonError as Python: too few or too many arguments, a type that does not go with its conversion, a missing key.
 */
export function percentFormat(runtime: Runtime, format: Text, argument: Value): PlainText {
  const self = format instanceof Markup ? format.text : format;
  const text = textOf(self);
  const part = cutter(self);
  const out = new TextBuilder(runtime);
  const values = new Arguments(argument);
  let at = 0;
  for (let mark = text.indexOf("%"); mark !== -1; mark = text.indexOf("%", at)) {
    out.addText(part(at, mark));
    if (text.charCodeAt(mark + 1) === 0x25) {
      out.addText(part(mark, mark + 1));
      at = mark + 2;
      continue;
    }
    const field = readField(text, mark + 1, values, format instanceof Markup);
    at = field.end;
    out.addText(written(runtime, field, values.next(), format instanceof Markup));
  }
  out.addText(part(at, text.length));
  values.finish();
  return out.text();
}

/** The arguments as they are taken. */
class Arguments {
  readonly #mapping: Value | undefined;
  #items: readonly Value[];
  #at = 0;

  constructor(argument: Value) {
    const isMapping =
      argument instanceof Dict ||
      argument instanceof List ||
      argument instanceof Range ||
      argument instanceof Undefined;
    this.#mapping = isMapping ? argument : undefined;
    this.#items = argument instanceof Tuple ? argument.items : [argument];
  }

  next(): Value {
    const value = this.#items[this.#at++];
    if (value === undefined) throw new PythonError("TypeError", "the format has more fields than there are arguments");
    return value;
  }

  /** What fields with a key look into. */
  mapping(): Value {
    if (this.#mapping === undefined) throw new PythonError("TypeError", "a format with %(name) needs a dict");
    return this.#mapping;
  }

  /** The value under a key is the only argument from here on. */
  select(key: string): void {
    const mapping = this.mapping();
    if (mapping instanceof Undefined) refuseUndefined(mapping);
    if (!(mapping instanceof Dict)) throw new PythonError("TypeError", `${typeName(mapping)} has no items by name`);
    const value = mapping.get(key);
    if (value === undefined) throw new PythonError("KeyError", `the dict has no "${key}" for the format`);
    this.#items = [value];
    this.#at = 0;
  }

  finish(): void {
    if (this.#at < this.#items.length && this.#mapping === undefined) {
      throw new PythonError("TypeError", "the format has fewer fields than there are arguments");
    }
  }
}

interface Field {
  readonly left: boolean;
  readonly plus: boolean;
  readonly blank: boolean;
  readonly alternate: boolean;
  readonly zero: boolean;
  readonly width: number;
  /** -1: not given. */
  readonly precision: number;
  readonly conversion: string;
  readonly end: number;
}

/** Python's own limits; what a render may make ends long before. */
const widthLimit = 2 ** 63;
const precisionLimit = 2 ** 31;

/** Reads a field from behind its `%`, and takes the arguments that its stars ask for. */
function readField(text: string, start: number, values: Arguments, escapes: boolean): Field {
  let at = start;
  if (text.charAt(at) === "(") {
    values.mapping();
    const close = closing(text, at);
    values.select(text.slice(at + 1, close));
    at = close + 1;
  }
  let flags = "";
  while (at < text.length && "-+ #0".includes(text.charAt(at))) flags += text.charAt(at++);
  const size = (limit: number): number => {
    if (text.charAt(at) === "*") {
      at++;
      return starred(values.next(), limit, escapes);
    }
    const begin = at;
    while (at < text.length && text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++;
    if (at === begin) return Number.NaN;
    const digits = Number(text.slice(begin, at));
    if (digits >= limit) throw new PythonError("ValueError", "a width or precision of the format is too large");
    return digits;
  };
  let width = size(widthLimit);
  if (width < 0) {
    flags += "-";
    width = -width;
  }
  let precision = -1;
  if (text.charAt(at) === ".") {
    at++;
    precision = Math.max(size(precisionLimit) || 0, 0);
  }
  if (at < text.length && "hlL".includes(text.charAt(at))) at++;
  if (at >= text.length)
    throw new PythonError("ValueError", "the format ends within a field; write %% for a percent sign");
  const conversion = String.fromCodePoint(text.codePointAt(at)!);
  return {
    left: flags.includes("-"),
    plus: flags.includes("+"),
    blank: flags.includes(" "),
    alternate: flags.includes("#"),
    zero: flags.includes("0"),
    width: width || 0,
    precision,
    conversion,
    end: at + conversion.length,
  };
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return at;
  }
  throw new PythonError("ValueError", "the key of a field is not closed");
}

function starred(value: Value, limit: number, escapes: boolean): number {
  const size = escapes ? null : asInteger(value);
  if (size === null) throw new PythonError("TypeError", "* in a format needs an integer");
  if (size >= limit || size < -limit) {
    throw new PythonError("OverflowError", "a width or precision of the format is too large");
  }
  return Number(size);
}

/** The text of a field. */
function written(runtime: Runtime, field: Field, value: Value, escapes: boolean): PlainText {
  switch (field.conversion) {
    case "s":
      return shortened(runtime, field, escapes ? escapeValue(runtime, value) : str(runtime, value));
    case "r":
      return shortened(runtime, field, shown(runtime, value, escapes));
    case "a":
      return shortened(runtime, field, ascii(shown(runtime, value, escapes)));
    case "c":
      return padded(runtime, field, character(value, escapes));
    case "d":
    case "i":
    case "u":
      return number(runtime, field, value, integer(runtime, field, whole(value, escapes), decimalDigits), "");
    case "o":
      return number(runtime, field, value, integer(runtime, field, index(value, escapes), octal), "0o");
    case "x":
      return number(runtime, field, value, integer(runtime, field, index(value, escapes), hexadecimal), "0x");
    case "X": {
      const digits = integer(runtime, field, index(value, escapes), hexadecimal).toUpperCase();
      return number(runtime, field, value, digits, "0X");
    }
    case "e":
    case "f":
    case "g":
      return number(runtime, field, value, real(runtime, field, value, escapes, field.conversion), "");
    case "E":
      return number(runtime, field, value, real(runtime, field, value, escapes, "e").toUpperCase(), "");
    case "F":
      return number(runtime, field, value, real(runtime, field, value, escapes, "f").toUpperCase(), "");
    case "G":
      return number(runtime, field, value, real(runtime, field, value, escapes, "g").toUpperCase(), "");
  }
  throw new PythonError("ValueError", `"%${field.conversion}" is no field of a format; write %% for a percent sign`);
}

function shown(runtime: Runtime, value: Value, escapes: boolean): PlainText {
  const text = repr(runtime, value);
  return escapes ? escapeText(text) : text;
}

function shortened(runtime: Runtime, field: Field, text: PlainText): PlainText {
  if (field.precision === -1) return padded(runtime, field, text);
  return padded(runtime, field, sliceText(text, 0, unitIndex(textOf(text), field.precision)));
}

function padded(runtime: Runtime, field: Field, text: PlainText): PlainText {
  const missing = field.width - codePointLength(textOf(text));
  if (missing <= 0) return text;
  runtime.allow(field.width);
  const blanks = " ".repeat(missing);
  return concatTexts(field.left ? [text, blanks] : [blanks, text]);
}

/** Sign and prefix stand before zeros that fill the width, and behind blanks. */
function number(runtime: Runtime, field: Field, value: Value, signed: string, prefix: string): PlainText {
  const negative = signed.startsWith("-");
  const sign = negative ? "-" : field.plus ? "+" : field.blank ? " " : "";
  const head = sign + (field.alternate ? prefix : "");
  const digits = negative ? signed.slice(1) : signed;
  if (!field.zero || field.left) return padded(runtime, field, traced(head + digits, firstSource(value)));
  runtime.allow(field.width);
  return traced(head + digits.padStart(field.width - head.length, "0"), firstSource(value));
}

function real(runtime: Runtime, field: Field, value: Value, escapes: boolean, conversion: "e" | "f" | "g"): string {
  return floatText(runtime, float(value, escapes), {
    conversion,
    precision: field.precision === -1 ? 6 : field.precision,
    alternate: field.alternate,
    dotZero: false,
    unsignedZero: false,
  });
}

function octal(value: bigint): string {
  return digitsInBase(value, 8);
}

function hexadecimal(value: bigint): string {
  return digitsInBase(value, 16);
}

/** Digits of an integer, at least as many as the precision says. */
function integer(runtime: Runtime, field: Field, value: bigint, digits: (value: bigint) => string): string {
  runtime.allow(field.precision);
  return (value < 0n ? "-" : "") + digits(value).padStart(field.precision, "0");
}

/** What `%d` takes: any real number, cut at the point; where it escapes, also the text of an integer. */
/** A text is no number, unless the format is Markup, which takes what it escapes for one. */
function whole(value: Value, escapes: boolean): bigint {
  if (isText(value) && !escapes) throw notANumber(value);
  return BigInt(toInteger(value));
}

function notANumber(value: Value): PythonError {
  return new PythonError("TypeError", `a number is needed, found ${typeName(value)}`);
}

function index(value: Value, escapes: boolean): bigint {
  const integer = escapes ? null : asInteger(value);
  if (integer === null) throw new PythonError("TypeError", `an integer is needed, found ${typeName(value)}`);
  return BigInt(integer);
}

function float(value: Value, escapes: boolean): number {
  if (isText(value) && !escapes) throw notANumber(value);
  return toFloat(value);
}

function character(value: Value, escapes: boolean): PlainText {
  const integer = escapes ? null : asInteger(value);
  if (integer !== null) return traced(characterOf(BigInt(integer)), firstSource(value));
  if (escapes || !isText(value) || codePointLength(textOf(value)) !== 1) {
    throw new PythonError("TypeError", "%c needs the number of a character, or one character");
  }
  return value instanceof Markup ? value.text : value;
}
