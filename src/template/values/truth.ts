import { Dict, DictView, List, Range, Tuple } from "./containers.ts";
import { Float, Markup, Traced, Undefined } from "./scalars.ts";
import { Opaque, type Value } from "./types.ts";

/** `bool()` of a value. */
export function isTrue(value: Value): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return value !== "";
    case "number":
      return value !== 0;
    case "bigint":
      return value !== 0n;
  }
  if (value === null || value instanceof Undefined) return false;
  if (value instanceof Traced) return isTrue(value.value);
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof List || value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Markup) return isTrue(value.text);
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Range) return value.length > 0;
  if (value instanceof DictView) return value.dict.size > 0;
  return !(value instanceof Opaque) || value.length === undefined || value.length() > 0;
}
