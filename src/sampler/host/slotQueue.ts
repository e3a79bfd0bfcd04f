import { TitoError } from "../../errors.ts";
import type { Slot } from "./slot.ts";

export interface SlotRequest {
  /** The slot is for a session, of which there may be so many only. */
  readonly forSession: boolean;
  /** How good a slot is for this caller; among the best, the one not used for longest is taken. */
  readonly rate: (slot: Slot) => number;
  readonly signal: AbortSignal | undefined;
  /** Waits however many others do: its caller was let in before. */
  readonly admitted?: boolean;
}

interface Waiter extends SlotRequest {
  readonly give: (slot: Slot | undefined) => void;
  readonly fail: (error: TitoError) => void;
}

/** Free slots, and who waits for one: first come, first served; who waits for a session to end lets calls pass. */
export class SlotQueue {
  readonly #slots: Set<Slot>;
  readonly #free: Set<Slot>;
  readonly #maxQueue: number;
  readonly #maxSessions: number;
  #waiting: Waiter[] = [];
  #sessions = 0;
  #uses = 0;
  #failure: TitoError | undefined;

  constructor(slots: readonly Slot[], limits: { readonly maxQueue: number; readonly maxSessions: number }) {
    this.#slots = new Set(slots);
    this.#free = new Set(slots);
    this.#maxQueue = limits.maxQueue;
    this.#maxSessions = limits.maxSessions;
  }

  get slots(): ReadonlySet<Slot> {
    return this.#slots;
  }

  get free(): number {
    return this.#free.size;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** A slot, or undefined when the signal fired before there was one. @throws TitoError `queue_full`, and what it was closed with. */
  async take({ forSession, rate, signal, admitted = false }: SlotRequest): Promise<Slot | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    if (signal?.aborted) return undefined;
    let leave = () => {};
    const promise = new Promise<Slot | undefined>((give, fail) => {
      const waiter: Waiter = { forSession, rate, signal, give, fail };
      leave = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        give(undefined);
      };
      this.#waiting.push(waiter);
      this.#serve();
      if (!admitted && this.#waiting.length > this.#maxQueue && this.#waiting.at(-1) === waiter) {
        this.#waiting.pop();
        fail(this.#full());
      }
    });
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Gives a slot back, and with it the session's place if it was taken for one. */
  giveBack(slot: Slot, forSession: boolean): void {
    if (forSession) this.#sessions--;
    slot.usedAt = ++this.#uses;
    this.#free.add(slot);
    this.#serve();
  }

  /** The slot is lost. */
  drop(slot: Slot, forSession: boolean, cause: unknown): void {
    if (forSession) this.#sessions--;
    this.#slots.delete(slot);
    if (this.#slots.size === 0)
      this.close(
        new TitoError("no_sequence_left", "The host has lost all of its sequences. Close it and open another.", {
          cause,
        }),
      );
    else this.#serve();
  }

  /** Everybody who waits, and everybody who comes, gets the error. */
  close(failure: TitoError): void {
    this.#failure ??= failure;
    for (const { fail } of this.#waiting.splice(0)) fail(this.#failure);
  }

  #serve(): void {
    for (let at = 0; at < this.#waiting.length && this.#free.size > 0; ) {
      const { forSession, rate, give } = this.#waiting[at]!;
      if (forSession && this.#sessions >= this.#maxSessions) {
        at++;
        continue;
      }
      this.#waiting.splice(at, 1);
      if (forSession) this.#sessions++;
      give(this.#takeBest(rate));
    }
  }

  #takeBest(rate: (slot: Slot) => number): Slot {
    let best: Slot | undefined;
    let bestRate = -1;
    for (const slot of this.#free) {
      const rated = rate(slot);
      if (rated < bestRate || (rated === bestRate && slot.usedAt >= best!.usedAt)) continue;
      best = slot;
      bestRate = rated;
    }
    this.#free.delete(best!);
    return best!;
  }

  #full(): TitoError {
    return new TitoError(
      "queue_full",
      `${this.#maxQueue} callers are waiting for one of ${this.#slots.size} sequences already. Wait for some of them before calling again, ` +
        "open the host with a larger `maxQueue`, or load the model with more `sequences`.",
      { details: { maxQueue: this.#maxQueue, sequences: this.#slots.size } },
    );
  }
}
