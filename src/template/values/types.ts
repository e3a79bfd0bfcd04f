import type { Dict, DictView, Iterator, List, Namespace, Range, Tuple } from "./containers.ts";
import type { Float, Markup, Traced, Undefined } from "./scalars.ts";

/*
 * Python's values, as a template sees them.
 *
 *   str    a JavaScript string; a Traced one where provenance is kept; Markup after `safe`
 *   int    a safe integer as a number, any other as a bigint
 *   float  Float
 *   bool, None   true, false, null
 *   list, tuple, dict   List, Tuple, Dict
 *
 * Everything else is a class below. No value of the template is a JavaScript object with a prototype to reach.
 */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Float
  | Traced
  | Markup
  | Undefined
  | List
  | Tuple
  | Dict
  | DictView
  | Range
  | Namespace
  | Callable
  | Iterator
  | Opaque;

export interface CallArguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value> | null;
  /** Names that came out of the context with `**`, with their sources: for functions that keep names as values. */
  readonly tracedNames?: ReadonlyMap<string, Value> | undefined;
}

/** A function, a bound method or a macro. */
export class Callable {
  readonly name: string;
  /** As Python prints the type: `function`, `builtin_function_or_method`, `Macro` … */
  readonly typeName: string;
  readonly call: (runtime: Runtime, args: CallArguments) => Value;
  /** Attributes that a template may read: those of a macro. */
  readonly attributes: ReadonlyMap<string, Value> | null;

  constructor(
    name: string,
    typeName: string,
    call: (runtime: Runtime, args: CallArguments) => Value,
    attributes: ReadonlyMap<string, Value> | null = null,
  ) {
    this.name = name;
    this.typeName = typeName;
    this.call = call;
    this.attributes = attributes;
  }
}

/** An object of the template's own machinery: `loop`, `cycler`, `joiner`, groups of `groupby`. */
export abstract class Opaque {
  abstract readonly typeName: string;
  /** undefined: no such attribute. */
  abstract attribute(runtime: Runtime, name: string): Value | undefined;
  /** undefined: it cannot be called. */
  call?(runtime: Runtime, args: CallArguments): Value;
  /** undefined: it cannot be iterated. */
  iterate?(runtime: Runtime): Iterator;
  /** `len()`; undefined: it has none. */
  length?(): number;
  print?(runtime: Runtime): string;
}

/** What operations may ask of the render that they run in. */
export interface Runtime {
  /** Counts work: loop turns, calls, items. Throws a limit error when the budget is spent. */
  charge(steps: number): void;
  /** Call it before making a text of so many UTF-16 units. Throws a limit error. */
  allow(length: number): void;
  /** Call it before making a list or dict of so many items. Throws a limit error. */
  allowItems(count: number): void;
  /** Provenance is kept. */
  readonly traced: boolean;
  /** The time that `strftime_now` prints. */
  now(): Date;
  filter(name: string): Callable | undefined;
  test(name: string): Callable | undefined;
  /** List and dict methods that change their object are allowed. */
  readonly mutable: boolean;
  /** One more level of calls; throws a limit error when too deep. Every `enter` needs its `leave`. */
  enter(): void;
  leave(): void;
}

/** Where Python raises. The render that it ends turns it into a `TitoError` with its place in the template. */
export class PythonError {
  /** The exception's class: `TypeError`, `UndefinedError` … */
  readonly type: string;
  readonly message: string;

  constructor(type: string, message: string) {
    this.type = type;
    this.message = message;
  }
}
