import { contains } from "../values/compare.ts";
import { Dict, DictView, Tuple } from "../values/containers.ts";
import { toArray } from "../values/iterate.ts";
import { Undefined } from "../values/scalars.ts";
import { Callable, PythonError, type Runtime, type Value } from "../values/types.ts";
import { refuseUndefined } from "../values/undefined.ts";
import { define, methodTable } from "./define.ts";

export const dictMethods = methodTable([
  define<Dict>("get", 1, 2, (_runtime, self, key, fallback) => {
    const value = self.get(key!);
    return value === undefined ? (fallback ?? null) : value;
  }),
  define<Dict>("items", 0, 0, (_runtime, self) => new DictView("items", self)),
  define<Dict>("keys", 0, 0, (_runtime, self) => new DictView("keys", self)),
  define<Dict>("values", 0, 0, (_runtime, self) => new DictView("values", self)),
  define<Dict>("copy", 0, 0, (runtime, self) => {
    const copy = new Dict();
    put(runtime, copy, self.entries());
    return copy;
  }),
  define<Dict>("clear", 0, 0, (_runtime, self) => {
    self.clear();
    return null;
  }),
  define<Dict>("fromkeys", 1, 2, (runtime, _self, keys, value) => {
    const dict = new Dict();
    for (const key of toArray(runtime, keys!)) dict.set(key, value ?? null);
    return dict;
  }),
  define<Dict>("pop", 1, 2, (_runtime, self, key, fallback) => {
    // An empty dict does not even ask whether the key could be one.
    const value = self.size === 0 ? undefined : self.get(key!);
    if (value === undefined) {
      if (fallback !== undefined) return fallback;
      throw new PythonError("KeyError", "pop(): the dict has no such key; a second argument would be taken instead");
    }
    self.delete(key!);
    return value;
  }),
  define<Dict>("popitem", 0, 0, (_runtime, self) => {
    const last = [...self.entries()].at(-1);
    if (last === undefined) throw new PythonError("KeyError", "popitem(): the dict is empty");
    self.delete(last[0]);
    return new Tuple(last);
  }),
  define<Dict>("setdefault", 1, 2, (runtime, self, key, fallback) => {
    const value = self.get(key!);
    if (value !== undefined) return value;
    runtime.allowItems(self.size + 1);
    self.set(key!, fallback ?? null);
    return fallback ?? null;
  }),
  new Callable("update", "method_descriptor", (runtime, { positional, named }) => {
    if (positional.length > 2) throw new PythonError("TypeError", "update() takes at most 1 argument by position");
    const self = positional[0] as Dict;
    const from = positional[1];
    if (from !== undefined) put(runtime, self, from instanceof Dict ? [...from.entries()] : pairsOf(runtime, from));
    put(runtime, self, named ?? []);
    return null;
  }),
]);

/** Sets of keys and of items; values are none. */
export const setViewMethods = methodTable([
  define<DictView>("isdisjoint", 1, 1, (runtime, self, other) => {
    for (const item of toArray(runtime, other!)) if (contains(runtime, self, item)) return false;
    return true;
  }),
]);

/** What a sandbox that changes nothing hides. */
export const mutatingDictMethods: ReadonlySet<string> = new Set(["clear", "pop", "popitem", "setdefault", "update"]);

function put(runtime: Runtime, dict: Dict, entries: Iterable<readonly [Value, Value]>): void {
  for (const [key, value] of entries) {
    runtime.charge(1);
    runtime.allowItems(dict.size + 1);
    dict.set(key, value);
  }
}

function pairsOf(runtime: Runtime, value: Value): [Value, Value][] {
  if (value instanceof Undefined) refuseUndefined(value);
  return toArray(runtime, value).map((item, index) => {
    const pair = toArray(runtime, item);
    if (pair.length === 2) return [pair[0]!, pair[1]!];
    throw new PythonError("ValueError", `update() needs pairs, but item ${index} has ${pair.length} items`);
  });
}
