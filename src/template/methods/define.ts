import { Callable, PythonError, type Runtime, type Value } from "../values/types.ts";

/** A callable whose first positional argument is the object that it is a method of. */
export type Method = Callable;

export type Methods = ReadonlyMap<string, Method>;

/** An argument; undefined: left out. */
export type Argument = Value | undefined;

/** `self` is what the method's table is for, so it needs no check. */
export type Run<Self> = (runtime: Runtime, self: Self, a: Argument, b: Argument, c: Argument) => Value;

/** A method whose arguments are given by position only, as those of most of Python's builtin types; at most three. */
export function define<Self extends Value>(name: string, least: number, most: number, run: Run<Self>): Method {
  return new Callable(name, "method_descriptor", (runtime, { positional, named }) => {
    const given = positional.length - 1;
    if (named !== null && named.size > 0) throw new PythonError("TypeError", `${name}() takes no arguments by name`);
    if (given < least || given > most) throw wrongCount(name, least, most, given);
    return run(runtime, positional[0] as Self, positional[1], positional[2], positional[3]);
  });
}

/** A method whose arguments may also be given by name; all are optional but the first `least`. */
export function defineNamed<Self extends Value>(
  name: string,
  parameters: readonly string[],
  run: Run<Self>,
  least = 0,
): Method {
  return new Callable(name, "method_descriptor", (runtime, { positional, named }) => {
    const given = positional.length - 1;
    if (given > parameters.length) throw wrongCount(name, least, parameters.length, given);
    const args: Argument[] = positional.slice(1);
    for (const [parameter, value] of named ?? []) {
      const at = parameters.indexOf(parameter);
      if (at === -1) throw new PythonError("TypeError", `${name}() has no argument "${parameter}"`);
      if (at < given) throw new PythonError("TypeError", `${name}() got its argument "${parameter}" twice`);
      args[at] = value;
    }
    for (let at = 0; at < least; at++) {
      if (args[at] === undefined)
        throw new PythonError("TypeError", `${name}() needs its argument "${parameters[at]}"`);
    }
    return run(runtime, positional[0] as Self, args[0], args[1], args[2]);
  });
}

/** The methods by name. */
export function methodTable(methods: readonly Method[]): Methods {
  return new Map(methods.map((method) => [method.name, method]));
}

/** A value made when it is first asked for: modules that import each other must not need each other while they load. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function wrongCount(name: string, least: number, most: number, given: number): PythonError {
  const range = least === most ? `${most}` : `${least} to ${most}`;
  return new PythonError(
    "TypeError",
    `${name}() takes ${range} argument${range === "1" ? "" : "s"}, but ${given} were given`,
  );
}
