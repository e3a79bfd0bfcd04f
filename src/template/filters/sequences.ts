import { hasMethod } from "../methods/index.ts";
import { binary } from "../values/arithmetic.ts";
import { attribute, item as itemOf } from "../values/attributes.ts";
import { compare, equal } from "../values/compare.ts";
import { Dict, DictView, Iterator, List, Range, Tuple } from "../values/containers.ts";
import { iterate, lengthOf, toArray } from "../values/iterate.ts";
import { native } from "../values/native.ts";
import { str, typeName, viewItems } from "../values/print.ts";
import { Undefined } from "../values/scalars.ts";
import { concatTexts, isText, type PlainText, plain, textOf } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { Opaque, PythonError, type Runtime, type Value } from "../values/types.ts";
import { attributeGetter } from "./attributeGetter.ts";
import { reversedText } from "./strings.ts";
import { as, bare, builtin, each, generator, integerArgument } from "./support.ts";

export const first = native("first", ["seq"], (runtime, value) => {
  const found = iterate(runtime, value!).next();
  return found === undefined ? new Undefined("there is no first item: the sequence is empty") : found;
});

export const last = native("last", ["seq"], (runtime, value) => {
  const items = reversed(runtime, value!);
  if (items === null)
    throw new PythonError("TypeError", `${typeName(value!)} has no last item: make it a list first (list)`);
  const found = items.next();
  return found === undefined ? new Undefined("there is no last item: the sequence is empty") : found;
});

export const length = builtin("len", ["obj"], (runtime, value) => lengthOf(runtime, value!));

export const list = native("list", ["value"], (runtime, value) => new List(toArray(runtime, value!)));

export const random = native("random", ["seq"], (runtime, value) => {
  const size = lengthOf(runtime, value!);
  if (size === 0) return new Undefined("there is no random item: the sequence is empty");
  const index = Math.floor(Math.random() * size);
  const at = plain(value!);
  if (at instanceof Dict) {
    const found = at.get(index);
    if (found === undefined) throw new PythonError("KeyError", "a random item is taken of a list, not of a dict");
    return found;
  }
  if (at instanceof DictView || at instanceof Opaque) {
    throw new PythonError("TypeError", `${typeName(value!)} has no items by index: make it a list first (list)`);
  }
  return itemOf(runtime, value!, index);
});

/** A text from last to first; of anything else an iterator, or a list where it can be read only forwards. */
export const reverse = native("reverse", ["value"], (runtime, value) => {
  if (isText(value!)) return reversedText(value);
  const backwards = reversed(runtime, value!);
  if (backwards !== null) return backwards;
  try {
    return new List(toArray(runtime, value!).reverse());
  } catch (error) {
    if (!(error instanceof PythonError && error.type === "TypeError")) throw error;
    throw new PythonError("FilterArgumentError", `${typeName(value!)} has no items to reverse`);
  }
});

/** Python's `reversed()`; null for what has no order to go back in. */
function reversed(runtime: Runtime, value: Value): Iterator | null {
  if (value instanceof Undefined) return backwards("reversed", 0, () => null);
  if (isText(value)) {
    // Read by index, Markup gives Markup.
    const characters = toArray(runtime, bare(value)) as PlainText[];
    return backwards("reversed", characters.length, (at) => as(value, characters[at]!));
  }
  if (value instanceof List) return backwards("list_reverseiterator", value.items.length, (at) => value.items[at]);
  if (value instanceof Tuple) return backwards("reversed", value.items.length, (at) => value.items[at]);
  if (value instanceof Range) {
    return backwards("range_iterator", value.length, (at) => value.start + at * value.step);
  }
  if (value instanceof Dict) return backwardsThrough("dict_reversekeyiterator", value.keys());
  if (value instanceof DictView) {
    const names = { keys: "key", values: "value", items: "item" } as const;
    return backwardsThrough(`dict_reverse${names[value.kind]}iterator`, viewItems(value));
  }
  return null;
}

function backwardsThrough(name: string, items: readonly Value[]): Iterator {
  return backwards(name, items.length, (at) => items[at]!);
}

function backwards(name: string, length: number, at: (index: number) => Value | undefined): Iterator {
  let index = length;
  return new Iterator(name, () => (index > 0 ? at(--index) : undefined));
}

export const join = native("join", ["value", ["d", ""], ["attribute", null]], (runtime, value, separator, name) => {
  const get = attributeGetter(runtime, name!);
  const between = str(runtime, separator!);
  const parts: PlainText[] = [];
  let size = 0;
  const width = textOf(between).length;
  const add = (item: Value): void => {
    const text = str(runtime, get(item));
    if (parts.length > 0 && width > 0) {
      parts.push(between);
      size += width;
    }
    size += textOf(text).length;
    runtime.allowItems(size);
    parts.push(text);
  };
  const items = iterate(runtime, value!);
  for (let item = items.next(); item !== undefined; item = items.next()) {
    runtime.charge(1);
    add(item);
  }
  return concatTexts(parts);
});

export const sum = native("sum", ["iterable", ["attribute", null], ["start", 0]], (runtime, value, name, start) => {
  const get = attributeGetter(runtime, name!);
  const items = iterate(runtime, value!);
  if (isText(start!)) throw new PythonError("TypeError", "texts are not summed: join them (join)");
  let total: Value = start!;
  for (let item = items.next(); item !== undefined; item = items.next()) {
    runtime.charge(1);
    total = binary(runtime, "+", total, get(item));
  }
  return total;
});

/** Lists of so many items, the last one filled up. */
export const batch = native("batch", ["value", "linecount", ["fill_with", null]], (runtime, value, count, fill) =>
  generator(batches(runtime, value!, count!, fill!)),
);

function* batches(runtime: Runtime, value: Value, count: Value, fill: Value): Generator<Value, void> {
  let row: Value[] = [];
  const size = plain(count);
  for (const item of each(runtime, value)) {
    if (equal(row.length, size)) {
      yield new List(row);
      row = [];
    }
    row.push(item);
  }
  if (row.length === 0) return;
  if (plain(fill) !== null && compare(runtime, "<", row.length, size)) {
    const missing = integerArgument(binary(runtime, "-", size, row.length), "the number of items in a batch");
    runtime.allowItems(missing);
    runtime.charge(missing);
    for (let left = missing; left > 0; left--) row.push(fill);
  }
  yield new List(row);
}

/** So many lists of nearly equal length, the shorter ones filled up. */
export const slice = native("slice", ["value", "slices", ["fill_with", null]], (runtime, value, count, fill) =>
  generator(slices(runtime, value!, count!, fill!)),
);

function* slices(runtime: Runtime, value: Value, count: Value, fill: Value): Generator<Value, void> {
  const items = toArray(runtime, value);
  const size = binary(runtime, "//", items.length, count);
  const longer = binary(runtime, "%", items.length, count);
  const columns = integerArgument(count, "the number of slices");
  const length = integerArgument(size, "the number of slices");
  const longerOnes = integerArgument(longer, "the number of slices");
  let start = 0;
  for (let column = 0; column < columns; column++) {
    runtime.charge(1);
    const end = start + length + (column < longerOnes ? 1 : 0);
    const row = items.slice(start, end);
    if (plain(fill) !== null && column >= longerOnes) row.push(fill);
    yield new List(row);
    start = end;
  }
}

/** What `value.name` is, where it is an attribute and not an item. */
export const attr = native("attr", ["obj", "name"], (runtime, value, name) => {
  if (value instanceof Undefined && isText(name!)) return attribute(runtime, value, textOf(name));
  if (!isText(name!)) throw new PythonError("TypeError", `an attribute's name is a text, not ${typeName(name!)}`);
  if (value instanceof Dict && !hasMethod(value, textOf(name))) {
    return new Undefined(`the dict has no attribute "${textOf(name)}"`);
  }
  return attribute(runtime, value!, textOf(name));
});

export const defaultFilter = native(
  "default",
  ["value", ["default_value", ""], ["boolean", false]],
  (_runtime, value, fallback, boolean) =>
    value instanceof Undefined || (isTrue(boolean!) && !isTrue(value!)) ? fallback! : value!,
);
