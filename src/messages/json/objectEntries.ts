import { TitoError } from "../../errors.ts";
import type { JsonInput } from "./types.ts";

type JsonRecord = ReadonlyMap<string, JsonInput> | { readonly [key: string]: JsonInput | undefined };

/** Fields in order; those that are `undefined` are no fields, as in `JSON.stringify`. */
export function objectEntries(value: JsonRecord): [string, JsonInput][] {
  const pairs: [string, JsonInput][] = value instanceof Map ? [...value] : Object.entries(plainObject(value));
  for (const pair of pairs) if (pair[1] === undefined) return pairs.filter((other) => other[1] !== undefined);
  return pairs;
}

/** A Date or a class instance would print as `{}`: refuse it. Looking two prototypes up also accepts other realms' objects. */
function plainObject(value: object): { [key: string]: JsonInput } {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return value as { [key: string]: JsonInput };
  return notJson(value);
}

/** @throws TitoError `invalid_json`, always. */
export function notJson(value: unknown): never {
  const what =
    typeof value === "object" && value !== null
      ? `an instance of ${value.constructor?.name}`
      : `a value: ${typeof value}`;
  throw new TitoError(
    "invalid_json",
    `Not JSON: ${what}. Pass null, booleans, strings, numbers, bigints, arrays, Maps, plain objects or what parseJson returns.`,
  );
}
