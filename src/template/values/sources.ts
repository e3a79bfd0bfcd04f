import { Dict, List, Tuple } from "./containers.ts";
import type { Source } from "./source.ts";
import { firstSource } from "./text.ts";
import type { Value } from "./types.ts";

/** The first source anywhere in a value: for texts whose parts cannot be told apart. */
export function anySource(value: Value): Source | null {
  return search(value, new Set());
}

function search(value: Value, seen: Set<Value>): Source | null {
  if (!(value instanceof List || value instanceof Tuple || value instanceof Dict)) return firstSource(value);
  if (!(value instanceof Tuple) && value.source !== null) return value.source;
  if (seen.has(value)) return null;
  seen.add(value);
  const parts = value instanceof Dict ? [...value.entries()].flat() : value.items;
  for (const part of parts) {
    const source = search(part, seen);
    if (source !== null) return source;
  }
  return null;
}
