import { setTimeout as sleep } from "node:timers/promises";
import { aborted, HubFailure } from "./failures.ts";
import type { HubSettings } from "./settings.ts";

const MAX_DELAY = 30_000;
/** A server that wants a longer pause than this gets an error to its caller instead. */
const MAX_RETRY_AFTER = 120_000;

/** Counts repetitions without progress. */
export interface Attempts {
  /** Waits before the next attempt, or throws what the failure means when there is none. */
  readonly failed: (failure: unknown) => Promise<void>;
  /** What was asked for has moved on: counting starts again. */
  readonly progressed: () => void;
}

/**
 * 429 and 5xx are asked again after the pause that the server names, else, like cut connections, after one that doubles each
 * time; a fifth of it is random, so that many callers do not come back at once. Everything else fails at once.
 */
export function attempts(what: string, { retries, retryDelay, signal }: HubSettings): Attempts {
  let count = 0;
  return {
    progressed: () => {
      count = 0;
    },
    failed: async (failure) => {
      if (!(failure instanceof HubFailure)) throw failure;
      const { error, retry } = failure;
      if (retry === null || count >= retries || (retry.afterMs ?? 0) > MAX_RETRY_AFTER) throw error;
      const pause = Math.min(MAX_DELAY, retryDelay * 2 ** count++) * (0.8 + 0.2 * Math.random());
      try {
        await sleep(retry.afterMs ?? pause, undefined, signal ? { signal } : {});
      } catch (error) {
        throw signal?.aborted ? aborted(what, signal) : error;
      }
    },
  };
}
