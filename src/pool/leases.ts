import { queueFull } from "./queueFull.ts";
import type { Slot } from "./slot.ts";
import type { Ticket } from "./ticket.ts";

/** The right to one renderer of the pool. */
export interface Lease {
  isReleased: boolean;
  /** Where its last job ran. */
  slot: Slot | undefined;
}

/** Hands out `size` leases; the next wait in turn. Knows when the owner of one has been forgotten. */
export class Leases {
  readonly #size: number;
  readonly #maxQueue: number;
  #out = 0;
  #waiting: Ticket<Lease>[] = [];
  /** Holds the leases and not their owners. */
  readonly #owners: FinalizationRegistry<Lease>;

  constructor(options: { readonly size: number; readonly maxQueue: number; onAbandoned(): void }) {
    this.#size = options.size;
    this.#maxQueue = options.maxQueue;
    this.#owners = new FinalizationRegistry((lease) => {
      if (lease.isReleased) return;
      this.release(lease);
      options.onAbandoned();
    });
  }

  /** @throws TitoError `pool_queue_full` */
  acquire(ticket: Ticket<Lease>): void {
    if (!ticket.isOpen) return;
    if (this.#out < this.#size) {
      this.#grant(ticket);
      return;
    }
    this.#waiting = this.#waiting.filter(({ isOpen }) => isOpen);
    if (this.#waiting.length >= this.#maxQueue) throw queueFull("checkouts", this.#maxQueue);
    this.#waiting.push(ticket);
  }

  /** `owner` is what users hold: once nothing holds it any more, the lease is taken back. */
  watch(owner: object, lease: Lease): void {
    this.#owners.register(owner, lease);
  }

  release(lease: Lease): void {
    if (lease.isReleased) return;
    lease.isReleased = true;
    this.#out--;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (!next.isOpen) continue;
      this.#grant(next);
      return;
    }
  }

  /** Fails all that wait. */
  stop(error: () => Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const ticket of waiting) ticket.reject(error());
  }

  #grant(ticket: Ticket<Lease>): void {
    this.#out++;
    ticket.resolve({ isReleased: false, slot: undefined });
  }
}
