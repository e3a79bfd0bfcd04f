import { Tuple } from "../values/containers.ts";
import { native } from "../values/native.ts";
import { Callable, Opaque, PythonError, type Runtime, type Value } from "../values/types.ts";

/** `cycler(a, b, …)`: `next()` gives them in turn, for ever. */
export const cycler = new Callable("cycler", "type", (_runtime, { positional, named }) => {
  if (named !== null && named.size > 0) throw new PythonError("TypeError", "cycler() takes no arguments by name");
  if (positional.length === 0) throw new PythonError("RuntimeError", "cycler() needs at least one value");
  return new Cycler(positional);
});

class Cycler extends Opaque {
  override readonly typeName = "Cycler";
  readonly #items: readonly Value[];
  readonly #methods: ReadonlyMap<string, Value>;
  #at = 0;

  constructor(items: readonly Value[]) {
    super();
    this.#items = items;
    this.#methods = new Map([
      ["next", native("next", [], () => this.#next(), "method")],
      ["reset", native("reset", [], () => this.#reset(), "method")],
    ]);
  }

  #next(): Value {
    const value = this.#items[this.#at]!;
    this.#at = (this.#at + 1) % this.#items.length;
    return value;
  }

  #reset(): Value {
    this.#at = 0;
    return null;
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    if (name === "current") return this.#items[this.#at]!;
    if (name === "items") return new Tuple(this.#items);
    return name === "pos" ? this.#at : this.#methods.get(name);
  }
}
