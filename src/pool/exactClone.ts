import { JsonNumber } from "../messages/json/index.ts";
import { setOwn } from "../messages/json/toPlain.ts";

/** A value in a form whose structured clone, decoded, is the value again. */
export interface Encoded {
  readonly value: unknown;
  /** It holds numbers by their text, which `decodeClone` has to restore. */
  readonly hasNumbers: boolean;
}

/** More than any renderer accepts, so that it is the renderer who refuses. */
const DEEPEST = 1200;

/**
 * Prepares a value for `postMessage`, which would turn a `JsonNumber` into a plain object and a class instance into what
 * it is not: numbers by their text become `String` objects, which no accepted value holds; a view of a part of a buffer
 * becomes a buffer of its own, because the whole would be copied. Copies only what changes.
 *
 * Null for what cannot cross exactly (functions, other instances, cycles): keep it in this thread.
 */
export function encodeClone(value: unknown): Encoded | null {
  const walk = { hasNumbers: false };
  try {
    return { value: encoded(value, walk, 0), hasNumbers: walk.hasNumbers };
  } catch (error) {
    if (error === INEXACT) return null;
    throw error;
  }
}

interface Walk {
  hasNumbers: boolean;
}

const INEXACT = new Error("not to be cloned");

function encoded(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "function" || typeof value === "symbol") throw INEXACT;
    return value;
  }
  if (depth > DEEPEST) throw INEXACT;
  if (Array.isArray(value)) return encodedArray(value, walk, depth + 1);
  if (value instanceof JsonNumber) {
    walk.hasNumbers = true;
    return Object(value.text);
  }
  if (value instanceof Map) return encodedMap(value, walk, depth + 1);
  if (ArrayBuffer.isView(value)) return encodedView(value);
  if (!isPlain(value)) throw INEXACT;
  return encodedObject(value as Record<string, unknown>, walk, depth + 1);
}

function encodedArray(items: readonly unknown[], walk: Walk, depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = encoded(items[index], walk, depth);
    if (item === items[index]) continue;
    copy ??= [...items];
    copy[index] = item;
  }
  return copy ?? items;
}

function encodedMap(map: Map<unknown, unknown>, walk: Walk, depth: number): Map<unknown, unknown> {
  if (Object.getPrototypeOf(map) !== Map.prototype) throw INEXACT;
  let copy: Map<unknown, unknown> | undefined;
  for (const [key, field] of map) {
    if (typeof key !== "string") throw INEXACT;
    const value = encoded(field, walk, depth);
    if (value === field) continue;
    copy ??= new Map(map);
    copy.set(key, value);
  }
  return copy ?? map;
}

function encodedObject(object: Record<string, unknown>, walk: Walk, depth: number): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    const field = object[key];
    const value = encoded(field, walk, depth);
    if (value === field) continue;
    copy ??= { ...object };
    setOwn(copy, key, value);
  }
  return copy ?? object;
}

const INTRINSIC_VIEWS: ReadonlySet<unknown> = new Set(
  [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array]
    .map((type): unknown => type.prototype)
    .concat([Float32Array.prototype, Float64Array.prototype, BigInt64Array.prototype, BigUint64Array.prototype]),
);

function encodedView(view: ArrayBufferView): unknown {
  if (!INTRINSIC_VIEWS.has(Object.getPrototypeOf(view))) throw INEXACT;
  const isWhole = view.byteLength === view.buffer.byteLength && view.buffer instanceof ArrayBuffer;
  return isWhole ? view : (view as Int32Array).slice();
}

/** Looking two prototypes up also accepts other realms' objects. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Restores a clone of what `encodeClone` gave, in place. */
export function decodeClone({ value, hasNumbers }: Encoded): unknown {
  return hasNumbers ? decoded(value) : value;
}

function decoded(value: unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (value instanceof String) return new JsonNumber(value.toString());
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      if (typeof value[index] === "object") value[index] = decoded(value[index]);
    }
  } else if (value instanceof Map) {
    for (const [key, field] of value) if (typeof field === "object") value.set(key, decoded(field));
  } else {
    const object = value as Record<string, unknown>;
    for (const key of Object.keys(object)) {
      if (typeof object[key] === "object") setOwn(object, key, decoded(object[key]));
    }
  }
  return value;
}
