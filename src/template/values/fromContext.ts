import { type JsonInput, JsonNumber, objectEntries } from "../../messages/index.ts";
import { notJson } from "../../messages/json/objectEntries.ts";
import { Dict, List } from "./containers.ts";
import { integer } from "./numbers.ts";
import { Float, type Scalar, Traced } from "./scalars.ts";
import type { Source } from "./source.ts";
import type { Value } from "./types.ts";

/**
 * The Python value of what a user passes in. Objects are read when the template first looks into them; with a source,
 * everything in them knows its own.
 */
export function fromContext(input: JsonInput, source: Source | null): Value {
  if (Array.isArray(input)) {
    return new List(
      Array.from(input, (item: JsonInput, index) => fromContext(item, source === null ? null : source.child(index))),
      source,
    );
  }
  if (typeof input === "object" && input !== null && !(input instanceof JsonNumber)) {
    const fields = input as ReadonlyMap<string, JsonInput>;
    return new Dict((put) => {
      for (const [key, field] of objectEntries(fields)) {
        put(key, fromContext(field, source === null ? null : source.child(key)));
      }
    }, source);
  }
  const value = scalar(input as Exclude<JsonInput, object> | JsonNumber);
  return source === null ? value : new Traced(value, source);
}

function scalar(input: Exclude<JsonInput, object> | JsonNumber): Scalar {
  if (typeof input === "number") return Number.isSafeInteger(input) ? integer(input) : new Float(input);
  if (typeof input === "bigint") return integer(input);
  if (input === null || typeof input === "string" || typeof input === "boolean") return input;
  if (!(input instanceof JsonNumber)) return notJson(input);
  const { text } = input;
  if (/^-?\d+$/.test(text)) return integer(BigInt(text));
  return new Float(Number(text));
}
