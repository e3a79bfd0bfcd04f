import { codePointLength } from "./codePoints.ts";
import { Dict, DictView, Iterator, List, Range, Tuple } from "./containers.ts";
import { viewItems } from "./print.ts";
import { Markup, type Traced, Undefined } from "./scalars.ts";
import { isText, sliceText, textOf } from "./text.ts";
import { typeName } from "./typeName.ts";
import { Opaque, PythonError, type Runtime, type Value } from "./types.ts";

/** Python's `iter()`: what is undefined has no items. */
export function iterate(runtime: Runtime, value: Value): Iterator {
  if (value instanceof List) {
    // A list that grows meanwhile goes on.
    let at = 0;
    return new Iterator("list_iterator", () => value.items[at++]);
  }
  if (value instanceof Range) {
    let at = 0;
    return new Iterator("range_iterator", () => (at < value.length ? value.start + at++ * value.step : undefined));
  }
  if (value instanceof Iterator) return value;
  if (value instanceof Opaque && value.iterate) return value.iterate(runtime);
  return overArray(iteratorName(value), toArray(runtime, value));
}

function iteratorName(value: Value): string {
  return value instanceof Dict ? "dict_keyiterator" : `${typeName(value)}_iterator`;
}

function overArray(name: string, items: readonly Value[]): Iterator {
  let at = 0;
  return new Iterator(name, () => items[at++]);
}

/** All items as an array of its own. */
export function toArray(runtime: Runtime, value: Value): Value[] {
  const items = arrayOf(runtime, value);
  runtime.charge(items.length >> 2);
  return items;
}

function arrayOf(runtime: Runtime, value: Value): Value[] {
  if (value instanceof List || value instanceof Tuple) return [...value.items];
  if (value instanceof Dict) return value.keys();
  if (value instanceof DictView) return viewItems(value);
  if (value instanceof Undefined) return [];
  if (isText(value)) return characters(value);
  if (value instanceof Range) {
    runtime.allowItems(value.length);
    return Array.from({ length: value.length }, (_, at) => value.start + at * value.step);
  }
  const iterator = value instanceof Iterator ? value : value instanceof Opaque ? value.iterate?.(runtime) : undefined;
  if (iterator === undefined) throw new PythonError("TypeError", `${typeName(value)} cannot be iterated over`);
  const items: Value[] = [];
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    runtime.charge(1);
    items.push(item);
    if ((items.length & 1023) === 0) runtime.allowItems(items.length);
  }
  return items;
}

/** A text's code points, each with its source. */
function characters(text: string | Traced | Markup): Value[] {
  if (typeof text === "string") return Array.from(text);
  // Unlike its items by index, what iterating Markup gives is plain.
  if (text instanceof Markup) return characters(text.text);
  let at = 0;
  return Array.from(textOf(text), (character) => {
    const start = at;
    at += character.length;
    return sliceText(text, start, at);
  });
}

/** Python's `len()`. */
export function lengthOf(_runtime: Runtime, value: Value): number {
  if (isText(value)) return codePointLength(textOf(value));
  if (value instanceof List || value instanceof Tuple) return value.items.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof DictView) return value.dict.size;
  if (value instanceof Range) return value.length;
  if (value instanceof Undefined) return 0;
  if (value instanceof Opaque && value.length) return value.length();
  throw new PythonError("TypeError", `${typeName(value)} has no length`);
}
