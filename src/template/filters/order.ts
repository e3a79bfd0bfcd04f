import { compare } from "../values/compare.ts";
import type { Runtime, Value } from "../values/types.ts";

export type IsBefore = (runtime: Runtime, a: Value, b: Value) => boolean;

/** Longest list that Python sorts by insertion alone. */
const insertionLimit = 63;

/**
 * Items in the order of their keys, as Python's `sorted` gives them: stable, by `<` only, in a new array. Short lists are
 * sorted with Python's own comparisons, which shows where an order is none (`nan`).
 */
export function sortByKey<T>(
  runtime: Runtime,
  items: readonly T[],
  keyOf: (item: T) => Value,
  reverse: boolean,
  isBefore: IsBefore = isSmaller,
): T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  const isLess = (a: { key: Value }, b: { key: Value }): boolean => isBefore(runtime, a.key, b.key);
  runtime.charge(keyed.length);
  // Equal items keep their order in a reversed sort, too.
  if (reverse) keyed.reverse();
  if (keyed.length > insertionLimit) {
    keyed.sort((a, b) => (isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0));
  } else insertionSort(keyed, isLess);
  if (reverse) keyed.reverse();
  return keyed.map(({ item }) => item);
}

function isSmaller(runtime: Runtime, a: Value, b: Value): boolean {
  return typeof a === "number" && typeof b === "number" ? a < b : compare(runtime, "<", a, b);
}

function insertionSort<T>(items: T[], isLess: (a: T, b: T) => boolean): void {
  for (let end = ascendingRun(items, isLess); end < items.length; end++) {
    const item = items[end]!;
    let low = 0;
    let high = end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isLess(item, items[middle]!)) high = middle;
      else low = middle + 1;
    }
    items.copyWithin(low + 1, low, end);
    items[low] = item;
  }
}

/** Length of the run that the list begins with; a descending one is turned round. */
function ascendingRun<T>(items: T[], isLess: (a: T, b: T) => boolean): number {
  if (items.length < 2) return items.length;
  let end = 2;
  if (isLess(items[1]!, items[0]!)) {
    while (end < items.length && isLess(items[end]!, items[end - 1]!)) end++;
    const run = items.slice(0, end).reverse();
    for (let at = 0; at < end; at++) items[at] = run[at]!;
  } else {
    while (end < items.length && !isLess(items[end]!, items[end - 1]!)) end++;
  }
  return end;
}
