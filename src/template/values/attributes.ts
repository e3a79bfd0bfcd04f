import { Group } from "../filters/group.ts";
import { dataAttribute, isMutating, method } from "../methods/index.ts";
import { codePointLength, hasPairs, unitIndex } from "./codePoints.ts";
import { Dict, List, Namespace, Range, Tuple } from "./containers.ts";
import { indexOf } from "./numbers.ts";
import { Markup, type Traced, Undefined } from "./scalars.ts";
import { concatTexts, isText, plain, sliceText, textOf } from "./text.ts";
import { typeName } from "./typeName.ts";
import { Callable, Opaque, PythonError, type Runtime, type Value } from "./types.ts";
import { refuseUndefined } from "./undefined.ts";

/** Attributes that every Python object has: the sandbox hides them. */
const hidden =
  /^__(?:class|delattr|dir|doc|eq|format|ge|getattribute|getstate|gt|hash|init|init_subclass|le|lt|ne|new|reduce|reduce_ex|repr|setattr|sizeof|str|subclasshook)__$/;

/** `value.name`: a method or attribute, else the item under that name, else undefined. */
export function attribute(runtime: Runtime, value: Value, name: string): Value {
  const own = ownAttribute(runtime, value, name);
  if (own !== undefined) return own;
  if (value instanceof Undefined) refuseUndefined(value);
  const entry = value instanceof Dict ? value.get(name) : undefined;
  return entry === undefined ? missing(value, name) : entry;
}

/** `value[key]`: the item under that key, else the attribute of that name, else undefined. */
export function item(runtime: Runtime, value: Value, key: Value): Value {
  const found = itemOf(value, key);
  if (found !== undefined) return found;
  if (!isText(key)) return missing(value, key);
  const name = textOf(key);
  const own = ownAttribute(runtime, value, name);
  return own === undefined ? missing(value, name) : own;
}

/** The method or attribute itself, without a look at items; undefined: there is none. */
function ownAttribute(runtime: Runtime, value: Value, name: string): Value | undefined {
  if (name.charCodeAt(0) === 0x5f && hidden.test(name)) return unsafe(value, name);
  if (value instanceof Namespace) return value.attributes.get(name);
  if (value instanceof Opaque) return value.attribute(runtime, name);
  if (value instanceof Callable) return value.attributes?.get(name);
  if (value instanceof Group) {
    const part = value.attribute(name);
    if (part !== undefined) return part;
  }
  const found = method(value, name);
  if (found === undefined) return dataAttribute(value, name);
  if (!runtime.mutable && isMutating(value, name)) return unsafe(value, name);
  return bind(value, found);
}

function bind(self: Value, found: Callable): Callable {
  return new Callable(found.name, "builtin_function_or_method", (runtime, { positional, named }) =>
    found.call(runtime, { positional: [self, ...positional], named }),
  );
}

function unsafe(value: Value, name: string): Undefined {
  return new Undefined(`a template may not use the attribute "${name}" of ${typeName(value)}`, "SecurityError");
}

function missing(value: Value, key: Value): Undefined {
  const index = plain(key);
  const what = isText(key) ? `attribute "${textOf(key)}"` : typeof index === "number" ? `item ${index}` : "such item";
  return new Undefined(`${typeName(value)} has no ${what}`);
}

/** undefined: no such item, or none that can be asked for. */
function itemOf(value: Value, key: Value): Value | undefined {
  if (value instanceof Undefined) refuseUndefined(value);
  if (value instanceof Dict) return entryOf(value, key);
  const index = indexOf(key);
  if (index === null || !isIndex(key)) return undefined;
  if (value instanceof List || value instanceof Tuple)
    return value.items[index < 0 ? index + value.items.length : index];
  if (isText(value))
    return value instanceof Markup ? markup(characterAt(value.text, index)) : characterAt(value, index);
  if (value instanceof Range) {
    const at = index < 0 ? index + value.length : index;
    return at >= 0 && at < value.length ? value.start + at * value.step : undefined;
  }
  return undefined;
}

/** Floats are numbers, but no index. */
function isIndex(key: Value): boolean {
  const scalar = plain(key);
  return typeof scalar === "number" || typeof scalar === "bigint" || typeof scalar === "boolean";
}

/** A key that cannot be hashed is in no dict. */
function entryOf(dict: Dict, key: Value): Value | undefined {
  try {
    return dict.get(key);
  } catch (error) {
    if (error instanceof PythonError && error.type === "TypeError") return undefined;
    throw error;
  }
}

function characterAt(text: string | Traced, index: number): string | Traced | undefined {
  const characters = textOf(text);
  const length = codePointLength(characters);
  const at = index < 0 ? index + length : index;
  if (at < 0 || at >= length) return undefined;
  const start = unitIndex(characters, at);
  const end = hasPairs(characters) && characters.codePointAt(start)! > 0xffff ? start + 2 : start + 1;
  return sliceText(text, start, end);
}

function markup(text: string | Traced | undefined): Markup | undefined {
  return text === undefined ? undefined : new Markup(text);
}

/** `value[start:stop:step]`; null: left out. */
export function slice(runtime: Runtime, value: Value, start: Value, stop: Value, step: Value): Value {
  if (value instanceof Undefined) refuseUndefined(value);
  if (isText(value)) {
    if (value instanceof Markup) return new Markup(slice(runtime, value.text, start, stop, step) as string | Traced);
    return sliceCharacters(runtime, value, start, stop, step);
  }
  if (value instanceof Range) {
    const { first, last, by } = bounds(value.length, start, stop, step);
    return new Range(value.start + first * value.step, value.start + last * value.step, by * value.step);
  }
  if (!(value instanceof List || value instanceof Tuple)) {
    throw new PythonError("TypeError", `${typeName(value)} cannot be sliced`);
  }
  const { first, by, count } = bounds(value.items.length, start, stop, step);
  const items = by === 1 ? value.items.slice(first, first + count) : pick(value.items, first, by, count);
  runtime.charge(count >> 3);
  return value instanceof List ? new List(items) : new Tuple(items);
}

function sliceCharacters(runtime: Runtime, text: string | Traced, start: Value, stop: Value, step: Value): Value {
  const characters = textOf(text);
  const { first, by, count } = bounds(codePointLength(characters), start, stop, step);
  if (by === 1) {
    return sliceText(text, unitIndex(characters, first), unitIndex(characters, first + count));
  }
  const each = Array.from(characters);
  const offsets: number[] = [];
  let at = 0;
  for (const one of each) {
    offsets.push(at);
    at += one.length;
  }
  runtime.charge(count);
  const indices = Array.from({ length: count }, (_, i) => first + i * by);
  if (typeof text === "string") return indices.map((index) => each[index]).join("");
  return concatTexts(indices.map((index) => sliceText(text, offsets[index]!, offsets[index]! + each[index]!.length)));
}

function pick<Item>(items: readonly Item[], first: number, by: number, count: number): Item[] {
  return Array.from({ length: count }, (_, i) => items[first + i * by]!);
}

/** Python's rules for a slice: where it begins, its step, and how many items it takes. */
function bounds(length: number, start: Value, stop: Value, step: Value) {
  const by = sliceIndex(step) ?? 1;
  if (by === 0) throw new PythonError("ValueError", "the step of a slice cannot be 0");
  const clamp = (index: number | null, fallback: number) => {
    if (index === null) return fallback;
    const at = index < 0 ? index + length : index;
    return by > 0 ? Math.min(Math.max(at, 0), length) : Math.min(Math.max(at, -1), length - 1);
  };
  const first = clamp(sliceIndex(start), by > 0 ? 0 : length - 1);
  const last = clamp(sliceIndex(stop), by > 0 ? length : -1);
  return { first, last, by, count: Math.max(0, Math.ceil((last - first) / by)) };
}

function sliceIndex(value: Value): number | null {
  const scalar = plain(value);
  if (scalar === null) return null;
  if (!isIndex(scalar)) throw new PythonError("TypeError", `a slice needs integers, found ${typeName(value)}`);
  return indexOf(scalar);
}
