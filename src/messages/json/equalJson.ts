import { checkDepth } from "./limits.ts";
import { objectEntries } from "./objectEntries.ts";
import { type JsonInput, JsonNumber } from "./types.ts";

/**
 * Whether two JSON values say the same: objects as unordered maps, numbers by exact value as Python compares them (`1` and
 * `1.0` are equal, integers of any size are exact, fractions are doubles). Unlike in Python, `NaN` equals itself and `true`
 * is not `1`.
 *
 * @throws TitoError `invalid_json` for what is no JSON value.
 * @example
 * equalJson(parseJson('{"a": 1.0, "b": []}'), { b: [], a: 1 }); // true
 */
export function equalJson(a: JsonInput, b: JsonInput): boolean {
  return equal(a, b, 0);
}

function equal(a: JsonInput, b: JsonInput, depth: number): boolean {
  if (a === b) return true;
  if (isNumber(a)) return isNumber(b) && equalNumbers(numericValue(a), numericValue(b));
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || isNumber(b)) return false;
  checkDepth(depth + 1);
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item: JsonInput, index) => equal(item, b[index] as JsonInput, depth + 1))
    );
  }
  if (Array.isArray(b)) return false;
  const fields = objectEntries(a as ReadonlyMap<string, JsonInput>);
  const others = new Map(objectEntries(b as ReadonlyMap<string, JsonInput>));
  return (
    fields.length === others.size &&
    fields.every(([key, value]) => others.has(key) && equal(value, others.get(key)!, depth + 1))
  );
}

type AnyNumber = number | bigint | JsonNumber;

function isNumber(value: JsonInput): value is AnyNumber {
  return typeof value === "number" || typeof value === "bigint" || value instanceof JsonNumber;
}

/** An exact integer as a safe number or a bigint, any other number as a double. */
function numericValue(value: AnyNumber): number | bigint {
  if (!(value instanceof JsonNumber)) return value;
  const number = Number(value.text);
  return !Number.isSafeInteger(number) && /^-?\d+$/.test(value.text) ? BigInt(value.text) : number;
}

function equalNumbers(a: number | bigint, b: number | bigint): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: between a number and a bigint, == compares exact mathematical values
  return a == b || (Number.isNaN(a) && Number.isNaN(b));
}
