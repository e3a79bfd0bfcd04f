import { TitoError } from "../errors.ts";
import type { Call, Outcome } from "./calls.ts";
import type { Host } from "./host.ts";
import type { CallOptions } from "./types.ts";

/** Light calls share a job up to this weight, so that a message between threads is worth its cost. */
const JOB_WEIGHT = 1 << 16;
/** Jobs a thread has at hand, so that it need not wait for this thread to wake up. */
const JOBS_PER_THREAD = 2;

interface Share {
  readonly start: number;
  readonly calls: readonly Call[];
}

/** Results of many calls in their order. Never more jobs wait than the threads can take next. */
export async function runBatch(
  host: Host,
  calls: readonly Call[],
  what: string,
  options: CallOptions,
): Promise<unknown[]> {
  const ticket = host.open<unknown[]>(what, options);
  const results: unknown[] = new Array(calls.length);
  if (calls.length === 0) ticket.resolve(results);
  const shares = host.group && isHeavy(calls, host.inlineBelow) ? sharesOf(calls) : [{ start: 0, calls }];
  let next = 0;
  let left = shares.length;
  const take = ({ start }: Share, outcomes: readonly Outcome[]): void => {
    for (const [index, outcome] of outcomes.entries()) {
      if (!outcome.ok) {
        ticket.reject(atItem(outcome.error, start + index));
        return;
      }
      results[start + index] = outcome.value;
    }
    if (--left === 0) ticket.resolve(results);
    else goOn();
  };
  const goOn = (): void => {
    const share = shares[next++];
    if (!share || !ticket.isOpen) return;
    const job = { calls: share.calls, ticket, done: (outcomes: readonly Outcome[]) => take(share, outcomes) };
    if (shares.length > 1 || isHeavy(share.calls, host.inlineBelow)) host.send(job);
    else host.runHere(job);
  };
  const threads = host.group?.slots.length ?? 1;
  const atOnce = threads + Math.min(threads * (JOBS_PER_THREAD - 1), host.maxQueue);
  for (let job = 0; job < atOnce; job++) goOn();
  return ticket.promise;
}

function isHeavy(calls: readonly Call[], inlineBelow: number): boolean {
  return calls.reduce((sum, { weight }) => sum + weight, 0) >= inlineBelow;
}

function sharesOf(calls: readonly Call[]): Share[] {
  const shares: Share[] = [];
  let start = 0;
  let weight = 0;
  calls.forEach((call, index) => {
    weight += call.weight;
    if (weight < JOB_WEIGHT && index < calls.length - 1) return;
    shares.push({ start, calls: calls.slice(start, index + 1) });
    start = index + 1;
    weight = 0;
  });
  return shares;
}

/** The error of one item, with its index. */
function atItem(error: unknown, item: number): unknown {
  if (!(error instanceof TitoError)) return error;
  return new TitoError(error.code, `Item ${item}: ${error.message}`, {
    details: { ...error.details, item },
    cause: error,
  });
}
