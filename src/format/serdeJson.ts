import { type JsonInput, JsonNumber, objectEntries, pythonJson } from "../messages/index.ts";

/**
 * Text of a value as Rust's `serde_json` prints it: no white space, integers beyond 64 bits as floats, exponents without a
 * plus sign.
 *
 * @throws TitoError `invalid_json` for what is no JSON value, and for numbers that are not finite
 */
export function serdeJson(value: JsonInput): string {
  if (typeof value === "number" || typeof value === "bigint" || value instanceof JsonNumber)
    return serdeNumber(pythonJson(value, { allowNaN: false }));
  if (typeof value !== "object" || value === null) return pythonJson(value);
  if (Array.isArray(value)) return `[${value.map(serdeJson).join(",")}]`;
  const fields = objectEntries(value as ReadonlyMap<string, JsonInput>);
  return `{${fields.map(([key, field]) => `${pythonJson(key)}:${serdeJson(field)}`).join(",")}}`;
}

function serdeNumber(text: string): string {
  const isInteger = /^-?\d+$/.test(text);
  if (isInteger && BigInt(text) >= -(2n ** 63n) && BigInt(text) < 2n ** 64n) return text;
  const value = Number(text);
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-5 || size >= 1e16)) return value.toExponential().replace("+", "");
  if (!Number.isInteger(value)) return String(value);
  return `${Object.is(value, -0) ? "-0" : value}.0`;
}
