import { Dict, hashKey, Tuple } from "../values/containers.ts";
import { str } from "../values/print.ts";
import { Undefined } from "../values/scalars.ts";
import { isText, textOf } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { type CallArguments, Callable, PythonError, type Runtime, type Value } from "../values/types.ts";
import { attributeGetter } from "./attributeGetter.ts";
import { each, generator } from "./support.ts";

/** `map("filter", …)` or `map(attribute="a.b", default=…)` */
export const map = new Callable("map", "function", (runtime, args) => {
  const [value, rest] = operandOf("map", args);
  return generator(mapped(runtime, value, rest));
});

/** `select("test", …)`; without a test, what is true. */
export const select = selecting("select", true, false);
export const reject = selecting("reject", false, false);
/** `selectattr("a.b", "test", …)` */
export const selectattr = selecting("selectattr", true, true);
export const rejectattr = selecting("rejectattr", false, true);

export const items = new Callable("items", "function", (runtime, args) => {
  const [value, rest] = operandOf("items", args);
  if (rest.positional.length > 0 || (rest.named?.size ?? 0) > 0)
    throw new PythonError("TypeError", "items takes no arguments");
  return generator(pairs(runtime, value));
});

function operandOf(name: string, { positional, named }: CallArguments): [Value, CallArguments] {
  if (positional.length > 0) {
    if (named?.has("value")) throw new PythonError("TypeError", `${name} got its argument "value" twice`);
    return [positional[0]!, { positional: positional.slice(1), named }];
  }
  const value = named?.get("value");
  if (value === undefined) throw new PythonError("TypeError", `${name} needs its argument "value"`);
  return [value, { positional: [], named: new Map([...named!].filter(([key]) => key !== "value")) }];
}

function* mapped(runtime: Runtime, value: Value, args: CallArguments): Generator<Value, void> {
  if (!isTrue(value)) return;
  const convert = conversion(runtime, args);
  for (const item of each(runtime, value)) yield convert(item);
}

function conversion(runtime: Runtime, { positional, named }: CallArguments): (item: Value) => Value {
  const attribute = named?.get("attribute");
  if (positional.length === 0 && attribute !== undefined) {
    for (const name of named!.keys()) {
      if (name !== "attribute" && name !== "default") {
        throw new PythonError("FilterArgumentError", `map(attribute=…) has no argument "${name}", only "default"`);
      }
    }
    return attributeGetter(runtime, attribute, named!.get("default") ?? null);
  }
  if (positional.length === 0) {
    throw new PythonError("FilterArgumentError", 'map needs the name of a filter, or attribute="…"');
  }
  return calling(runtime, "filter", positional[0]!, positional.slice(1), named);
}

/** The filter or test of a name with further arguments; its name is looked up when an item is there. */
function calling(
  runtime: Runtime,
  kind: "filter" | "test",
  name: Value,
  positional: readonly Value[],
  named: CallArguments["named"],
): (item: Value) => Value {
  let found: Callable | undefined;
  return (item) => {
    found ??= lookUp(runtime, kind, name);
    return found.call(runtime, { positional: [item, ...positional], named });
  };
}

function lookUp(runtime: Runtime, kind: "filter" | "test", name: Value): Callable {
  hashKey(name);
  const found = isText(name) ? runtime[kind](textOf(name)) : undefined;
  if (found !== undefined) return found;
  const given = name instanceof Undefined ? name.message : `"${textOf(str(runtime, name))}"`;
  throw new PythonError("TemplateRuntimeError", `there is no ${kind} of this name: ${given}`);
}

function selecting(name: string, keeps: boolean, byAttribute: boolean): Callable {
  return new Callable(name, "function", (runtime, args) => {
    const [value, rest] = operandOf(name, args);
    return generator(selected(runtime, value, rest, keeps, byAttribute));
  });
}

function* selected(
  runtime: Runtime,
  value: Value,
  { positional, named }: CallArguments,
  keeps: boolean,
  byAttribute: boolean,
): Generator<Value, void> {
  if (!isTrue(value)) return;
  if (byAttribute && positional.length === 0) {
    throw new PythonError("FilterArgumentError", "selectattr and rejectattr need the name of an attribute");
  }
  const get = byAttribute ? attributeGetter(runtime, positional[0]!) : null;
  const [name, ...args] = byAttribute ? positional.slice(1) : positional;
  const passes = name === undefined ? null : calling(runtime, "test", name, args, named);
  for (const item of each(runtime, value)) {
    const tested = get === null ? item : get(item);
    if (isTrue(passes === null ? tested : passes(tested)) === keeps) yield item;
  }
}

function* pairs(runtime: Runtime, value: Value): Generator<Value, void> {
  if (value instanceof Undefined) return;
  if (!(value instanceof Dict)) throw new PythonError("TypeError", "items are taken of a dict");
  for (const pair of value.entries()) {
    runtime.charge(1);
    yield new Tuple(pair);
  }
}
