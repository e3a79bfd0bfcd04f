import { Float, Traced } from "./scalars.ts";
import type { Value } from "./types.ts";

/** An `int`: a number where it is a safe integer, else a bigint. */
export function integer(value: number | bigint): number | bigint {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value + 0 : BigInt(value);
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** The number that a value is in arithmetic; booleans are 0 and 1, a Float stays one; null for what is no number. */
export function numeric(value: Value): number | bigint | Float | null {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Float) return value;
  return value instanceof Traced ? numeric(value.value) : null;
}

/** An int's value for an index or a count; null for what is none. Beyond the safe range it is clamped. */
export function indexOf(value: Value): number | null {
  const number = numeric(value);
  if (typeof number === "number") return number;
  if (typeof number === "bigint") return number > 0n ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
  return null;
}
