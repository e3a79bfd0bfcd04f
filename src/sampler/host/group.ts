import type { Completion } from "../types.ts";
import type { GroupCompletion } from "./types.ts";

export interface GroupParts {
  readonly count: number;
  /** How many members may be under way at once. */
  readonly workers: number;
  /** Evaluates the prompt and samples the first member; calls `onWarm` in between. */
  readonly first: (signal: AbortSignal, onWarm: () => void) => Promise<Completion>;
  readonly member: (index: number, signal: AbortSignal) => Promise<Completion>;
  readonly end: () => Promise<void>;
}

/**
 * The members' completions as they end. Each waits for its sequence behind whoever came before it, so that a large group lets others
 * through. Leaving the loop, or a member's failure, aborts the rest, and is over when they are.
 */
export async function* runGroup(parts: GroupParts): AsyncGenerator<GroupCompletion, void, void> {
  const { count, workers, first, member, end } = parts;
  const stop = new AbortController();
  const done: GroupCompletion[] = [];
  let failure: { readonly cause: unknown } | undefined;
  let wake = () => {};
  let next = 1;

  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (cause) {
      failure ??= { cause };
      stop.abort();
    }
    wake();
  };
  const finish = (index: number, completion: Completion): void => {
    // What ends after a failure was aborted for it.
    if (failure === undefined) done.push({ index, ...completion });
    wake();
  };
  const work = () =>
    guarded(async () => {
      while (next < count && !stop.signal.aborted) {
        const index = next++;
        finish(index, await member(index, stop.signal));
      }
    });

  const others: Promise<void>[] = [];
  const startOthers = () => {
    while (others.length < Math.min(workers, count) - 1) others.push(work());
  };
  const running = guarded(async () => {
    finish(0, await first(stop.signal, startOthers));
    startOthers();
    await work();
  });

  try {
    for (let handed = 0; handed < count; ) {
      const completion = done.shift();
      if (completion !== undefined) {
        handed++;
        yield completion;
      } else if (failure !== undefined) throw failure.cause;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    stop.abort();
    await running;
    await Promise.all(others);
    await end();
  }
}
