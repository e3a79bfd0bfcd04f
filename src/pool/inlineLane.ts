import { queueFull } from "./queueFull.ts";

/** Milliseconds of work before the event loop gets a turn. A single piece of work may take longer. */
const BUDGET_MS = 8;

/** Work for this thread. */
export interface InlineWork {
  isWanted(): boolean;
  run(): void;
}

/** Work done in this thread, at once as long as a turn of the event loop has time for it, and then in later turns. */
export class InlineLane {
  readonly #maxQueue: number;
  #queue: InlineWork[] = [];
  #next = 0;
  /** When the work of this turn began; null before it did. */
  #turnStart: number | null = null;

  constructor(maxQueue: number) {
    this.#maxQueue = maxQueue;
  }

  /** @throws TitoError `pool_queue_full` */
  add(work: InlineWork): void {
    if (this.#waiting === 0 && this.#hasTime()) {
      work.run();
      return;
    }
    if (this.#waiting >= this.#maxQueue) this.#forgetUnwanted();
    if (this.#waiting >= this.#maxQueue) throw queueFull("calls", this.#maxQueue);
    this.#queue.push(work);
  }

  get #waiting(): number {
    return this.#queue.length - this.#next;
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (this.#turnStart === null) {
      this.#turnStart = now;
      setImmediate(() => this.#turn());
    }
    return now - this.#turnStart < BUDGET_MS;
  }

  #turn(): void {
    this.#turnStart = null;
    while (this.#waiting > 0 && this.#hasTime()) {
      const work = this.#queue[this.#next++];
      if (work.isWanted()) work.run();
    }
    if (this.#waiting === 0) this.#forgetUnwanted();
  }

  #forgetUnwanted(): void {
    this.#queue = this.#queue.slice(this.#next).filter((work) => work.isWanted());
    this.#next = 0;
  }
}
