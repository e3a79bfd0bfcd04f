import type { JsonInput } from "../../src/messages/json/index.ts";
import type { Random } from "./random.ts";
import { type Context, randomFloat, randomInteger, randomObject, randomText, randomValue } from "./values.ts";

/** What an expression is meant to be; now and then it is not. */
export type Kind = "text" | "integer" | "float" | "bool" | "list" | "rows" | "dict" | "any";

/** Names by what they hold. */
export type Names = Readonly<Record<Kind, readonly string[]>>;

/** What is in force at a place of a random template. */
export interface Scope {
  readonly random: Random;
  readonly names: Names;
  readonly inLoop: boolean;
  /** Macros by name, with their number of parameters. */
  readonly macros: ReadonlyMap<string, number>;
}

export const GIVEN: Names = {
  text: ["s", "t", "u"],
  integer: ["i", "j"],
  float: ["f", "g"],
  bool: ["yes", "no"],
  list: ["l", "m", "words", "numbers"],
  rows: ["rows"],
  dict: ["d", "o"],
  any: ["v", "w", "nothing", "missing"],
};

/** Values for the names, of their kinds; `missing` has none. */
export function randomContext(random: Random): Context {
  const row = (): JsonInput =>
    new Map<string, JsonInput>([
      ["name", randomText(random)],
      ["n", random.oneIn(8) ? null : randomInteger(random)],
      ["on", random.oneIn(2)],
      ...(random.oneIn(3) ? [] : [["role", random.pick(["user", "assistant", "tool"])] as [string, JsonInput]]),
      ...(random.oneIn(2) ? [] : [["sub", randomObject(random, 1)] as [string, JsonInput]]),
    ]);
  const context = new Map<string, JsonInput>();
  for (const name of GIVEN.text) context.set(name, randomText(random));
  for (const name of GIVEN.integer) context.set(name, randomInteger(random));
  for (const name of GIVEN.float) context.set(name, randomFloat(random));
  context.set("yes", true).set("no", false).set("nothing", null);
  for (const name of ["l", "m"])
    context.set(
      name,
      random.several(0, 4, () => randomValue(random, 2)),
    );
  context.set(
    "words",
    random.several(0, 5, () => randomText(random)),
  );
  context.set(
    "numbers",
    random.several(0, 5, () => (random.oneIn(3) ? randomFloat(random) : randomInteger(random))),
  );
  context.set("rows", random.several(0, 4, row));
  for (const name of GIVEN.dict) context.set(name, randomObject(random, 2));
  for (const name of ["v", "w"]) context.set(name, randomValue(random, 2));
  return context;
}
