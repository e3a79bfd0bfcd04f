import { decimalValue } from "../methods/characters.ts";
import { integer } from "./numbers.ts";
import { typeName } from "./print.ts";
import { Float, Undefined } from "./scalars.ts";
import { isText, plain, textOf } from "./text.ts";
import { PythonError, type Value } from "./types.ts";
import { refuseUndefined } from "./undefined.ts";

/** `int(value)`, or `int(text, base)` for a text. Throws what Python raises. */
export function toInteger(value: Value, base: number | null = null): number | bigint {
  if (isText(value)) return parseInteger(textOf(value), base ?? 10);
  const scalar = plain(value);
  if (typeof scalar === "number" || typeof scalar === "bigint") return scalar;
  if (typeof scalar === "boolean") return scalar ? 1 : 0;
  if (scalar instanceof Float) return truncated(scalar.value);
  if (scalar instanceof Undefined) refuseUndefined(scalar);
  throw new PythonError("TypeError", `${typeName(value)} is no number`);
}

export function truncated(value: number): number | bigint {
  if (Number.isNaN(value)) throw new PythonError("ValueError", "nan is no integer");
  if (!Number.isFinite(value)) throw new PythonError("OverflowError", "infinity is no integer");
  return integer(Math.trunc(value));
}

/** `float(value)`. Throws what Python raises. */
export function toFloat(value: Value): number {
  if (isText(value)) return parseFloatText(textOf(value));
  const scalar = plain(value);
  if (scalar instanceof Float) return scalar.value;
  if (typeof scalar === "number") return scalar;
  if (typeof scalar === "boolean") return scalar ? 1 : 0;
  if (typeof scalar === "bigint") {
    const float = Number(scalar);
    if (!Number.isFinite(float)) throw new PythonError("OverflowError", "the integer is too large for a float");
    return float;
  }
  if (scalar instanceof Undefined) refuseUndefined(scalar);
  throw new PythonError("TypeError", `${typeName(value)} is no number`);
}

const maxDigits = 4300;

function parseInteger(text: string, base: number): number | bigint {
  const refuse = (): never => {
    throw new PythonError("ValueError", `"${text.slice(0, 80)}" is no integer in base ${base}`);
  };
  if (base !== 0 && (base < 2 || base > 36))
    throw new PythonError("ValueError", `an integer's base is 0 or 2 to 36, not ${base}`);
  const parts = /^([-+]?)(0[xX]|0[oO]|0[bB])?(.*)$/s.exec(asciiNumber(text))!;
  let [, sign, prefix = "", digits] = parts as unknown as [string, string, string | undefined, string];
  const prefixed = prefixBases.get(prefix[1]?.toLowerCase() ?? "");
  let radix = base;
  if (prefixed !== undefined && (base === 0 || base === prefixed)) {
    radix = prefixed;
    // One underscore may follow a prefix.
    if (digits.startsWith("_")) digits = digits.slice(1);
  } else {
    digits = prefix + digits;
    if (base === 0) {
      radix = 10;
      if (/^0[0_]*[1-9]/.test(digits)) refuse();
    }
  }
  if (!/^[0-9a-z]+(?:_[0-9a-z]+)*$/i.test(digits)) refuse();
  digits = digits.replaceAll("_", "").toLowerCase();
  for (const digit of digits) if (Number.parseInt(digit, 36) >= radix) refuse();
  // Powers of two are read in linear time, so CPython does not limit them.
  if (digits.length > maxDigits && (radix & (radix - 1)) !== 0) {
    throw new PythonError("ValueError", `an integer of more than ${maxDigits} digits is not read`);
  }
  const size = bigintOf(digits, radix);
  return integer(sign === "-" ? -size : size);
}

const prefixBases: ReadonlyMap<string, number> = new Map([
  ["x", 16],
  ["o", 8],
  ["b", 2],
]);

function bigintOf(digits: string, radix: number): bigint {
  if (radix === 10) return BigInt(digits);
  for (const [letter, base] of prefixBases) if (base === radix) return BigInt(`0${letter}${digits}`);
  let value = 0n;
  const big = BigInt(radix);
  for (const digit of digits) value = value * big + BigInt(Number.parseInt(digit, 36));
  return value;
}

const floatText =
  /^[-+]?(?:(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[-+]?\d+(?:_\d+)*)?|inf(?:inity)?|nan)$/i;

function parseFloatText(text: string): number {
  const number = asciiNumber(text);
  if (!floatText.test(number)) throw new PythonError("ValueError", `"${text.slice(0, 80)}" is no number`);
  if (/n/i.test(number)) return /^[-+]?nan$/i.test(number) ? Number.NaN : number.startsWith("-") ? -Infinity : Infinity;
  return Number(number.replaceAll("_", ""));
}

/** Digits of any script as those of ASCII, without white space around. */
function asciiNumber(text: string): string {
  // Python leaves an ASCII text's separators U+001C to U+001F in place, where they make it no number.
  const ascii = /^[\0-\x7f]*$/.test(text)
    ? text
    : text
        .replace(/[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g, " ")
        .replace(/[^\0-\x7f]/gu, (character) => decimalDigits(character) ?? character);
  return ascii.replace(/^[\t-\r ]+/, "").replace(/[\t-\r ]+$/, "");
}

/** The ASCII form of a text of decimal digits in any script; null for any other text. */
export function decimalDigits(text: string): string | null {
  if (/^[0-9]+$/.test(text)) return text;
  return /^\p{Nd}+$/u.test(text) ? Array.from(text, decimalValue).join("") : null;
}
