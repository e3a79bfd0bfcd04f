import type { JsonInput } from "../../messages/index.ts";
import { globals } from "../globals/index.ts";

/** A probe's variables, with a note of which of them the template asked for. */
export class ProbeVariables extends Map<string, JsonInput> {
  readonly asked = new Set<string>();
  /** Text for every variable that is not given: some templates need variables of their own (a date, a list of functions). */
  readonly #filler: string | null;

  constructor(given: Readonly<Record<string, JsonInput>>, filler: string | null) {
    super(Object.entries(given));
    this.#filler = filler;
  }

  override get(name: string): JsonInput | undefined {
    this.asked.add(name);
    if (this.#filler !== null && !this.has(name) && !globals.has(name)) return this.#filler;
    return super.get(name);
  }
}
