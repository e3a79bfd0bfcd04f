import { decimalValue } from "../methods/characters.ts";
import { codePointLength, unitIndex } from "../values/codePoints.ts";
import { toFloat } from "../values/conversions.ts";
import { integer } from "../values/numbers.ts";
import { str } from "../values/print.ts";
import { Float, Markup } from "../values/scalars.ts";
import { concatTexts, firstSource, isText, type PlainText, plain, sliceText, textOf, traced } from "../values/text.ts";
import { typeName } from "../values/typeName.ts";
import { PythonError, type Runtime, type Value } from "../values/types.ts";
import { type FloatStyle, floatText } from "./floatText.ts";
import { decimalDigits, digitsInBase } from "./integerText.ts";

/**
 * Python's `format(value, spec)`: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]` for str, int, float and
 * bool; other values take no spec.
 *
 * @throws PythonError `ValueError` for a spec that does not go with the value, `TypeError` for a value without specs.
 */
export function formatValue(runtime: Runtime, value: Value, spec: string): PlainText {
  if (spec === "") return str(runtime, value);
  if (isText(value))
    return formatText(runtime, value instanceof Markup ? value.text : value, parseSpec(spec, "<", "s"));
  const scalar = plain(value);
  if (typeof scalar === "number" || typeof scalar === "bigint" || typeof scalar === "boolean") {
    const parsed = parseSpec(spec, ">", "d");
    return traced(formatInteger(runtime, BigInt(scalar), parsed, typeName(scalar)), firstSource(value));
  }
  if (scalar instanceof Float) {
    return traced(formatFloat(runtime, scalar.value, parseSpec(spec, ">", ""), "float"), firstSource(value));
  }
  throw new PythonError("TypeError", `a value of type ${typeName(value)} takes no format such as "${spec}"`);
}

type Align = "<" | ">" | "=" | "^";

interface Spec {
  readonly fill: string;
  readonly align: Align;
  readonly sign: string;
  readonly unsignedZero: boolean;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string;
  /** -1: not given. */
  readonly precision: number;
  readonly type: string;
}

/** Sizes beyond this are beyond what any render may make, and beyond what Python would count. */
const largest = 2 ** 53;

function parseSpec(spec: string, defaultAlign: "<" | ">", defaultType: string): Spec {
  const characters = Array.from(spec);
  let at = 0;
  const take = (options: string): string => {
    const next = characters[at];
    if (next === undefined || !options.includes(next)) return "";
    at++;
    return next;
  };
  const takeNumber = (): number => {
    let digits = "";
    while (/^\p{Nd}$/u.test(characters[at] ?? "")) digits += decimalValue(characters[at++]!);
    if (digits === "") return -1;
    if (BigInt(digits) > 0x7fffffffffffffffn) throw invalid(spec, "its number is too large");
    return Math.min(Number(digits), largest);
  };
  const hasFill = characters.length >= 2 && "<>=^".includes(characters[1]!);
  let fill = hasFill ? characters[at++]! : " ";
  let align = take("<>=^");
  const sign = take(" +-");
  const unsignedZero = take("z") !== "";
  const alternate = take("#") !== "";
  if (!hasFill && take("0") !== "") {
    fill = "0";
    if (align === "" && defaultAlign === ">") align = "=";
  }
  const width = takeNumber();
  const grouping = take(",_");
  if (grouping !== "" && take(",_") !== "") throw invalid(spec, "it has two separators of thousands");
  let precision = -1;
  if (take(".") !== "") {
    precision = takeNumber();
    if (precision === -1) throw invalid(spec, "it has a point without a precision");
  }
  if (characters.length - at > 1) throw invalid(spec, "it goes on behind the type");
  const type = characters[at] ?? defaultType;
  if (grouping !== "" && !(type === "" || "defgEG%F".includes(type) || (grouping === "_" && "boxX".includes(type)))) {
    throw invalid(spec, `"${grouping}" does not go with the type "${type}"`);
  }
  return {
    fill,
    align: (align || defaultAlign) as Align,
    sign,
    unsignedZero,
    alternate,
    width,
    grouping,
    precision,
    type,
  };
}

function invalid(spec: string, why: string): PythonError {
  return new PythonError("ValueError", `the format "${spec}" is not valid: ${why}`);
}

function refuse(what: string, name: string): PythonError {
  return new PythonError("ValueError", `a format of ${name} takes no ${what}`);
}

function formatText(runtime: Runtime, text: PlainText, spec: Spec): PlainText {
  if (spec.type !== "s") throw unknownType(spec, "str");
  if (spec.sign !== "") throw refuse("sign", "str");
  if (spec.unsignedZero) throw refuse('"z"', "str");
  if (spec.alternate) throw refuse('"#"', "str");
  if (spec.align === "=") throw refuse('"="', "str");
  const shown = spec.precision === -1 ? text : sliceText(text, 0, unitIndex(textOf(text), spec.precision));
  const [left, right] = padding(runtime, codePointLength(textOf(shown)), spec);
  return left === "" && right === "" ? shown : concatTexts([left, shown, right]);
}

function unknownType({ type }: Spec, name: string): PythonError {
  return new PythonError("ValueError", `"${type}" is no format of ${name}`);
}

/** What stands before and after to fill the width; for `=`, before. */
function padding(runtime: Runtime, length: number, { fill, align, width }: Spec): [before: string, after: string] {
  const missing = width - length;
  if (missing <= 0) return ["", ""];
  runtime.allow(width * fill.length);
  const before = align === "<" ? 0 : align === "^" ? Math.floor(missing / 2) : missing;
  return [fill.repeat(before), fill.repeat(missing - before)];
}

function formatInteger(runtime: Runtime, value: bigint, spec: Spec, name: string): string {
  if (spec.type !== "" && "eEfFgG%".includes(spec.type))
    return formatFloat(runtime, toFloat(integer(value)), spec, name);
  if (spec.unsignedZero) throw refuse('"z"', name);
  if (spec.precision !== -1) throw refuse("precision", name);
  const sign = signOf(value < 0n, spec);
  switch (spec.type) {
    case "c":
      if (spec.sign !== "") throw refuse("sign", "a character");
      if (spec.alternate) throw refuse('"#"', "a character");
      return formatNumber(runtime, "", "", "", characterOf(value), spec);
    case "d":
    case "n":
      return formatNumber(runtime, sign, "", decimalDigits(value), "", spec);
    case "b":
    case "o":
    case "x":
      return inBase(runtime, value, sign, spec, spec.type);
    case "X":
      return inBase(runtime, value, sign, spec, "X");
  }
  throw unknownType(spec, name);
}

const bases = { b: 2, o: 8, x: 16, X: 16 } as const;

function inBase(runtime: Runtime, value: bigint, sign: string, spec: Spec, type: keyof typeof bases): string {
  const digits = digitsInBase(value, bases[type]);
  const prefix = spec.alternate ? `0${type}` : "";
  return formatNumber(runtime, sign, prefix, type === "X" ? digits.toUpperCase() : digits, "", spec);
}

/** The character with this number. */
export function characterOf(value: bigint): string {
  if (value < 0n || value > 0x10ffffn) throw new PythonError("OverflowError", `${value} is no character`);
  return String.fromCodePoint(Number(value));
}

function formatFloat(runtime: Runtime, value: number, spec: Spec, name: string): string {
  if (spec.precision >= 2 ** 31) throw new PythonError("ValueError", "the precision of a format is too large");
  const style = styleOf(spec, name);
  const shown = floatText(runtime, spec.type === "%" ? value * 100 : value, style);
  const [, minus, digits, rest] = /^(-?)(\d*)(.*)$/.exec(shown)!;
  const upper = "EFG".includes(spec.type) && spec.type !== "";
  const tail = (upper ? rest!.toUpperCase() : rest!) + (spec.type === "%" ? "%" : "");
  return formatNumber(runtime, signOf(minus === "-", spec), "", digits!, tail, spec);
}

function styleOf(spec: Spec, name: string): FloatStyle {
  const { alternate, unsignedZero } = spec;
  const precision = spec.precision === -1 ? 6 : spec.precision;
  switch (spec.type) {
    case "": {
      const conversion = spec.precision === -1 ? "r" : "g";
      return { conversion, precision, alternate, dotZero: true, unsignedZero };
    }
    case "e":
    case "E":
      return { conversion: "e", precision, alternate, dotZero: false, unsignedZero };
    case "f":
    case "F":
    case "%":
      return { conversion: "f", precision, alternate, dotZero: false, unsignedZero };
    case "g":
    case "G":
    case "n":
      return { conversion: "g", precision, alternate, dotZero: false, unsignedZero };
  }
  throw unknownType(spec, name);
}

function signOf(negative: boolean, { sign }: Spec): string {
  if (negative) return "-";
  return sign === "-" ? "" : sign;
}

/** Sign, prefix, digits in groups and what follows them, filled to the width. */
function formatNumber(
  runtime: Runtime,
  sign: string,
  prefix: string,
  digits: string,
  rest: string,
  spec: Spec,
): string {
  const others = sign.length + prefix.length + codePointLength(rest);
  // Zeros before the number are digits of it: they are grouped, too.
  const least = spec.fill === "0" && spec.align === "=" ? spec.width - others : 0;
  if (least > 0) runtime.allow(2 * least);
  const shown =
    digits === "" ? "" : group(digits, spec.grouping, "boxX".includes(spec.type) && spec.type !== "" ? 4 : 3, least);
  const [left, right] = padding(runtime, others + shown.length, spec);
  if (spec.align === "=") return sign + prefix + left + shown + rest + right;
  return left + sign + prefix + shown + rest + right;
}

/** Digits in groups from the right, with zeros before them up to a width; a separator never comes first. */
function group(digits: string, separator: string, size: number, width: number): string {
  if (separator === "") return digits.padStart(width, "0");
  // So many digits that with their separators they fill the width; one more where a separator would come first.
  const full = Math.floor(Math.max(width, 0) / (size + 1));
  const padded = digits.padStart(full * size + Math.max(width - full * (size + 1), 1), "0");
  const head = padded.length % size || size;
  const groups = [padded.slice(0, head)];
  for (let at = head; at < padded.length; at += size) groups.push(padded.slice(at, at + size));
  return groups.join(separator);
}
