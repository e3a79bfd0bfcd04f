import type { JsonInput } from "../../messages/index.ts";
import { filters } from "../filters/index.ts";
import { globals } from "../globals/index.ts";
import { LimitExceeded, type TemplateLimits } from "../limits.ts";
import type { Expression, Statement } from "../syntax/ast.ts";
import { tests } from "../tests/index.ts";
import { Dict } from "../values/containers.ts";
import { fromContext } from "../values/fromContext.ts";
import { Markup } from "../values/scalars.ts";
import { Source } from "../values/source.ts";
import { fromPieces, isText, type PlainText, piecesOf } from "../values/text.ts";
import type { Callable, Runtime, Value } from "../values/types.ts";
import { type Output, PlainOutput, TracedBlock, TracedOutput } from "./output.ts";
import { undefinedName } from "./scope.ts";

/** A template's variables by name: JSON values, lossless ones (`parseJson`) or plain JavaScript. Undefined ones are left out. */
export type TemplateContext = ReadonlyMap<string, unknown> | { readonly [name: string]: unknown };

export interface RunOptions {
  readonly context: TemplateContext;
  readonly traced: boolean;
  readonly mutable: boolean;
  readonly limits: TemplateLimits;
  readonly now: () => Date;
}

/** What an item of a list counts for against the limit of lengths. */
const ITEM_LENGTH = 16;

/** How often the clock is looked at. */
const STEPS_PER_LOOK = 4096;

/** One render: its variables, its output and its budget. */
export class Run implements Runtime {
  readonly traced: boolean;
  readonly mutable: boolean;
  readonly now: () => Date;
  /** What is written to now. */
  out: Output;
  /** The output itself. */
  readonly main: Output;
  /** What is being evaluated, for errors. */
  node: Expression | Statement | null = null;
  /** The message that is being written; -1: none. */
  message = -1;
  /** A loop over messages said which message that is. */
  inMessageLoop = false;
  inLoop = false;
  /** `{% generation %}` blocks: half-open ranges of the output in UTF-16 units. */
  readonly generations: (readonly [start: number, end: number])[] = [];
  /** Printed values are escaped: inside `{% autoescape true %}`. */
  escapes = false;

  readonly #context: TemplateContext;
  readonly #variables = new Map<string, Value>();
  readonly #limits: TemplateLimits;
  readonly #deadline: number;
  #steps = 0;
  #nextLook = STEPS_PER_LOOK;
  #depth = 0;
  #templateSource: Source | null = null;

  constructor(options: RunOptions) {
    this.traced = options.traced;
    this.mutable = options.mutable;
    this.now = options.now;
    this.#context = options.context;
    this.#limits = options.limits;
    this.#deadline = Date.now() + options.limits.milliseconds;
    this.main = options.traced ? new TracedOutput(this) : new PlainOutput();
    this.out = this.main;
  }

  charge(steps: number): void {
    this.#steps += steps;
    if (this.#steps < this.#nextLook) return;
    if (this.#steps > this.#limits.steps) throw new LimitExceeded("steps", this.#limits.steps);
    if (Date.now() > this.#deadline) throw new LimitExceeded("milliseconds", this.#limits.milliseconds);
    this.#nextLook = Math.min(this.#steps + STEPS_PER_LOOK, this.#limits.steps + 1);
  }

  allow(length: number): void {
    if (length > this.#limits.length) throw new LimitExceeded("length", this.#limits.length);
    if (length > 4096) this.charge(length >> 12);
  }

  allowItems(count: number): void {
    this.allow(count * ITEM_LENGTH);
  }

  enter(): void {
    if (++this.#depth > this.#limits.depth) throw new LimitExceeded("depth", this.#limits.depth);
  }

  leave(): void {
    this.#depth--;
  }

  filter(name: string): Callable | undefined {
    return filters.get(name);
  }

  test(name: string): Callable | undefined {
    return tests.get(name);
  }

  /** A name that the template itself has not bound. */
  resolve(name: string): Value {
    const known = this.#variables.get(name);
    if (known !== undefined) return known;
    const given = this.#given(name);
    const value = given === undefined ? (globals.get(name) ?? undefinedName(name)) : given;
    this.#variables.set(name, value);
    return value;
  }

  #given(name: string): Value | undefined {
    const context = this.#context;
    const input = context instanceof Map ? context.get(name) : own(context as Record<string, unknown>, name);
    if (input === undefined) return undefined;
    return fromContext(input as JsonInput, this.traced ? new Source(name, null, null, false) : null);
  }

  /** Runs something and gives what it writes as a text. */
  collect(write: () => void): PlainText {
    const outer = this.out;
    const block = this.traced ? new TracedBlock(this) : new PlainOutput();
    this.out = block;
    try {
      write();
    } finally {
      this.out = outer;
    }
    return block.collected();
  }

  /** The source of the template's own text in a block that is collected. */
  templateSource(): Source | null {
    if (this.message < 0) return null;
    if (this.#templateSource?.message !== this.message) this.#templateSource = Source.ofTemplate(this.message);
    return this.#templateSource;
  }

  /** A value that outlives the loop's turn: its words remember for which message they were written. */
  remembered(value: Value): Value {
    if (!this.traced || this.message < 0 || !isText(value)) return value;
    const source = this.templateSource();
    const pieces = piecesOf(value).map((piece) => (piece.source === null ? { text: piece.text, source } : piece));
    const text = fromPieces(pieces);
    return value instanceof Markup ? new Markup(text) : text;
  }

  /** Is this value a message of the conversation? Then what the template writes next may belong to it. */
  messageOf(value: Value): number {
    if (!(value instanceof Dict) || value.source === null) return -1;
    return value.source.parent?.parent === null ? value.source.message : -1;
  }
}

function own(context: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(context, name) ? context[name] : undefined;
}
