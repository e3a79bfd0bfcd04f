import { compare, same } from "../values/compare.ts";
import { Dict, hashKey, List, Tuple } from "../values/containers.ts";
import { iterate, toArray } from "../values/iterate.ts";
import { native } from "../values/native.ts";
import { Float, Undefined } from "../values/scalars.ts";
import { isText, plain, textOf } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { type Callable, PythonError, type Runtime, type Value } from "../values/types.ts";
import { attributeGetter, attributeGetters, type Getter, ignoreCase } from "./attributeGetter.ts";
import { Group } from "./group.ts";
import { sortByKey } from "./order.ts";
import { each, generator, integerArgument, noAttribute } from "./support.ts";

/** `sort(attribute="a,b.c")` sorts by several attributes. */
export const sort = native(
  "sort",
  ["value", ["reverse", false], ["case_sensitive", false], ["attribute", null]],
  (runtime, value, reverse, caseSensitive, attribute) => {
    const getters = attributeGetters(runtime, attribute!).map((get) => cased(get, caseSensitive!));
    const keyOf = (item: Value): Value => {
      const keys = getters.map((get) => get(item));
      // Python compares lists of keys: equal ones, also undefined ones, are never asked for their order.
      return keys.length === 1 && (typeof keys[0] === "string" || typeof keys[0] === "number")
        ? keys[0]
        : new List(keys);
    };
    const items = toArray(runtime, value!);
    const backwards = isReverse(reverse!);
    return new List(sortByKey(runtime, listed(items, keyOf), ({ key }) => key, backwards).map(({ item }) => item));
  },
);

/** Python's `sorted` takes an int for `reverse`, no other value that may be true. */
function isReverse(value: Value): boolean {
  return integerArgument(value, "reverse") !== 0;
}

/** Keys of one kind: all bare, or all in a list. */
function listed(items: readonly Value[], keyOf: (item: Value) => Value): { item: Value; key: Value }[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  if (keyed.every(({ key }) => typeof key === "string") || keyed.every(({ key }) => typeof key === "number"))
    return keyed;
  return keyed.map(({ item, key }) => ({ item, key: key instanceof List ? key : new List([key]) }));
}

function cased(get: Getter, caseSensitive: Value): Getter {
  return isTrue(caseSensitive) ? get : (value) => ignoreCase(get(value));
}

/** A dict's (key, value) pairs, in order of their keys or values. */
export const dictsort = native(
  "dictsort",
  ["value", ["case_sensitive", false], ["by", "key"], ["reverse", false]],
  (runtime, value, caseSensitive, by, reverse) => {
    const at = isText(by!) ? sides.get(textOf(by)) : undefined;
    if (at === undefined) throw new PythonError("FilterArgumentError", 'dictsort sorts by "key" or by "value"');
    if (!(value instanceof Dict)) return noAttribute(value!, "items");
    const keyOf = cased((pair) => (pair as Tuple).items[at]!, caseSensitive!);
    const pairs = Array.from(value.entries(), (pair) => new Tuple(pair));
    return new List(sortByKey(runtime, pairs, keyOf, isReverse(reverse!)));
  },
);

const sides: ReadonlyMap<string, 0 | 1> = new Map([
  ["key", 0],
  ["value", 1],
]);

/** Items of one attribute's value together, in order of that value. */
export const groupby = native(
  "groupby",
  ["value", "attribute", ["default", null], ["case_sensitive", false]],
  (runtime, value, attribute, fallback, caseSensitive) => {
    const get = attributeGetter(runtime, attribute!, fallback!);
    const keyOf = cased(get, caseSensitive!);
    const groups: { key: Value; items: Value[] }[] = [];
    for (const item of sortByKey(runtime, toArray(runtime, value!), keyOf, false)) {
      const key = keyOf(item);
      const last = groups[groups.length - 1];
      if (last !== undefined && same(last.key, key)) last.items.push(item);
      else groups.push({ key, items: [item] });
    }
    // The name of a group is its first item's own, whatever its case.
    return new List(groups.map(({ items }) => new Group(get(items[0]!), new List(items))));
  },
);

export const min = extreme("min", "<");
export const max = extreme("max", ">");

function extreme(name: string, operator: "<" | ">"): Callable {
  return native(
    name,
    ["value", ["case_sensitive", false], ["attribute", null]],
    (runtime, value, caseSensitive, attribute) => {
      const items = iterate(runtime, value!);
      let best = items.next();
      if (best === undefined) return new Undefined(`there is no ${name} of an empty sequence`);
      const keyOf = cased(attributeGetter(runtime, attribute!), caseSensitive!);
      let bestKey = keyOf(best);
      for (let item = items.next(); item !== undefined; item = items.next()) {
        runtime.charge(1);
        const key = keyOf(item);
        if (compare(runtime, operator, key, bestKey)) {
          best = item;
          bestKey = key;
        }
      }
      return best;
    },
  );
}

/** Items whose value, or attribute, has not come before. */
export const unique = native(
  "unique",
  ["value", ["case_sensitive", false], ["attribute", null]],
  (runtime, value, caseSensitive, attribute) => generator(firsts(runtime, value!, caseSensitive!, attribute!)),
);

function* firsts(runtime: Runtime, value: Value, caseSensitive: Value, attribute: Value): Generator<Value, void> {
  const keyOf = cased(attributeGetter(runtime, attribute), caseSensitive);
  const seen = new Set<unknown>();
  for (const item of each(runtime, value)) {
    const key = keyOf(item);
    const hash = identity(key);
    if (seen.has(hash)) continue;
    seen.add(hash);
    yield item;
  }
}

/** What equal keys share. Whatever is undefined is equal; `nan` is equal to nothing but itself. */
function identity(key: Value): unknown {
  if (key instanceof Undefined) return Undefined;
  const scalar = plain(key);
  return scalar instanceof Float && Number.isNaN(scalar.value) ? scalar : hashKey(key);
}
