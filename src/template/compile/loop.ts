import { same } from "../values/compare.ts";
import { Undefined } from "../values/scalars.ts";
import { type CallArguments, Callable, Opaque, PythonError, type Runtime, type Value } from "../values/types.ts";

/** Writes the body of a recursive loop for other items. */
export type Recurse = (runtime: Runtime, items: Value, depth: number) => Value;

/** `loop` inside a `for`. It reads ahead only when it is asked what comes next, so that a filtered loop stays lazy. */
export class LoopState extends Opaque {
  readonly typeName = "LoopContext";
  readonly #pull: () => Value | undefined;
  readonly #depth: number;
  readonly #recurse: Recurse | null;
  #length: number | null;
  #index = -1;
  #ahead: Value[] = [];
  #before: Value | undefined;
  #current: Value | undefined;
  #changed: readonly Value[] | null = null;

  /** `length` is null where only the end tells it. */
  constructor(pull: () => Value | undefined, length: number | null, depth: number, recurse: Recurse | null) {
    super();
    this.#pull = pull;
    this.#length = length;
    this.#depth = depth;
    this.#recurse = recurse;
  }

  /** The next item; undefined at the end. */
  next(): Value | undefined {
    const item = this.#ahead.length > 0 ? this.#ahead.shift() : this.#pull();
    if (item === undefined) return undefined;
    this.#index++;
    this.#before = this.#current;
    this.#current = item;
    return item;
  }

  override length(): number {
    if (this.#length === null) {
      for (let item = this.#pull(); item !== undefined; item = this.#pull()) this.#ahead.push(item);
      this.#length = this.#index + 1 + this.#ahead.length;
    }
    return this.#length;
  }

  #peek(): Value | undefined {
    if (this.#ahead.length === 0) {
      const item = this.#pull();
      if (item !== undefined) this.#ahead.push(item);
    }
    return this.#ahead[0];
  }

  override attribute(_runtime: Runtime, name: string): Value | undefined {
    switch (name) {
      case "index0":
        return this.#index;
      case "index":
        return this.#index + 1;
      case "length":
        return this.length();
      case "revindex0":
        return this.length() - this.#index - 1;
      case "revindex":
        return this.length() - this.#index;
      case "first":
        return this.#index === 0;
      case "last":
        return this.#peek() === undefined;
      case "previtem":
        return this.#before === undefined ? new Undefined("there is no previous item") : this.#before;
      case "nextitem": {
        const next = this.#peek();
        return next === undefined ? new Undefined("there is no next item") : next;
      }
      case "depth":
        return this.#depth + 1;
      case "depth0":
        return this.#depth;
      case "cycle":
        return new Callable("cycle", "method", (_, args) => this.#cycle(args));
      case "changed":
        return new Callable("changed", "method", (_, args) => this.#hasChanged(args));
      default:
        return undefined;
    }
  }

  #cycle({ positional }: CallArguments): Value {
    if (positional.length === 0) throw new PythonError("TypeError", "loop.cycle needs something to cycle through");
    return positional[this.#index % positional.length]!;
  }

  #hasChanged({ positional }: CallArguments): boolean {
    const before = this.#changed;
    if (before?.length === positional.length && before.every((value, at) => same(value, positional[at]!))) return false;
    this.#changed = positional;
    return true;
  }

  override call(runtime: Runtime, { positional, named }: CallArguments): Value {
    if (this.#recurse === null) {
      throw new PythonError("TypeError", 'only a loop that is marked "recursive" can be called');
    }
    const items = positional[0] ?? named?.get("iterable");
    if (items === undefined || positional.length > 1)
      throw new PythonError("TypeError", "loop() takes the items alone");
    return this.#recurse(runtime, items, this.#depth + 1);
  }

  override print(): string {
    return `<LoopContext ${this.#index + 1}/${this.length()}>`;
  }
}

/** The values for several loop variables. */
export function unpack(items: readonly Value[], count: number): readonly Value[] {
  if (items.length === count) return items;
  const few = items.length < count ? "too few" : "too many";
  throw new PythonError("ValueError", `${few} values to unpack: ${count} are needed, found ${items.length}`);
}
