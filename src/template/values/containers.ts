import { LimitExceeded } from "../limits.ts";
import { Float, Markup, Traced, Undefined } from "./scalars.ts";
import type { Source } from "./source.ts";
import { PythonError, type Value } from "./types.ts";

export class List {
  readonly items: Value[];
  /** Set for a list of the context where provenance is kept. */
  readonly source: Source | null;

  constructor(items: Value[], source: Source | null = null) {
    this.items = items;
    this.source = source;
  }
}

export class Tuple {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

export type DictViewKind = "keys" | "values" | "items";

/** `dict.keys()`, `.values()`, `.items()`: a live view. */
export class DictView {
  readonly kind: DictViewKind;
  readonly dict: Dict;

  constructor(kind: DictViewKind, dict: Dict) {
    this.kind = kind;
    this.dict = dict;
  }
}

export class Range {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;

  constructor(start: number, stop: number, step: number) {
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }
}

export class Namespace {
  readonly attributes = new Map<string, Value>();
}

/** A generator: read once, by whoever asks first. */
export class Iterator {
  /** As Python prints it: `generator`, `list_iterator` … */
  readonly typeName: string;
  /** The next value; undefined at the end. */
  readonly next: () => Value | undefined;

  constructor(typeName: string, next: () => Value | undefined) {
    this.typeName = typeName;
    this.next = next;
  }
}

/** What fills a dict of the context when it is first looked into. */
export type Fill = (put: (key: string, value: Value) => void) => void;

/**
 * A dict: any hashable key, in order of insertion; equal keys of different types (`1`, `1.0`, `True`) are one. A dict of the
 * context is converted when it is first looked into, a level at a time.
 */
export class Dict {
  /** By hash: a string is its own, see `hashKey`. */
  readonly #values = new Map<unknown, Value>();
  /** Keys whose hash is not the key itself. */
  #keys: Map<unknown, Value> | null = null;
  #fill: Fill | null;
  /** Set for a dict of the context where provenance is kept. */
  readonly source: Source | null;

  constructor(fill: Fill | null = null, source: Source | null = null) {
    this.#fill = fill;
    this.source = source;
  }

  #filled(): Map<unknown, Value> {
    if (this.#fill !== null) {
      const fill = this.#fill;
      this.#fill = null;
      fill((key, value) => this.set(key, value));
    }
    return this.#values;
  }

  get size(): number {
    return this.#filled().size;
  }

  /** The value under a key; throws a `TypeError` for a key that cannot be hashed. */
  get(key: Value): Value | undefined {
    return this.#filled().get(typeof key === "string" && key.charCodeAt(0) !== 0 ? key : hashKey(key));
  }

  has(key: Value): boolean {
    return this.#filled().has(hashKey(key));
  }

  set(key: Value, value: Value): void {
    const hash = hashKey(key);
    const values = this.#filled();
    // An equal key that is there already stays as it was written first.
    if (hash !== key && !values.has(hash)) {
      this.#keys ??= new Map();
      this.#keys.set(hash, key);
    }
    values.set(hash, value);
  }

  delete(key: Value): boolean {
    const hash = hashKey(key);
    this.#keys?.delete(hash);
    return this.#filled().delete(hash);
  }

  clear(): void {
    this.#filled().clear();
    this.#keys = null;
  }

  /** Key and value in order. Where provenance is kept, a key of the context is Traced. */
  *entries(): IterableIterator<[Value, Value]> {
    for (const [hash, value] of this.#filled()) yield [this.#keyOf(hash), value];
  }

  /** The same, faster: keys without their sources. */
  forEach(visit: (key: Value, value: Value) => void): void {
    for (const [hash, value] of this.#filled()) {
      visit(this.#keys?.has(hash) ? this.#keys.get(hash)! : (hash as Value), value);
    }
  }

  keys(): Value[] {
    return Array.from(this.#filled().keys(), (hash) => this.#keyOf(hash));
  }

  values(): Value[] {
    return [...this.#filled().values()];
  }

  #keyOf(hash: unknown): Value {
    const key = this.#keys?.has(hash) ? this.#keys.get(hash)! : (hash as Value);
    return this.source !== null && typeof key === "string" ? new Traced(key, this.source.keyOf(key)) : key;
  }
}

/**
 * What equal keys share: a string is itself (but for those that begin like a marker of this function), an int or what equals
 * one its number, anything else a text of its own.
 */
export function hashKey(key: Value): unknown {
  if (typeof key === "string") return key.charCodeAt(0) === 0 ? `\0s${key}` : key;
  if (typeof key === "number" || typeof key === "bigint") return key;
  if (typeof key === "boolean") return key ? 1 : 0;
  if (key === null) return "\0None";
  if (key instanceof Undefined) return "\0Undefined";
  if (key instanceof Range)
    return `\0range ${key.length} ${key.length > 0 ? key.start : ""} ${key.length > 1 ? key.step : ""}`;
  if (key instanceof Float) {
    const { value } = key;
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    return BigInt(value);
  }
  if (key instanceof Traced) return hashKey(key.value);
  if (key instanceof Markup) return hashKey(key.text);
  if (key instanceof Tuple) return hashTuple(key);
  if (key instanceof List || key instanceof Dict) {
    throw new PythonError("TypeError", `a ${key instanceof List ? "list" : "dict"} cannot be a key: it may change`);
  }
  if (key instanceof DictView && key.kind !== "values") {
    throw new PythonError("TypeError", `a dict's ${key.kind} cannot be a key: they may change`);
  }
  return key;
}

/** Longest hash of a tuple: one that holds itself many times over would grow without end. */
const MOST_HASH = 1 << 20;

function hashTuple({ items }: Tuple): string {
  let hash = "\0(";
  for (const item of items) {
    const text = hashText(item);
    hash += `${text.length}:${text}`;
    if (hash.length > MOST_HASH) throw new LimitExceeded("length", MOST_HASH);
  }
  return hash;
}

function hashText(key: Value): string {
  const hash = hashKey(key);
  if (typeof hash !== "object" || hash === null) {
    return `${typeof hash === "bigint" ? "number" : typeof hash} ${String(hash)}`;
  }
  // What is only equal to itself.
  const number = identities.get(hash) ?? ++lastIdentity;
  identities.set(hash, number);
  return `object ${number}`;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;
