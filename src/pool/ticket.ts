import { TitoError } from "../errors.ts";
import type { CallOptions } from "./types.ts";

/** The longest delay that Node's timers take. */
const LONGEST_MS = 2 ** 31 - 1;

/** A promise that its caller may stop waiting for. Settles once; what comes later is dropped. */
export class Ticket<Value> {
  readonly promise: Promise<Value>;
  #resolve!: (value: Value) => void;
  #reject!: (error: unknown) => void;
  #isOpen = true;
  #giveUps: (() => void)[] = [];
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: () => void;
  readonly #timer: NodeJS.Timeout | undefined;

  /** `what` begins the sentence of the errors: "Rendering". */
  constructor(what: string, { signal, timeoutMs }: CallOptions) {
    checkTimeout(timeoutMs);
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#signal = signal;
    this.#onAbort = () =>
      this.#giveUp(new TitoError("aborted", `${what} was aborted by its signal.`, { cause: signal?.reason }));
    if (signal?.aborted) this.#onAbort();
    else {
      signal?.addEventListener("abort", this.#onAbort, { once: true });
      if (timeoutMs !== undefined && timeoutMs <= LONGEST_MS)
        this.#timer = setTimeout(() => this.#giveUp(timedOut(what, timeoutMs)), timeoutMs);
    }
  }

  /** Somebody still waits. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Called when the signal or the time limit ends the wait; at once if they have. */
  onGiveUp(callback: () => void): void {
    if (this.#isOpen) this.#giveUps.push(callback);
    else callback();
  }

  resolve(value: Value): void {
    if (this.#close()) this.#resolve(value);
  }

  reject(error: unknown): void {
    if (this.#close()) this.#reject(error);
  }

  #giveUp(error: TitoError): void {
    const giveUps = this.#giveUps;
    this.reject(error);
    for (const callback of giveUps) callback();
  }

  #close(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    this.#giveUps = [];
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    return true;
  }
}

function timedOut(what: string, timeoutMs: number): TitoError {
  return new TitoError(
    "pool_timeout",
    `${what} took longer than ${timeoutMs} ms, waiting included. Allow more time, or use more threads.`,
    { details: { timeoutMs } },
  );
}

function checkTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || timeoutMs >= 0) return;
  throw new TitoError("pool_option", `timeoutMs: expected milliseconds from 0, found ${timeoutMs}. Correct it.`, {
    details: { option: "timeoutMs", actual: timeoutMs },
  });
}
