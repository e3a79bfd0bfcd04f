import { TitoError } from "../../errors.ts";
import type { HeldPrefix, Prefixes } from "./prefixes.ts";
import type { HeldSession } from "./sessions.ts";
import type { Slot } from "./slot.ts";
import type { StateFile, StateFiles } from "./stateFiles.ts";

/** What a caller says its ids start with. */
export type Parent =
  | { readonly kind: "prefix"; readonly prefix: HeldPrefix }
  | { readonly kind: "session"; readonly ids: readonly number[]; readonly session: HeldSession };

/**
 * Loading a state takes about as long as evaluating so many ids of the smallest model (0.5 to 1 ms), and grows far more slowly with the
 * length than evaluating does.
 */
export const worthLoading = 16;

export interface WarmerParts {
  readonly files: StateFiles;
  readonly prefixes: Prefixes;
  /** Nothing is reused but what the caller named: what happens to be cached must not show in the ids. */
  readonly deterministic: boolean;
}

/** Brings caches as far as they can be without evaluating. */
export class Warmer {
  readonly #parts: WarmerParts;

  constructor(parts: WarmerParts) {
    this.#parts = parts;
  }

  /** How many of the first `most` ids a slot has. */
  rate(slot: Slot, ids: readonly number[], most: number): number {
    return this.#parts.deterministic ? 0 : slot.reusable(ids, most);
  }

  /**
   * Fills a slot's cache with the start of the ids, `most` of them, from the states that were saved.
   * @throws TitoError as `Slot.hold`.
   */
  async warm(
    slot: Slot,
    ids: readonly number[],
    most: number,
    parent: Parent | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { deterministic, prefixes } = this.#parts;
    if (deterministic) await slot.clear();
    if (parent?.kind === "session" && (await this.#fork(slot, ids, most, parent.session))) return;
    const own = parent?.kind === "prefix" ? [parent.prefix] : [];
    for (const prefix of deterministic ? own : [...own, ...prefixes.within(ids)])
      if (await this.#load(slot, ids, most, prefix)) return;
    // Evaluated as it was for the prefix: with F16 weights the logits depend on where an evaluation begins.
    if (deterministic && parent !== undefined) await slot.hold(idsOf(parent), signal);
  }

  /** Saves the state of a slot that holds exactly these ids. */
  async keep(slot: Slot, ids: readonly number[], leastSpared: number): Promise<HeldPrefix> {
    const worth = ids.length >= leastSpared;
    return { ids, leastSpared, state: worth ? await this.#parts.files.write((path) => slot.save(path)) : undefined };
  }

  async drop({ state }: HeldPrefix): Promise<void> {
    if (state !== undefined) await this.#parts.files.remove(state);
  }

  async #load(slot: Slot, ids: readonly number[], most: number, prefix: HeldPrefix): Promise<boolean> {
    const { state, leastSpared } = prefix;
    const { length } = prefix.ids;
    const usable = length <= most || slot.rewinds ? Math.min(length, most) : 0;
    if (state === undefined || usable - slot.reusable(ids, most) < leastSpared) return false;
    return (await this.#parts.files.use(state)) && this.#read(slot, state);
  }

  async #fork(slot: Slot, ids: readonly number[], most: number, session: HeldSession): Promise<boolean> {
    const usable = session.ended ? 0 : session.slot.shared(ids, most);
    if (usable - slot.reusable(ids, most) < worthLoading) return false;
    const { files } = this.#parts;
    const state = await files.write((path) => session.slot.save(path));
    if (state === undefined) return false;
    try {
      return await this.#read(slot, state);
    } finally {
      await files.remove(state);
    }
  }

  async #read(slot: Slot, state: StateFile): Promise<boolean> {
    try {
      await slot.load(state.path);
      return true;
    } catch {
      await slot.renew();
      return false;
    }
  }
}

export function idsOf(parent: Parent): readonly number[] {
  return parent.kind === "prefix" ? parent.prefix.ids : parent.ids;
}

export function parentMismatch(at: number, parent: string): TitoError {
  return new TitoError(
    "parent_mismatch",
    `The ids do not start with those of their parent ${JSON.stringify(parent)}: they part at ${at}. Leave the parent out, or give ids that go on from it.`,
    { details: { at, parent } },
  );
}
