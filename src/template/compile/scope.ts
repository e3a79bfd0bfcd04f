import type { Statement, Target } from "../syntax/ast.ts";
import { Undefined } from "../values/scalars.ts";
import type { Value } from "../values/types.ts";
import type { Run } from "./run.ts";

/** The variables of one call: of the template itself, of a macro, or of a turn of a recursive loop. */
export class Frame {
  readonly run: Run;
  readonly slots: (Value | undefined)[];
  /** The frame that the macro was defined in. */
  readonly parent: Frame | null;

  constructor(run: Run, slots: (Value | undefined)[], parent: Frame | null) {
    this.run = run;
    this.slots = slots;
    this.parent = parent;
  }
}

export type Evaluate = (frame: Frame) => Value;

/** How a statement ended: `next` goes on, the others leave the innermost loop's turn. */
export type Flow = 0 | 1 | 2;
export const NEXT: Flow = 0;
export const BREAK: Flow = 1;
export const CONTINUE: Flow = 2;

export type Execute = (frame: Frame) => Flow;

/** How many slots a frame needs; shared by all scopes of one call. */
export interface FrameLayout {
  size: number;
}

/** The names of a block's own statements: not of the loops, macros and other blocks in it. */
export interface BlockNames {
  /** What is bound, and what it is until then: the same name further out, or undefined. */
  readonly bound: ReadonlyMap<string, "outer" | "undefined">;
  readonly read: ReadonlySet<string>;
}

/**
 * Which names a block binds and reads. As in Jinja, a name is bound in the innermost block that assigns to it. Until then it is
 * what it is further out; but a name that nothing further out uses, and that the block assigns in any case without having read
 * it, is undefined, also where the context has it.
 */
export class Scope {
  readonly parent: Scope | null;
  readonly layout: FrameLayout;
  readonly #slots = new Map<string, number>();
  readonly #names: BlockNames;

  constructor(parent: Scope | null, layout: FrameLayout, names: BlockNames) {
    this.parent = parent;
    this.layout = layout;
    this.#names = names;
    for (const name of names.bound.keys()) this.bind(name);
  }

  /** A block within the same call. */
  block(names: BlockNames): Scope {
    return new Scope(this, this.layout, names);
  }

  /** The body of a macro. */
  call(names: BlockNames): Scope {
    return new Scope(this, { size: 0 }, names);
  }

  bind(name: string): number {
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const slot = this.layout.size++;
    this.#slots.set(name, slot);
    return slot;
  }

  slot(name: string): number | undefined {
    return this.#slots.get(name);
  }

  /** The slots to clear when the block begins. */
  slots(): number[] {
    return [...this.#slots.values()];
  }

  /** Is the name bound or read here, or in a block around this one? */
  knows(name: string): boolean {
    return this.#slots.has(name) || this.#names.read.has(name) || (this.parent?.knows(name) ?? false);
  }

  /** Reads a name from where it is bound. */
  read(name: string): Evaluate {
    const places: { readonly up: number; readonly slot: number }[] = [];
    let up = 0;
    let isInContext = true;
    for (let scope: Scope | null = this; scope !== null; scope = scope.parent) {
      const slot = scope.slot(name);
      if (slot !== undefined) {
        places.push({ up, slot });
        if (scope.#names.bound.get(name) === "undefined" && !scope.parent?.knows(name)) {
          isInContext = false;
          break;
        }
      }
      if (scope.parent !== null && scope.parent.layout !== scope.layout) up++;
    }
    const unbound: Evaluate = isInContext ? (frame) => frame.run.resolve(name) : () => undefinedName(name);
    return readPlaces(places, unbound);
  }
}

export function undefinedName(name: string): Undefined {
  return new Undefined(`"${name}" is undefined`);
}

function readPlaces(places: readonly { readonly up: number; readonly slot: number }[], unbound: Evaluate): Evaluate {
  const [first] = places;
  if (first === undefined) return unbound;
  if (places.length === 1 && first.up === 0) {
    const { slot } = first;
    return (frame) => {
      const value = frame.slots[slot];
      return value === undefined ? unbound(frame) : value;
    };
  }
  return (frame) => {
    for (const { up, slot } of places) {
      let at = frame;
      for (let i = 0; i < up; i++) at = at.parent!;
      const value = at.slots[slot];
      if (value !== undefined) return value;
    }
    return unbound(frame);
  };
}

export interface BlockNamesOptions {
  /** Names that are bound before the block begins: parameters and loop variables. */
  readonly parameters?: readonly string[];
  /** Expressions that belong to the block and stand before its statements. */
  readonly before?: readonly unknown[];
}

export function blockNames(statements: readonly Statement[], options: BlockNamesOptions = {}): BlockNames {
  const bound = new Map<string, "outer" | "undefined">(options.parameters?.map((name) => [name, "undefined"]));
  const read = new Set<string>();
  readNames(options.before, read);
  collect(statements, false, bound, read);
  return { bound, read };
}

function collect(
  statements: readonly Statement[],
  conditional: boolean,
  bound: Map<string, "outer" | "undefined">,
  read: Set<string>,
): void {
  const bind = (name: string) => {
    if (!bound.has(name)) bound.set(name, conditional || read.has(name) ? "outer" : "undefined");
  };
  for (const statement of statements) {
    switch (statement.kind) {
      case "print":
        readNames(statement.value, read);
        break;
      case "for":
        readNames(statement.iterable, read);
        break;
      case "callBlock":
        readNames(statement.call, read);
        break;
      case "filterBlock":
        readNames(statement.filter, read);
        break;
      case "with":
        for (const { value } of statement.assignments) readNames(value, read);
        break;
      case "assign":
        readNames(statement.value, read);
        readNamespaces(statement.target, read);
        for (const name of targetNames(statement.target)) bind(name);
        break;
      case "assignBlock":
        readNamespaces(statement.target, read);
        for (const name of targetNames(statement.target)) bind(name);
        break;
      case "macro":
        bind(statement.name);
        break;
      case "import":
        for (const name of statement.names) bind(name);
        break;
      case "if":
        readNames(statement.test, read);
        collect(statement.body, true, bound, read);
        collect(statement.otherwise, true, bound, read);
    }
  }
}

/** The names anywhere in an expression. */
function readNames(tree: unknown, names: Set<string>): void {
  if (typeof tree !== "object" || tree === null) return;
  const node = tree as { readonly kind?: string; readonly name?: string };
  if (node.kind === "name") names.add(node.name!);
  else for (const part of Object.values(tree)) readNames(part, names);
}

function readNamespaces(target: Target, names: Set<string>): void {
  if (target.kind === "namespace") names.add(target.name);
  else if (target.kind === "targets") for (const item of target.items) readNamespaces(item, names);
}

export function targetNames(target: Target): string[] {
  if (target.kind === "name") return [target.name];
  return target.kind === "targets" ? target.items.flatMap(targetNames) : [];
}
