import { TitoError } from "../../errors.ts";
import type { StateFile } from "./stateFiles.ts";

/** Ids that were evaluated once, and what is left of that. */
export interface HeldPrefix {
  readonly ids: readonly number[];
  readonly state: StateFile | undefined;
  /** Its state is loaded where that spares the evaluation of so many ids. */
  readonly leastSpared: number;
}

/** The prefixes that callers made, by id. */
export class Prefixes {
  readonly #held = new Map<string, HeldPrefix>();
  #made = 0;

  get size(): number {
    return this.#held.size;
  }

  add(prefix: HeldPrefix): string {
    const id = `prefix-${this.#made++}`;
    this.#held.set(id, prefix);
    return id;
  }

  /** @throws TitoError `prefix_unknown`. */
  find(id: string): HeldPrefix {
    const prefix = this.#held.get(id);
    if (prefix !== undefined) return prefix;
    throw new TitoError(
      "prefix_unknown",
      `There is no prefix ${JSON.stringify(id)}, or it was released. Make it with host.prefillOnly(), and use its prefixId.`,
      { details: { prefixId: id } },
    );
  }

  /** @throws TitoError `prefix_unknown`. */
  take(id: string): HeldPrefix {
    const prefix = this.find(id);
    this.#held.delete(id);
    return prefix;
  }

  clear(): void {
    this.#held.clear();
  }

  /** Those that these ids start with, the longest first. */
  within(ids: readonly number[]): HeldPrefix[] {
    const starts = [...this.#held.values()].filter((prefix) => startsWith(ids, prefix.ids));
    return starts.sort((a, b) => b.ids.length - a.ids.length);
  }
}

/** Where `ids` part from `start`, or undefined where they start with it. */
export function partsAt(ids: readonly number[], start: readonly number[]): number | undefined {
  const at = start.findIndex((id, index) => ids[index] !== id);
  return at < 0 ? undefined : at;
}

function startsWith(ids: readonly number[], start: readonly number[]): boolean {
  return start.length <= ids.length && partsAt(ids, start) === undefined;
}
