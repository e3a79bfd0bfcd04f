import { callValue } from "../values/call.ts";
import { compare, contains, same } from "../values/compare.ts";
import { List, type Range, type Tuple } from "../values/containers.ts";
import { toArray } from "../values/iterate.ts";
import { numeric } from "../values/numbers.ts";
import { Float } from "../values/scalars.ts";
import { plain } from "../values/text.ts";
import { Callable, PythonError, type Runtime, type Value } from "../values/types.ts";
import { integerArgument, sliceArgument } from "./arguments.ts";
import { type Argument, define, type Method, methodTable } from "./define.ts";

export const listMethods = methodTable([
  define<List>("append", 1, 1, (runtime, self, value) => {
    runtime.allowItems(self.items.length + 1);
    self.items.push(value!);
    return null;
  }),
  define<List>("clear", 0, 0, (_runtime, self) => {
    self.items.length = 0;
    return null;
  }),
  define<List>("copy", 0, 0, (runtime, self) => new List(toArray(runtime, self))),
  counting<List>(),
  define<List>("extend", 1, 1, (runtime, self, values) => {
    const added = toArray(runtime, values!);
    runtime.allowItems(self.items.length + added.length);
    for (const value of added) self.items.push(value);
    return null;
  }),
  indexing<List>(),
  define<List>("insert", 2, 2, (runtime, self, index, value) => {
    runtime.allowItems(self.items.length + 1);
    self.items.splice(integerArgument("insert", index, 0), 0, value!);
    return null;
  }),
  define<List>("pop", 0, 1, (_runtime, self, index) => {
    const given = integerArgument("pop", index, -1);
    const at = given < 0 ? given + self.items.length : given;
    if (at < 0 || at >= self.items.length) throw new PythonError("IndexError", "pop(): the list has no item there");
    return self.items.splice(at, 1)[0]!;
  }),
  define<List>("remove", 1, 1, (runtime, self, value) => {
    const at = position(runtime, self.items, value!, 0, self.items.length);
    if (at === -1) throw new PythonError("ValueError", "remove(): the list has no such item");
    self.items.splice(at, 1);
    return null;
  }),
  define<List>("reverse", 0, 0, (_runtime, self) => {
    self.items.reverse();
    return null;
  }),
  new Callable("sort", "method_descriptor", (runtime, { positional, named }) => {
    if (positional.length > 1) throw new PythonError("TypeError", "sort() takes its arguments by name only");
    for (const name of named?.keys() ?? []) {
      if (name !== "key" && name !== "reverse") throw new PythonError("TypeError", `sort() has no argument "${name}"`);
    }
    const { items } = positional[0] as List;
    const sorted = sort(runtime, items, named?.get("key"), integerArgument("sort", named?.get("reverse"), 0) !== 0);
    sorted.forEach((item, index) => {
      items[index] = item;
    });
    return null;
  }),
]);

export const tupleMethods = methodTable([counting<Tuple>(), indexing<Tuple>()]);

export const rangeMethods = methodTable([
  define<Range>("count", 1, 1, (runtime, self, value) => (contains(runtime, self, value!) ? 1 : 0)),
  define<Range>("index", 1, 1, (runtime, self, value) => {
    if (!contains(runtime, self, value!)) throw new PythonError("ValueError", "index(): the range has no such item");
    const number = numeric(value!)!;
    return (Number(number instanceof Float ? number.value : number) - self.start) / self.step + 0;
  }),
]);

/** What a sandbox that changes nothing hides. */
export const mutatingListMethods: ReadonlySet<string> = new Set([
  "append",
  "clear",
  "extend",
  "insert",
  "pop",
  "remove",
  "reverse",
  "sort",
]);

function counting<Self extends List | Tuple>(): Method {
  return define<Self>("count", 1, 1, (runtime, self, value) => {
    runtime.charge(self.items.length >> 2);
    let count = 0;
    for (const item of self.items) if (same(item, value!)) count++;
    return count;
  });
}

function indexing<Self extends List | Tuple>(): Method {
  return define<Self>("index", 1, 3, (runtime, self, value, start: Argument, end: Argument) => {
    const { length } = self.items;
    const first = sliceArgument("index", start, 0, false);
    const last = sliceArgument("index", end, length, false);
    const from = first < 0 ? Math.max(first + length, 0) : first;
    const to = last < 0 ? Math.max(last + length, 0) : Math.min(last, length);
    const at = position(runtime, self.items, value!, from, to);
    if (at === -1) throw new PythonError("ValueError", "index() did not find the item");
    return at;
  });
}

function position(runtime: Runtime, items: readonly Value[], value: Value, from: number, to: number): number {
  runtime.charge(Math.max(to - from, 0) >> 2);
  for (let at = from; at < to; at++) if (same(items[at]!, value)) return at;
  return -1;
}

/** Python's stable sort by `<`; reversed, equal items still keep their order. */
function sort(runtime: Runtime, items: readonly Value[], key: Argument, reverse: boolean): Value[] {
  const keyed = items.map((item) => ({
    item,
    key: key === undefined || plain(key) === null ? item : callValue(runtime, key, { positional: [item], named: null }),
  }));
  const sign = reverse ? -1 : 1;
  keyed.sort((a, b) => {
    runtime.charge(1);
    if (compare(runtime, "<", b.key, a.key)) return sign;
    return compare(runtime, "<", a.key, b.key) ? -sign : 0;
  });
  return keyed.map(({ item }) => item);
}
