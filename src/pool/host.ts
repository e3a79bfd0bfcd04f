import { TitoError } from "../errors.ts";
import type { Renderer } from "../renderers/renderer.ts";
import { type Call, invoke, type Operation, type Outcome } from "./calls.ts";
import { encodeClone } from "./exactClone.ts";
import { InlineLane } from "./inlineLane.ts";
import type { Slot } from "./slot.ts";
import type { SlotGroup } from "./slotGroup.ts";
import { Ticket } from "./ticket.ts";
import type { CallOptions } from "./types.ts";
import { decodeOutcome } from "./wire.ts";

export interface HostOptions {
  /** The renderer of this thread. */
  readonly renderer: Renderer;
  /** Undefined where everything runs in this thread. */
  readonly group: SlotGroup | undefined;
  readonly inlineBelow: number;
  readonly maxQueue: number;
  /** Images are read by this thread alone. */
  readonly keepsMedia: boolean;
}

/** Where the slot that a user's calls ran in is remembered. */
export interface Affinity {
  slot: Slot | undefined;
}

/** Calls that run one after the other in one place. */
export interface HostJob {
  readonly calls: readonly Call[];
  readonly ticket: Pick<Ticket<never>, "isOpen" | "reject">;
  readonly affinity?: Affinity | undefined;
  done(outcomes: readonly Outcome[]): void;
}

/** How errors begin. */
const NAMES: Readonly<Record<Operation, string>> = {
  render: "Rendering",
  renderIds: "Rendering",
  parseResponse: "Parsing",
  bridgeToNextTurn: "Bridging",
};

/** Runs calls where they belong: light ones in this thread, the others in a worker. */
export class Host {
  readonly renderer: Renderer;
  readonly group: SlotGroup | undefined;
  readonly inlineBelow: number;
  readonly maxQueue: number;
  readonly keepsMedia: boolean;
  readonly #lane: InlineLane;
  readonly #open = new Set<Ticket<unknown>>();
  #closing: Promise<void> | undefined;

  constructor({ renderer, group, inlineBelow, maxQueue, keepsMedia }: HostOptions) {
    this.renderer = renderer;
    this.group = group;
    this.inlineBelow = inlineBelow;
    this.maxQueue = maxQueue;
    this.keepsMedia = keepsMedia;
    this.#lane = new InlineLane(maxQueue);
  }

  /** A ticket that closing waits for. @throws TitoError `pool_closed` */
  open<Value>(what: string, options: CallOptions): Ticket<Value> {
    this.checkOpen();
    const ticket = new Ticket<Value>(what, options);
    this.#open.add(ticket as Ticket<unknown>);
    const forget = () => this.#open.delete(ticket as Ticket<unknown>);
    ticket.promise.then(forget, forget);
    return ticket;
  }

  /** @throws TitoError `pool_closed` */
  checkOpen(): void {
    if (this.#closing) throw closed();
  }

  /** The result of a call, from here or from a worker. */
  async run(call: Call, options: CallOptions, affinity?: Affinity): Promise<unknown> {
    const ticket = this.open<Outcome>(NAMES[call.operation], options);
    const job: HostJob = { calls: [call], ticket, affinity, done: ([outcome]) => ticket.resolve(outcome) };
    if (ticket.isOpen) {
      if (call.weight < this.inlineBelow) this.runHere(job);
      else this.send(job);
    }
    const outcome = await ticket.promise;
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  }

  /** Gives a job to the workers; one that cannot cross exactly is done here. */
  send(job: HostJob): void {
    const { calls, ticket, affinity } = job;
    const mayGo = this.group && !calls.some((call) => call.stays);
    const args = mayGo ? encodeClone(calls.map((call) => call.args)) : null;
    if (!this.group || !args) {
      this.runHere(job);
      return;
    }
    try {
      this.group.add({
        wire: { operations: calls.map(({ operation }) => operation), args },
        preferred: affinity?.slot,
        isWanted: () => ticket.isOpen,
        done: (outcomes, slot) => {
          if (affinity) affinity.slot = slot;
          if (ticket.isOpen) job.done(outcomes.map(decodeOutcome));
        },
        notSent: () => this.runHere(job),
        fail: (error) => ticket.reject(error),
      });
    } catch (error) {
      ticket.reject(error);
    }
  }

  /** Does a job in this thread; between its calls the event loop may get a turn. */
  runHere(job: HostJob): void {
    void this.#runHere(job);
  }

  async #runHere({ calls, ticket, done }: HostJob): Promise<void> {
    const outcomes: Outcome[] = [];
    try {
      for (const call of calls) {
        if (!ticket.isOpen) return;
        await this.turn(ticket, () => void outcomes.push(invoke(this.renderer, call)));
      }
      done(outcomes);
    } catch (error) {
      ticket.reject(error);
    }
  }

  /** Does a piece of work as soon as a turn of the event loop has time for it. @throws TitoError `pool_queue_full` */
  turn<Value>(ticket: Pick<Ticket<never>, "isOpen">, work: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      const run = (): void => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      this.#lane.add({ isWanted: () => ticket.isOpen, run });
    });
  }

  /** Takes no more calls, finishes those under way, ends the threads. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Closing waits no longer: what is not finished fails. */
  hasten(): void {
    for (const ticket of this.#open) ticket.reject(closed());
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#open].map(({ promise }) => promise));
    await this.group?.stop();
  }
}

export function closed(): TitoError {
  return new TitoError("pool_closed", "This pool is closed. Make another one with createRendererPool.");
}
