import { checkDepth } from "./limits.ts";
import { notJson, objectEntries } from "./objectEntries.ts";
import { type JsonInput, JsonNumber } from "./types.ts";

export interface ToPlainOptions {
  /**
   * What becomes of integers beyond `Number.MAX_SAFE_INTEGER`: the nearest JavaScript number (default), or an exact `bigint`.
   */
  readonly bigIntegers?: "number" | "bigint";
}

/**
 * A plain JavaScript value: numbers as numbers, objects as plain objects (so integer-like keys move to the front; a key
 * `__proto__` is an ordinary own property).
 *
 * @throws TitoError `invalid_json` for what is no JSON value.
 * @example
 * toPlain(parseJson('{"a": 1.0}')); // { a: 1 }
 */
export function toPlain(value: JsonInput, options: ToPlainOptions = {}): unknown {
  return plain(value, options.bigIntegers === "bigint", 0);
}

function plain(value: JsonInput, bigIntegers: boolean, depth: number): unknown {
  if (value instanceof JsonNumber) {
    const number = Number(value.text);
    return bigIntegers && !Number.isSafeInteger(number) && /^-?\d+$/.test(value.text) ? BigInt(value.text) : number;
  }
  if (typeof value === "bigint") return bigIntegers ? value : Number(value);
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  if (typeof value !== "object") return notJson(value);
  checkDepth(depth + 1);
  if (Array.isArray(value)) return value.map((item: JsonInput) => plain(item, bigIntegers, depth + 1));
  const object: Record<string, unknown> = {};
  for (const [key, field] of objectEntries(value as ReadonlyMap<string, JsonInput>)) {
    setOwn(object, key, plain(field, bigIntegers, depth + 1));
  }
  return object;
}

/** Assignment would call the setter of `__proto__`. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}
