import { TitoError } from "../../errors.ts";
import { maxIntegerDigits } from "../json/limits.ts";
import type { JsonNumber } from "../json/types.ts";

/** How a printer spells the floats that JSON has no numbers for. */
export interface NonFinite {
  readonly nan: string;
  readonly infinity: string;
}

/** Text of a JSON number as CPython prints the `int` or `float` that `json.loads` makes of it. */
export function printJsonNumber(number: JsonNumber, nonFinite: NonFinite): string {
  const { text } = number;
  if (/^-?(?:0|[1-9][0-9]*)$/.test(text)) return text === "-0" ? "0" : printInteger(text);
  if (!/^(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|-?Infinity|NaN)$/.test(text)) {
    throw new TitoError("invalid_json", `Not a JSON number: ${JSON.stringify(text.slice(0, 80))}. Correct its text.`);
  }
  return printFloat(Number(text), nonFinite);
}

/** A JavaScript number that is a safe integer is taken for an `int`, any other for a `float`. */
export function printNumber(number: number | bigint, nonFinite: NonFinite): string {
  if (typeof number === "bigint") return printInteger(String(number));
  return Number.isSafeInteger(number) ? String(number) : printFloat(number, nonFinite);
}

function printInteger(text: string): string {
  if (text.length > maxIntegerDigits && text.length - (text.startsWith("-") ? 1 : 0) > maxIntegerDigits) {
    throw new TitoError(
      "invalid_json",
      `An integer has more than ${maxIntegerDigits} digits, which CPython does not print. Pass it as a string.`,
      { details: { maxIntegerDigits } },
    );
  }
  return text;
}

/** Python's `repr(float)`: shortest digits that read back the same, an exponent below 1e-4 and from 1e16. */
export function printFloat(value: number, nonFinite: NonFinite): string {
  if (Number.isNaN(value)) return nonFinite.nan;
  if (!Number.isFinite(value)) return value < 0 ? `-${nonFinite.infinity}` : nonFinite.infinity;
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e16) return Number.isInteger(value) ? `${value}.0` : String(value);
  return value.toExponential().replace(/e([-+])(\d)$/, "e$10$2");
}
