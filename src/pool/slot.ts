import type { Worker } from "node:worker_threads";
import type { StartThread } from "./thread.ts";
import type { ThreadMessage, WireJob, WireOutcome } from "./wire.ts";

export type SlotState = "stopped" | "starting" | "idle" | "busy";

export interface SlotEvents {
  /** The thread can take a job: it has started, or done its job. */
  onIdle(slot: Slot): void;
  /** The thread is gone, its job lost; the slot can be started again. `was`: what it was doing. */
  onCrash(slot: Slot, crash: { readonly cause: unknown; readonly was: SlotState }): void;
}

/** A place for a worker thread. One job at a time; a thread that dies leaves the slot `stopped`. */
export class Slot {
  state: SlotState = "stopped";
  readonly #startThread: StartThread;
  readonly #events: SlotEvents;
  #thread: Worker | undefined;
  #onOutcomes: ((outcomes: readonly WireOutcome[]) => void) | undefined;

  constructor(startThread: StartThread, events: SlotEvents) {
    this.#startThread = startThread;
    this.#events = events;
  }

  start(): void {
    this.state = "starting";
    let thread: Worker;
    try {
      thread = this.#startThread();
    } catch (cause) {
      queueMicrotask(() => this.#crash(cause));
      return;
    }
    this.#thread = thread;
    const isCurrent = () => this.#thread === thread;
    let cause: unknown;
    thread.on("message", (message: ThreadMessage) => {
      if (isCurrent()) this.#receive(message);
    });
    thread.on("messageerror", (error) => {
      cause = error;
      void thread.terminate();
    });
    thread.on("error", (error) => {
      cause = error;
    });
    thread.on("exit", (exitCode) => {
      if (isCurrent()) this.#crash(cause ?? new Error(`The thread ended with exit code ${exitCode}.`));
    });
  }

  /** @throws DOMException `DataCloneError` for a job that cannot cross; the slot stays idle. */
  run(job: WireJob, onOutcomes: (outcomes: readonly WireOutcome[]) => void): void {
    this.#thread?.postMessage(job);
    this.#thread?.ref();
    this.#onOutcomes = onOutcomes;
    this.state = "busy";
  }

  /** Ends the thread at once. A job under way is lost without a word. */
  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#onOutcomes = undefined;
    this.state = "stopped";
    await thread?.terminate();
  }

  #crash(cause: unknown): void {
    const was = this.state;
    this.#thread = undefined;
    this.#onOutcomes = undefined;
    this.state = "stopped";
    if (was !== "stopped") this.#events.onCrash(this, { cause, was });
  }

  #receive(message: ThreadMessage): void {
    const onOutcomes = this.#onOutcomes;
    this.#onOutcomes = undefined;
    this.state = "idle";
    // A pool that nobody uses does not keep the process alive.
    this.#thread?.unref();
    if (message.kind === "done") onOutcomes?.(message.outcomes);
    this.#events.onIdle(this);
  }
}
