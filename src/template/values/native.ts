import { Callable, PythonError, type Runtime, type Value } from "./types.ts";

/** A parameter by name, or with its default. */
export type NativeParameter = string | readonly [name: string, fallback: Value];

/** A function with Python's rules for arguments: by position or by name, missing ones are an error or their default. */
export function native(
  name: string,
  parameters: readonly NativeParameter[],
  run: (runtime: Runtime, ...args: Value[]) => Value,
  typeName = "function",
): Callable {
  const names = parameters.map((parameter) => (typeof parameter === "string" ? parameter : parameter[0]));
  return new Callable(name, typeName, (runtime, { positional, named }) => {
    if (named === null && positional.length === names.length) return run(runtime, ...positional);
    if (positional.length > names.length) {
      throw new PythonError(
        "TypeError",
        `${name}() takes ${names.length} arguments, but ${positional.length} were given`,
      );
    }
    const args: Value[] = [...positional];
    for (const given of named?.keys() ?? []) {
      const at = names.indexOf(given);
      if (at === -1) throw new PythonError("TypeError", `${name}() has no argument "${given}"`);
      if (at < positional.length) throw new PythonError("TypeError", `${name}() got its argument "${given}" twice`);
    }
    for (let at = positional.length; at < names.length; at++) {
      const parameter = parameters[at]!;
      const value = named?.get(names[at]!);
      if (value !== undefined) args.push(value);
      else if (typeof parameter !== "string") args.push(parameter[1]);
      else throw new PythonError("TypeError", `${name}() needs its argument "${parameter}"`);
    }
    return run(runtime, ...args);
  });
}
