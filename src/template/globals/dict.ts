import { each } from "../filters/support.ts";
import { Dict } from "../values/containers.ts";
import { toArray } from "../values/iterate.ts";
import { native } from "../values/native.ts";
import { Undefined } from "../values/scalars.ts";
import { type CallArguments, Callable, PythonError, type Runtime, type Value } from "../values/types.ts";
import { refuseUndefined } from "../values/undefined.ts";

const fromkeys = native("fromkeys", ["iterable", ["value", null]], (runtime, keys, value) => {
  const made = new Dict();
  for (const key of each(runtime, keys!)) made.set(key, value!);
  return made;
});

/** `dict(mapping or pairs, name=value, …)`, `dict.fromkeys(keys, value)` */
export const dict = new Callable(
  "dict",
  "TemplateDict",
  (runtime, args) => dictOf(runtime, "dict", args),
  new Map([["fromkeys", fromkeys]]),
);

/** The dict that Python's `dict(…)` makes of such arguments. */
export function dictOf(runtime: Runtime, name: string, { positional, named, tracedNames }: CallArguments): Dict {
  if (positional.length > 1) {
    throw new PythonError(
      "TypeError",
      `${name}() takes one dict or list of pairs, but ${positional.length} arguments were given`,
    );
  }
  const made = new Dict();
  const [from] = positional;
  if (from !== undefined) for (const [key, value] of pairsOf(runtime, from)) made.set(key, value);
  for (const [name, value] of named ?? []) made.set(tracedNames?.get(name) ?? name, value);
  return made;
}

function* pairsOf(runtime: Runtime, from: Value): Iterable<[Value, Value]> {
  if (from instanceof Undefined) refuseUndefined(from);
  if (from instanceof Dict) {
    runtime.charge(from.size);
    yield* from.entries();
    return;
  }
  for (const pair of each(runtime, from)) {
    const items = toArray(runtime, pair);
    if (items.length !== 2) throw new PythonError("ValueError", `a dict is made of pairs, found ${items.length} items`);
    yield items as [Value, Value];
  }
}
