import { TitoError } from "../../errors.ts";
import type { Ids } from "../../tokenizer/types.ts";
import type { SampleOptions } from "../options.ts";
import type { Session } from "../session.ts";
import type { Completion } from "../types.ts";
import { abortedCompletion } from "./aborted.ts";
import type { HeldSession, Sessions } from "./sessions.ts";
import type { Slot } from "./slot.ts";
import type { SlotQueue } from "./slotQueue.ts";
import type { Parent, Warmer } from "./warmer.ts";

/** A call whose ids and options were checked. */
export interface Call {
  readonly prompt: readonly number[];
  readonly options: SampleOptions;
  readonly held: HeldSession | undefined;
  readonly parent: Parent | undefined;
}

/** A call's hold on a sequence. */
export interface Lease {
  readonly session: Session;
  /** What is cached behind a session's prompt: all that was sampled but the last id. */
  readonly cached: () => Ids;
  /** Gives the sequence back while the session's generator hangs; `end` then waits for that. */
  readonly abandon: () => void;
  readonly end: (sampled: Ids | undefined, failure: Failure | undefined) => Promise<void>;
}

export interface Failure {
  readonly cause: unknown;
}

/** A stream of a session's: how it starts, and how it ends without a sequence. */
export interface StreamKind<Step, End> {
  readonly start: (session: Session, prompt: Ids, options: SampleOptions) => AsyncGenerator<Step, End, void>;
  /** Which ids are known to be sampled with a step. Where a stream that is left early has told of none, the cache says it. */
  readonly idsOf: (step: Step) => Ids;
  readonly aborted: (options: SampleOptions) => Generator<Step, End, void>;
}

export interface CallRunnerParts {
  readonly queue: SlotQueue;
  readonly warmer: Warmer;
  readonly sessions: Sessions;
  readonly closed: () => boolean;
}

/** Runs calls on slots, and gives every slot back, whatever becomes of the call. */
export class CallRunner {
  readonly #parts: CallRunnerParts;

  constructor(parts: CallRunnerParts) {
    this.#parts = parts;
  }

  /** A slot for a call, or undefined when its signal fired. `admitted` callers are let in however many wait. */
  take(
    { prompt, options }: Pick<Call, "prompt" | "options">,
    most: number,
    admitted = false,
  ): Promise<Slot | undefined> {
    const { queue, warmer } = this.#parts;
    const rate = (slot: Slot) => warmer.rate(slot, prompt, most);
    return queue.take({ forSession: false, rate, signal: options.signal, admitted });
  }

  /** Back into the queue. What is in no known state, or still at work, starts on a new sequence. */
  async giveBack(slot: Slot, forSession: boolean, failure: Failure | undefined): Promise<void> {
    const { queue, closed } = this.#parts;
    if (closed()) return;
    try {
      if (slot.lost || (failure !== undefined && isBroken(failure.cause))) await slot.renew();
      queue.giveBack(slot, forSession);
    } catch (cause) {
      queue.drop(slot, forSession, cause);
    }
  }

  /** Uses a slot, and gives it back. */
  async use<T>(slot: Slot, use: () => Promise<T>): Promise<T> {
    let failure: Failure | undefined;
    try {
      return await use();
    } catch (cause) {
      failure = { cause };
      throw cause;
    } finally {
      await this.giveBack(slot, false, failure);
    }
  }

  /** Brings a slot's cache to these ids; gives how many were evaluated. */
  async hold(slot: Slot, { prompt, parent }: Call, signal: AbortSignal | undefined): Promise<number> {
    const before = slot.evaluatedTokens;
    await this.#parts.warmer.warm(slot, prompt, prompt.length, parent, signal);
    await slot.hold(prompt, signal);
    return slot.evaluatedTokens - before;
  }

  /** A sequence for a call, or undefined when the call was aborted before it had one. */
  async lease(call: Call, admitted = false): Promise<Lease | undefined> {
    if (call.held) return this.#leaseSession(call, call.held);
    const most = call.prompt.length - 1;
    const slot = await this.take(call, most, admitted);
    if (slot === undefined) return undefined;
    try {
      await this.#parts.warmer.warm(slot, call.prompt, most, call.parent, call.options.signal);
    } catch (cause) {
      await this.giveBack(slot, false, { cause });
      if (this.#parts.closed() || call.options.signal?.aborted) return undefined;
      throw cause;
    }
    return this.leaseSlot(slot);
  }

  leaseSlot(slot: Slot): Lease {
    let ended: Promise<void> | undefined;
    return {
      session: slot.session,
      cached: () => [],
      abandon: () => {
        ended ??= this.giveBack(slot, false, underWay);
      },
      end: (_, failure) => {
        ended ??= this.giveBack(slot, false, failure);
        return ended;
      },
    };
  }

  /** Gives a session's slot to others; a call under way ends as aborted. */
  async endSession(held: HeldSession): Promise<void> {
    if (held.ended) return;
    const { busy } = held;
    this.#parts.sessions.remove(held);
    await this.giveBack(held.slot, true, busy ? underWay : undefined);
  }

  async complete(call: Call, lease: Lease | undefined): Promise<Completion> {
    if (lease === undefined) return abortedCompletion(call.options);
    let completion: Completion | undefined;
    let failure: Failure | undefined;
    try {
      completion = await lease.session.complete(call.prompt, call.options);
      return completion;
    } catch (cause) {
      failure = { cause };
      if (this.#parts.closed()) return abortedCompletion(call.options);
      throw cause;
    } finally {
      await lease.end(completion?.ids, failure);
    }
  }

  async *stream<Step, End>(call: Call, kind: StreamKind<Step, End>): AsyncGenerator<Step, End, void> {
    const { signal } = call.options;
    const lease = await this.lease(call);
    if (lease === undefined) return yield* kind.aborted(call.options);
    const sampled: number[] = [];
    let failure: Failure | undefined;
    let handedOut = false;
    // A reader who hears the signal goes on or leaves; one that hangs must not keep the sequence.
    const onAbort = () => setImmediate(() => handedOut && lease.abandon());
    signal?.addEventListener("abort", onAbort, { once: true });
    const steps = kind.start(lease.session, call.prompt, call.options);
    try {
      let step = await steps.next();
      for (; !step.done; step = await steps.next()) {
        for (const id of kind.idsOf(step.value)) sampled.push(id);
        handedOut = true;
        yield step.value;
        handedOut = false;
      }
      return step.value;
    } catch (cause) {
      failure = { cause };
      if (this.#parts.closed()) return yield* kind.aborted(call.options);
      throw cause;
    } finally {
      handedOut = false;
      signal?.removeEventListener("abort", onAbort);
      await steps.return(undefined as never);
      await lease.end(sampled.length > 0 ? sampled : lease.cached(), failure);
    }
  }

  #leaseSession(call: Call, held: HeldSession): Lease {
    const { sessions, closed } = this.#parts;
    sessions.enter(held);
    return {
      session: held.slot.session,
      cached: () => held.slot.ids.slice(call.prompt.length),
      abandon: () => {},
      end: async (sampled, failure) => {
        const broken = failure !== undefined && isBroken(failure.cause) && !held.ended && !closed();
        if (broken) await held.slot.renew().catch((cause) => this.#lose(held, cause));
        sessions.leave(held, sampled ? [...call.prompt, ...sampled] : held.ids);
      },
    };
  }

  #lose(held: HeldSession, cause: unknown): void {
    if (held.ended) return;
    this.#parts.sessions.remove(held);
    this.#parts.queue.drop(held.slot, true, cause);
  }
}

/** Given back with a call on it, which a new sequence ends. */
const underWay: Failure = { cause: undefined };

/** Whether a failure leaves the cache in no known state. */
const isBroken = (cause: unknown): boolean => !(cause instanceof TitoError) || cause.code === "sampler_failed";
