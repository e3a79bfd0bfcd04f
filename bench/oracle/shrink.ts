import type { JsonInput } from "../../src/messages/json/index.ts";

/** Steps that are tried until nothing smaller does it, at most. */
const TRIES = 600;

/** The smallest that still `fails`, as far as single steps lead. */
export async function shrink<T>(
  start: T,
  smaller: (value: T) => Iterable<T>,
  fails: (value: T) => Promise<boolean>,
): Promise<T> {
  let smallest = start;
  let tries = 0;
  search: while (tries < TRIES) {
    for (const candidate of smaller(smallest)) {
      if (++tries > TRIES) break;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      continue search;
    }
    break;
  }
  return smallest;
}

/** JSON values that are like this one with something left out. */
export function* smallerJson(value: JsonInput): Iterable<JsonInput> {
  if (typeof value === "string") {
    if (value.length > 1) yield value.slice(0, value.length >> 1);
    if (value.length > 1) yield value.slice(value.length >> 1);
    if (value.length > 0) yield value.slice(1);
  } else if (Array.isArray(value)) {
    for (const i of value.keys()) yield value.toSpliced(i, 1) as JsonInput;
    for (const [i, item] of value.entries())
      for (const less of smallerJson(item as JsonInput)) yield value.with(i, less) as JsonInput;
  } else if (value instanceof Map) {
    for (const key of value.keys()) yield new Map([...value].filter(([other]) => other !== key));
    for (const [key, item] of value) for (const less of smallerJson(item)) yield new Map([...value]).set(key, less);
  }
}
