import { compareCodePoints } from "../../messages/index.ts";
import { LimitExceeded } from "../limits.ts";
import { Dict, DictView, Iterator, List, Range, Tuple } from "./containers.ts";
import { iterate } from "./iterate.ts";
import { numeric } from "./numbers.ts";
import { viewItems } from "./print.ts";
import { Float, Undefined } from "./scalars.ts";
import { isText, textOf } from "./text.ts";
import { typeName } from "./typeName.ts";
import { Opaque, PythonError, type Runtime, type Value } from "./types.ts";
import { refuseUndefined } from "./undefined.ts";

export type OrderOperator = "<" | "<=" | ">" | ">=";

/** Items that one comparison may look at: containers that hold each other many times over have no end of them. */
const MOST_COMPARED = 2_000_000;
let compared = 0;

/** Python's `==`. */
export function equal(a: Value, b: Value): boolean {
  compared = 0;
  return equalValues(a, b);
}

function equalValues(a: Value, b: Value): boolean {
  if (typeof a === "string" && typeof b === "string") return a === b;
  if (isText(a)) return isText(b) && textOf(a) === textOf(b);
  const number = numeric(a);
  if (number !== null) {
    const other = numeric(b);
    return other !== null && equalNumbers(number, other);
  }
  return equalObjects(a, b);
}

function equalNumbers(a: number | bigint | Float, b: number | bigint | Float): boolean {
  const left = a instanceof Float ? a.value : a;
  const right = b instanceof Float ? b.value : b;
  // biome-ignore lint/suspicious/noDoubleEquals: between a number and a bigint, == compares exact mathematical values
  return left == right;
}

function equalObjects(a: Value, b: Value): boolean {
  if (a instanceof Undefined) return b instanceof Undefined;
  if (a instanceof List) return b instanceof List && equalItems(a.items, b.items);
  if (a instanceof Tuple) return b instanceof Tuple && equalItems(a.items, b.items);
  if (a instanceof Dict) return b instanceof Dict && equalDicts(a, b);
  if (a instanceof Range && b instanceof Range) {
    if (a.length !== b.length || a.length === 0) return a.length === b.length;
    return a.start === b.start && (a.length === 1 || a.step === b.step);
  }
  if (a instanceof DictView && b instanceof DictView && a.kind !== "values" && b.kind !== "values") {
    const others = viewItems(b);
    const items = viewItems(a);
    return items.length === others.length && items.every((item) => others.some((other) => same(item, other)));
  }
  // None, traced or not, and what is only equal to itself.
  return a === b || (typeName(a) === "NoneType" && typeName(b) === "NoneType");
}

/** As items of a container are compared: what is identical is equal, NaN too. */
export function same(a: Value, b: Value): boolean {
  return a === b || equal(a, b);
}

function sameItem(a: Value, b: Value): boolean {
  if (++compared > MOST_COMPARED) throw new LimitExceeded("steps", MOST_COMPARED);
  return a === b || equalValues(a, b);
}

function equalItems(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((item, index) => sameItem(item, b[index]!));
}

function equalDicts(a: Dict, b: Dict): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [key, value] of a.entries()) {
    const other = b.get(key);
    if (other === undefined || !sameItem(value, other)) return false;
  }
  return true;
}

/** Python's `<`, `<=`, `>`, `>=`. */
export function compare(runtime: Runtime, operator: OrderOperator, a: Value, b: Value): boolean {
  const left = numeric(a);
  const right = numeric(b);
  if (left !== null && right !== null) {
    const x = left instanceof Float ? left.value : left;
    const y = right instanceof Float ? right.value : right;
    return operator === "<" ? x < y : operator === "<=" ? x <= y : operator === ">" ? x > y : x >= y;
  }
  if (isText(a) && isText(b)) return holds(operator, compareCodePoints(textOf(a), textOf(b)));
  if ((a instanceof List && b instanceof List) || (a instanceof Tuple && b instanceof Tuple)) {
    const shared = Math.min(a.items.length, b.items.length);
    for (let at = 0; at < shared; at++) {
      runtime.charge(1);
      if (!same(a.items[at]!, b.items[at]!)) return compare(runtime, operator, a.items[at]!, b.items[at]!);
    }
    return holds(operator, a.items.length - b.items.length);
  }
  if (a instanceof Undefined) refuseUndefined(a);
  if (b instanceof Undefined) refuseUndefined(b);
  if (a instanceof DictView && b instanceof DictView && a.kind !== "values" && b.kind !== "values") {
    return compareSets(operator, viewItems(a), viewItems(b));
  }
  throw new PythonError("TypeError", `"${operator}" does not work between ${typeName(a)} and ${typeName(b)}`);
}

function holds(operator: OrderOperator, difference: number): boolean {
  if (operator === "<") return difference < 0;
  if (operator === "<=") return difference <= 0;
  return operator === ">" ? difference > 0 : difference >= 0;
}

/** Keys and items of dicts are sets: smaller is a subset. */
function compareSets(operator: OrderOperator, a: readonly Value[], b: readonly Value[]): boolean {
  if (operator === ">" || operator === ">=") return compareSets(operator === ">" ? "<" : "<=", b, a);
  const within = a.every((item) => b.some((other) => same(item, other)));
  return within && (operator === "<=" || a.length < b.length);
}

/** Python's `in`. */
export function contains(runtime: Runtime, container: Value, item: Value): boolean {
  if (isText(container)) {
    if (isText(item)) return textOf(container).includes(textOf(item));
    throw new PythonError("TypeError", `only a text can be in a text, found ${typeName(item)}`);
  }
  if (container instanceof Dict) return container.has(item);
  if (container instanceof DictView && container.kind === "keys") return container.dict.has(item);
  if (container instanceof List || container instanceof Tuple) {
    runtime.charge(container.items.length >> 3);
    return container.items.some((one) => same(one, item));
  }
  if (container instanceof Range) {
    const number = numeric(item);
    if (number === null) return false;
    const at = Number(number instanceof Float ? number.value : number);
    const steps = (at - container.start) / container.step;
    return Number.isInteger(at) && Number.isInteger(steps) && steps >= 0 && steps < container.length;
  }
  if (
    container instanceof DictView ||
    container instanceof Iterator ||
    container instanceof Undefined ||
    (container instanceof Opaque && container.iterate)
  ) {
    const items = iterate(runtime, container);
    for (let one = items.next(); one !== undefined; one = items.next()) if (same(one, item)) return true;
    return false;
  }
  throw new PythonError("TypeError", `"in" does not work on ${typeName(container)}`);
}
