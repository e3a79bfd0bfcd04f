import { builtin, callMethod, isIterable } from "../filters/support.ts";
import { binary } from "../values/arithmetic.ts";
import { compare, contains, equal, type OrderOperator } from "../values/compare.ts";
import { Dict, hashKey, List, Range, Tuple } from "../values/containers.ts";
import { native } from "../values/native.ts";
import { numeric } from "../values/numbers.ts";
import { str } from "../values/print.ts";
import { Float, Markup, Undefined } from "../values/scalars.ts";
import { isText, plain, textOf } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { Callable, Opaque, type Runtime, type Value } from "../values/types.ts";

type Check = (runtime: Runtime, value: Value) => boolean;

/** A test without arguments. */
const check = (name: string, holds: Check): [string, Callable] => [
  name,
  native(name, ["value"], (runtime, value) => holds(runtime, value!)),
];

const remainder = (name: string, expected: number): [string, Callable] =>
  check(name, (runtime, value) => equal(binary(runtime, "%", value, 2), expected));

const operator = (holds: (runtime: Runtime, a: Value, b: Value) => boolean, ...names: string[]): [string, Callable][] =>
  names.map((name) => [name, builtin(name, ["a", "b"], (runtime, a, b) => holds(runtime, a!, b!))]);

const order = (sign: OrderOperator, ...names: string[]): [string, Callable][] =>
  operator((runtime, a, b) => compare(runtime, sign, a, b), sign, ...names);

/** Whether one of the render's filters or tests has this name. */
const named = (kind: "filter" | "test"): [string, Callable] =>
  check(kind, (runtime, value) => {
    // As a dict's key is looked up: a list is a TypeError.
    hashKey(value);
    return isText(value) && runtime[kind](textOf(value)) !== undefined;
  });

/** Jinja's tests by name; each gives true or false. The first argument is what stands before the `is`. */
export const tests: ReadonlyMap<string, Callable> = new Map([
  remainder("odd", 1),
  remainder("even", 0),
  [
    "divisibleby",
    native("divisibleby", ["value", "num"], (runtime, value, by) => equal(binary(runtime, "%", value!, by!), 0)),
  ],
  check("defined", (_runtime, value) => !(value instanceof Undefined)),
  check("undefined", (_runtime, value) => value instanceof Undefined),
  named("filter"),
  named("test"),
  check("none", (_runtime, value) => plain(value) === null),
  check("boolean", (_runtime, value) => typeof plain(value) === "boolean"),
  check("false", (_runtime, value) => plain(value) === false),
  check("true", (_runtime, value) => plain(value) === true),
  check("integer", (_runtime, value) => isInteger(plain(value))),
  check("float", (_runtime, value) => plain(value) instanceof Float),
  check("lower", (runtime, value) => isTrue(callMethod(runtime, str(runtime, value), "islower"))),
  check("upper", (runtime, value) => isTrue(callMethod(runtime, str(runtime, value), "isupper"))),
  check("string", (_runtime, value) => isText(value)),
  check("mapping", (_runtime, value) => value instanceof Dict),
  // Python counts booleans among its numbers.
  check("number", (_runtime, value) => numeric(value) !== null),
  check("sequence", (_runtime, value) => isSequence(value)),
  check("iterable", (_runtime, value) => isIterable(value)),
  check("callable", (_runtime, value) => isCallable(value)),
  ["sameas", native("sameas", ["value", "other"], (_runtime, value, other) => plain(value!) === plain(other!))],
  check("escaped", (_runtime, value) => value instanceof Markup),
  ["in", native("in", ["value", "seq"], (runtime, value, container) => contains(runtime, container!, value!))],
  ...operator((_runtime, a, b) => equal(a, b), "==", "eq", "equalto"),
  ...operator((_runtime, a, b) => !equal(a, b), "!=", "ne"),
  ...order(">", "gt", "greaterthan"),
  ...order(">=", "ge"),
  ...order("<", "lt", "lessthan"),
  ...order("<=", "le"),
]);

function isInteger(value: Value): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

/** What has a length and items by index or key; the undefined has, too. */
function isSequence(value: Value): boolean {
  return (
    isText(value) ||
    value instanceof List ||
    value instanceof Tuple ||
    value instanceof Dict ||
    value instanceof Range ||
    value instanceof Undefined
  );
}

/** Calling what is undefined is an error, but Python finds it callable. */
function isCallable(value: Value): boolean {
  if (value instanceof Opaque) return value.call !== undefined;
  return value instanceof Callable || value instanceof Undefined;
}
