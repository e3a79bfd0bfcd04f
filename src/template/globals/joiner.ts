import { native } from "../values/native.ts";
import { type CallArguments, Opaque, PythonError, type Runtime, type Value } from "../values/types.ts";

/** `joiner(sep)`: called, it gives nothing the first time and the separator from then on. */
export const joiner = native("joiner", [["sep", ", "]], (_runtime, separator) => new Joiner(separator!), "type");

class Joiner extends Opaque {
  override readonly typeName = "Joiner";
  readonly #separator: Value;
  #used = false;

  constructor(separator: Value) {
    super();
    this.#separator = separator;
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    if (name === "sep") return this.#separator;
    return name === "used" ? this.#used : undefined;
  }

  override call(_runtime: Runtime, { positional, named }: CallArguments): Value {
    if (positional.length > 0 || (named?.size ?? 0) > 0)
      throw new PythonError("TypeError", "a joiner is called without arguments");
    if (this.#used) return this.#separator;
    this.#used = true;
    return "";
  }
}
