import { TitoError } from "../errors.ts";
import { queueFull } from "./queueFull.ts";
import { Slot, type SlotState } from "./slot.ts";
import type { StartThread } from "./thread.ts";
import type { WireJob, WireOutcome } from "./wire.ts";

/** Work for a thread, and what to do with what comes of it. */
export interface Job {
  readonly wire: WireJob;
  /** The slot to take if it is free. */
  readonly preferred?: Slot | undefined;
  /** False once nobody waits for it. */
  isWanted(): boolean;
  done(outcomes: readonly WireOutcome[], slot: Slot): void;
  /** It holds something that `postMessage` cannot clone, such as a proxy. */
  notSent(): void;
  fail(error: unknown): void;
}

interface QueuedJob {
  readonly job: Job;
  crashes: number;
}

/** A job is tried this often. */
const TRIES = 2;

/** Slots and the queue before them. Threads start when work waits for them; one that dies is replaced in the same way. */
export class SlotGroup {
  readonly slots: readonly Slot[];
  readonly #maxQueue: number;
  readonly #running = new Map<Slot, QueuedJob>();
  #queue: QueuedJob[] = [];
  #onChange: (() => void)[] = [];
  /** Threads that did not start since the last one that did. */
  #startFailures = 0;
  #startFailure: { readonly cause: unknown } | undefined;
  #isStopped = false;

  constructor(options: { readonly threads: number; readonly maxQueue: number; readonly startThread: StartThread }) {
    this.#maxQueue = options.maxQueue;
    const events = {
      onIdle: () => {
        this.#startFailures = 0;
        this.#pump();
      },
      onCrash: (slot: Slot, crash: { cause: unknown; was: SlotState }) => this.#crashed(slot, crash),
    };
    this.slots = Array.from({ length: options.threads }, () => new Slot(options.startThread, events));
  }

  /** @throws TitoError `pool_queue_full` */
  add(job: Job): void {
    const most = this.#maxQueue + this.slots.length - this.#running.size;
    if (this.#queue.length >= most) this.#queue = this.#queue.filter(({ job }) => job.isWanted());
    if (this.#queue.length >= most) throw queueFull("calls", this.#maxQueue);
    this.#queue.push({ job, crashes: 0 });
    this.#pump();
  }

  /** Starts every slot. @throws TitoError `pool_slot_crashed` if a thread cannot start */
  async ready(isWanted: () => boolean): Promise<void> {
    this.#startFailure = undefined;
    for (const slot of this.slots) if (slot.state === "stopped") slot.start();
    while (isWanted() && this.slots.some(({ state }) => state === "starting")) await this.#changed();
    const failure = this.#startFailure as { readonly cause: unknown } | undefined;
    if (failure) throw slotCrashed("A worker thread could not start", failure.cause);
  }

  /** Ends all threads. Nobody hears of the jobs that are left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#running.clear();
    this.#queue = [];
    await Promise.all(this.slots.map((slot) => slot.stop()));
    this.#notify();
  }

  #pump(): void {
    while (!this.#isStopped) {
      const next = this.#queue[0];
      if (!next) break;
      if (!next.job.isWanted()) {
        this.#queue.shift();
        continue;
      }
      const slot = this.#idleSlot(next.job.preferred);
      if (!slot) {
        this.#startForQueue();
        break;
      }
      this.#queue.shift();
      this.#run(slot, next);
    }
    this.#notify();
  }

  #idleSlot(preferred: Slot | undefined): Slot | undefined {
    return preferred?.state === "idle" ? preferred : this.slots.find(({ state }) => state === "idle");
  }

  /** A thread for each job that waits, beyond those that are starting. */
  #startForQueue(): void {
    if (this.#hasGivenUp) return;
    let missing = this.#queue.length - this.slots.filter(({ state }) => state === "starting").length;
    for (const slot of this.slots) {
      if (missing <= 0) return;
      if (slot.state !== "stopped") continue;
      slot.start();
      missing--;
    }
  }

  #run(slot: Slot, queued: QueuedJob): void {
    try {
      slot.run(queued.job.wire, (outcomes) => {
        this.#running.delete(slot);
        queued.job.done(outcomes, slot);
      });
      this.#running.set(slot, queued);
    } catch {
      queued.job.notSent();
    }
  }

  #crashed(slot: Slot, { cause, was }: { readonly cause: unknown; readonly was: SlotState }): void {
    const lost = this.#running.get(slot);
    this.#running.delete(slot);
    if (lost && ++lost.crashes < TRIES) this.#queue.unshift(lost);
    else lost?.job.fail(slotCrashed(`A worker thread died ${TRIES} times under the same job`, cause));
    if (was === "starting") this.#startFailed(cause);
    this.#pump();
  }

  #startFailed(cause: unknown): void {
    this.#startFailures++;
    this.#startFailure = { cause };
    if (!this.#hasGivenUp || this.slots.some(({ state }) => state !== "stopped")) return;
    this.#startFailures = 0;
    const left = this.#queue;
    this.#queue = [];
    for (const { job } of left) job.fail(slotCrashed("Worker threads could not start", cause));
  }

  /** Trying for ever would leave all callers waiting. */
  get #hasGivenUp(): boolean {
    return this.#startFailures >= TRIES;
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange.push(resolve);
    });
  }

  #notify(): void {
    const callbacks = this.#onChange;
    this.#onChange = [];
    for (const callback of callbacks) callback();
  }
}

function slotCrashed(fact: string, cause: unknown): TitoError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TitoError(
    "pool_slot_crashed",
    `${fact}: ${reason} If memory was short, use fewer threads or render smaller conversations.`,
    { details: { tries: TRIES }, cause },
  );
}
