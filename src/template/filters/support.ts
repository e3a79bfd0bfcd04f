import { method } from "../methods/index.ts";
import { Iterator, Namespace } from "../values/containers.ts";
import { iterate } from "../values/iterate.ts";
import { native } from "../values/native.ts";
import { indexOf } from "../values/numbers.ts";
import { str, typeName } from "../values/print.ts";
import { Float, Markup, type Text, Undefined } from "../values/scalars.ts";
import { isText, mapText, type PlainText, plain } from "../values/text.ts";
import { Callable, Opaque, PythonError, type Runtime, type Value } from "../values/types.ts";
import { refuseUndefined } from "../values/undefined.ts";

/** A text as it is, Markup too; anything else as it prints. */
export function softText(runtime: Runtime, value: Value): Text {
  return isText(value) ? value : str(runtime, value);
}

/** What stands in a text, without the mark of Markup. */
export function bare(text: Text): PlainText {
  return text instanceof Markup ? text.text : text;
}

/** `text` as Markup where `like` is Markup. */
export function as(like: Text, text: PlainText): Text {
  return like instanceof Markup ? new Markup(text) : text;
}

export function mapSoft(text: Text, map: (characters: string) => string): Text {
  return as(text, mapText(bare(text), map));
}

/** Calls a method of a value as Python does, also where a template may not. */
export function callMethod(runtime: Runtime, object: Value, name: string, ...args: Value[]): Value {
  return methodOf(object, name).call(runtime, { positional: [object, ...args], named: null });
}

function methodOf(object: Value, name: string): Callable {
  const found = method(object, name);
  if (found !== undefined) return found;
  return noAttribute(object, name);
}

/** A value's type for an error; of something undefined, what is missing. */
export function kindOf(value: Value): string {
  return value instanceof Undefined ? `something undefined (${value.message})` : typeName(value);
}

export function noAttribute(object: Value, name: string): never {
  if (object instanceof Undefined) refuseUndefined(object);
  throw new PythonError("AttributeError", `${typeName(object)} has no ${name}`);
}

/** An argument that must be an int, clamped to the safe range. */
export function integerArgument(value: Value, what: string): number {
  const index = indexOf(value);
  if (index === null) throw new PythonError("TypeError", `${what} must be an int, not ${kindOf(value)}`);
  return index;
}

/** A function that takes its arguments by position only. */
export function builtin(
  name: string,
  parameters: readonly string[],
  run: (runtime: Runtime, ...args: Value[]) => Value,
): Callable {
  const { call } = native(name, parameters, run);
  return new Callable(name, "builtin_function_or_method", (runtime, args) => {
    if (args.named !== null && args.named.size > 0) {
      throw new PythonError("TypeError", `${name}() takes no arguments by name`);
    }
    return call(runtime, args);
  });
}

/** A generator: nothing of it runs before its first item is asked for. */
export function generator(items: Generator<Value, void>): Iterator {
  return new Iterator("generator", () => items.next().value as Value | undefined);
}

export function* each(runtime: Runtime, value: Value): Generator<Value, void> {
  const items = iterate(runtime, value);
  for (let item = items.next(); item !== undefined; item = items.next()) {
    runtime.charge(1);
    yield item;
  }
}

/** Whether `iter()` takes the value, without reading from it. */
export function isIterable(value: Value): boolean {
  if (isText(value)) return true;
  const scalar = plain(value);
  if (scalar === null || typeof scalar !== "object" || scalar instanceof Float) return false;
  if (scalar instanceof Opaque) return scalar.iterate !== undefined;
  return !(scalar instanceof Callable || scalar instanceof Namespace);
}

/** What Python's patterns call white space, for the inside of a character class. */
export const whiteSpace = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
