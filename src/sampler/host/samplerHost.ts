/// <reference lib="esnext.disposable" preserve="true" />
import { randomInt } from "node:crypto";
import { TitoError } from "../../errors.ts";
import type { Ids } from "../../tokenizer/types.ts";
import type { SampleOptions } from "../options.ts";
import { refuse } from "../refuse.ts";
import type { SampleEvent } from "../segments/events.ts";
import type { Completion, SampleEnd, SampleStep } from "../types.ts";
import { abortedCompletion, abortedEnd } from "./aborted.ts";
import { readCall } from "./call.ts";
import { type Call, CallRunner, type StreamKind } from "./callRunner.ts";
import { runGroup } from "./group.ts";
import { groupParts } from "./groupParts.ts";
import { groupSeed } from "./groupSeed.ts";
import type { HostPlan } from "./hostOptions.ts";
import { Prefixes, partsAt } from "./prefixes.ts";
import { type HeldSession, Sessions } from "./sessions.ts";
import { type HostSequence, Slot } from "./slot.ts";
import { SlotQueue } from "./slotQueue.ts";
import { StateFiles } from "./stateFiles.ts";
import type {
  GroupCompletion,
  HostRequest,
  HostSession,
  HostStats,
  OpenSessionOptions,
  PrefillOptions,
  Prefix,
} from "./types.ts";
import { idsOf, type Parent, parentMismatch, Warmer, worthLoading } from "./warmer.ts";

/** @internal */
export interface HostParts {
  readonly plan: HostPlan;
  readonly open: () => HostSequence;
  readonly deterministic: boolean;
  readonly onClose: (host: SamplerHost) => void;
}

/**
 * The sequences of a {@link Sampler}, shared among any number of callers: calls wait for a free one, first come, first served. Keeps
 * prefixes that many prompts start with, and sessions that stay on their sequence from turn to turn. Opened by `sampler.host()`.
 */
export class SamplerHost implements AsyncDisposable {
  readonly #parts: HostParts;
  readonly #slots: readonly Slot[];
  readonly #queue: SlotQueue;
  readonly #files: StateFiles;
  readonly #prefixes = new Prefixes();
  readonly #sessions: Sessions;
  readonly #warmer: Warmer;
  readonly #runner: CallRunner;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(parts: HostParts) {
    const { plan, open, deterministic } = parts;
    this.#parts = parts;
    this.#slots = Array.from({ length: plan.sequences }, () => new Slot(open));
    this.#queue = new SlotQueue(this.#slots, plan);
    this.#files = new StateFiles(plan.maxStateBytes, plan.stateDirectory);
    this.#sessions = new Sessions(plan.idleTimeout, (session) => void this.#runner.endSession(session));
    this.#warmer = new Warmer({ files: this.#files, prefixes: this.#prefixes, deterministic });
    this.#runner = new CallRunner({
      queue: this.#queue,
      warmer: this.#warmer,
      sessions: this.#sessions,
      closed: this.#isClosed,
    });
  }

  get stats(): HostStats {
    return {
      sequences: this.#queue.slots.size,
      free: this.#queue.free,
      sessions: this.#sessions.size,
      waiting: this.#queue.waiting,
      prefixes: this.#prefixes.size,
      stateBytes: this.#files.bytes,
      evaluatedTokens: this.#slots.reduce((sum, slot) => sum + slot.evaluatedTokens, 0),
    };
  }

  /**
   * Samples a completion: of `prompt` on a free sequence, the one that has most of it cached; or the next turn of a session. With
   * `extension` the prompt is what the session holds and these ids behind it, which nothing renders or compares.
   * An abort does not throw, not even in the queue: the completion ends with `finish: "aborted"`.
   * @throws TitoError `queue_full`; `session_unknown`, `session_ended`, `session_busy`; `prefix_unknown`, `parent_mismatch`; as
   * `Session.complete`.
   * @example
   * const { ids } = await host.complete({ prompt: promptIds, stop: renderer.stopTokenIds, temperature: 0.8, seed: 7 });
   */
  async complete(request: HostRequest): Promise<Completion> {
    const call = this.#read(request);
    return this.#runner.complete(call, await this.#runner.lease(call));
  }

  /**
   * The same id by id. The request is checked at the call; the sequence is taken with the first `next()`, and given back when the loop is
   * left, or the signal fires. Whoever reads slowly keeps a sequence, and holds up nobody else.
   * @throws TitoError as `complete`.
   * @example
   * for await (const { id } of host.infer({ sessionId, extension, stop: renderer.stopTokenIds })) parser.push([id]);
   */
  infer(request: HostRequest): AsyncGenerator<SampleStep, SampleEnd, void> {
    this.#read(request);
    return this.#stream(request, steps);
  }

  /**
   * The same as events, see `Session.events`. A session whose events are left early holds the ids that were evaluated until then.
   * @throws TitoError as `complete`.
   * @example
   * for await (const event of host.events({ sessionId, extension, segments })) if (event.kind === "content") print(event.text);
   */
  events(request: HostRequest): AsyncGenerator<SampleEvent, Completion, void> {
    this.#read(request);
    return this.#stream(request, events);
  }

  /**
   * The next turn of a session: `complete({ sessionId, extension, ...options })`. The tail is the caller's word: where a template would
   * write the turns so far in another way, they stay as they were sampled. An empty one samples on from where the last turn ended.
   * @throws TitoError as `complete`.
   */
  continue(sessionId: string, extension: Ids, options: SampleOptions = {}): Promise<Completion> {
    return this.complete({ ...options, sessionId, extension });
  }

  /**
   * `count` completions of one prompt, as they end. The prompt is evaluated once (its last id once for each member, who samples
   * from it), and its state loaded where other members run. A member's seed is `groupSeed(seed, index)`, unless a function gives the
   * options and a seed with them. Starts with the first `next()`; leaving the loop aborts the rest.
   * @throws TitoError as `complete`; a member's failure ends the group.
   * @example
   * for await (const { index, ids } of host.group(promptIds, 8, { temperature: 1, seed: step })) samples[index] = ids;
   */
  group(
    prompt: Ids,
    count: number,
    options: SampleOptions | ((index: number) => SampleOptions) = {},
  ): AsyncGenerator<GroupCompletion, void, void> {
    this.#checkOpen();
    if (!Number.isSafeInteger(count) || count < 1) refuse("count", count, "a whole number from 1");
    const given = Array.from({ length: count }, (_, index) =>
      typeof options === "function" ? options(index) : options,
    );
    const seed = typeof options === "function" ? undefined : options.seed;
    const shared = seed ?? randomInt(2 ** 32 - 1);
    const calls = given.map((own, index) => {
      // A seed that is none is refused below.
      const seeded = typeof options === "function" ? own.seed !== undefined : !isSeed(shared);
      return this.#check(prompt, seeded ? own : { ...own, seed: groupSeed(shared, index) });
    });
    return runGroup(groupParts(calls, this.#slots.length, this.#runner, this.#warmer, this.#isClosed));
  }

  /**
   * Evaluates a prefix and keeps it until `release`: prompts that start with it cost the rest only, on whichever sequence they run.
   * What is kept is its state in a private file, where that is cheaper to load than to evaluate again (16 ids and more).
   * @throws TitoError `queue_full`, `session_unknown`, `session_ended`, `prefix_unknown`, `parent_mismatch`, `aborted`; for the ids as
   * `Session.complete`.
   * @example
   * const { prefixId } = await host.prefillOnly(systemAndTools);
   * const { ids } = await host.complete({ prompt: [...systemAndTools, ...question], parent: prefixId });
   */
  async prefillOnly(ids: Ids, { parent, signal }: PrefillOptions = {}): Promise<Prefix> {
    const call = this.#read({ prompt: ids, ...(parent !== undefined && { parent }), ...(signal && { signal }) });
    const { prompt } = call;
    const slot = await this.#runner.take(call, prompt.length);
    if (slot === undefined) throw leftQueue(signal);
    const { prefix, evaluatedTokens } = await this.#runner.use(slot, async () => {
      const evaluatedTokens = await this.#runner.hold(slot, call, signal);
      return { prefix: await this.#warmer.keep(slot, prompt, worthLoading), evaluatedTokens };
    });
    this.#checkOpen();
    return {
      prefixId: this.#prefixes.add(prefix),
      length: prompt.length,
      evaluatedTokens,
      reusedTokens: prompt.length - evaluatedTokens,
      stateBytes: prefix.state?.bytes ?? 0,
    };
  }

  /** Forgets a prefix, and removes its state. Sessions that started with it go on. @throws TitoError `prefix_unknown`. */
  async release(prefixId: string): Promise<void> {
    await this.#warmer.drop(this.#prefixes.take(prefixId));
  }

  /**
   * Opens a session, which keeps a sequence, and so its cache, until `end`. Waits for a sequence, and while `maxSessions` are open.
   * @throws TitoError `sampler_option` for an id that is in use; `queue_full`, `session_unknown`, `session_ended`, `prefix_unknown`,
   * `aborted`.
   * @example
   * await using session = await host.open({ parent: prefixId });
   * const { ids } = await host.continue(session.sessionId, question, { stop: renderer.stopTokenIds });
   */
  async open({ id, parent, signal }: OpenSessionOptions = {}): Promise<HostSession> {
    this.#checkOpen();
    const from = parent === undefined ? undefined : this.#parent(parent);
    const ids = from ? idsOf(from) : [];
    const sessionId = this.#sessions.reserve(id);
    try {
      const rate = (slot: Slot) => this.#warmer.rate(slot, ids, ids.length);
      const slot = await this.#queue.take({ forSession: true, rate, signal });
      if (slot === undefined) throw leftQueue(signal);
      try {
        await this.#warmer.warm(slot, ids, ids.length, from, signal);
        this.#checkOpen();
      } catch (cause) {
        await this.#runner.giveBack(slot, true, { cause });
        throw cause;
      }
      return this.#handle(this.#sessions.add(sessionId, slot, ids));
    } finally {
      this.#sessions.giveUp(sessionId);
    }
  }

  /** An open session. @throws TitoError `session_unknown`, `session_ended`. */
  session(sessionId: string): HostSession {
    this.#checkOpen();
    return this.#handle(this.#sessions.find(sessionId));
  }

  /**
   * Gives a session's sequence to others. A call that is under way ends with `finish: "aborted"`. Nothing is done for one that has ended.
   * @throws TitoError `session_unknown`.
   */
  async end(sessionId: string): Promise<void> {
    if (!this.#sessions.wasOpen(sessionId)) await this.#runner.endSession(this.#sessions.find(sessionId));
  }

  /** Ends everything, removes what was saved and gives the sequences back to the sampler. Calls under way end with `finish: "aborted"`. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #read(request: HostRequest): Call {
    this.#checkOpen();
    const { prompt, extension, sessionId, parent, options } = readCall(request);
    const held = sessionId === undefined ? undefined : this.#sessions.find(sessionId);
    const ids = extension === undefined ? prompt! : [...held!.ids, ...extension];
    const call = this.#check(ids, options);
    return { ...call, held, parent: parent === undefined ? undefined : this.#parent(parent, call.prompt) };
  }

  #check(prompt: Ids, options: SampleOptions): Call {
    // A session checks ids and options at the call of `sample`, of which nothing runs before its first `next()`.
    const [any] = this.#queue.slots;
    any?.session.sample(prompt, options);
    return { prompt: Array.from(prompt), options, held: undefined, parent: undefined };
  }

  #parent(id: string, ids?: readonly number[]): Parent {
    const parent: Parent =
      typeof id === "string" && id.startsWith("prefix-")
        ? { kind: "prefix", prefix: this.#prefixes.find(id) }
        : sessionParent(this.#sessions.find(id));
    const at = ids && partsAt(ids, idsOf(parent));
    if (at !== undefined) throw parentMismatch(at, id);
    return parent;
  }

  async *#stream<Step, End>(request: HostRequest, kind: StreamKind<Step, End>): AsyncGenerator<Step, End, void> {
    // Read again: a session may have gone on since the stream was made.
    return yield* this.#runner.stream(this.#read(request), kind);
  }

  #handle(held: HeldSession): HostSession {
    return {
      sessionId: held.id,
      get ids() {
        return Int32Array.from(held.ids);
      },
      get busy() {
        return held.busy;
      },
      get ended() {
        return held.ended;
      },
      end: () => this.#runner.endSession(held),
      [Symbol.asyncDispose]: () => this.#runner.endSession(held),
    };
  }

  readonly #isClosed = (): boolean => this.#closed !== undefined;

  #checkOpen(): void {
    if (this.#closed !== undefined)
      throw new TitoError("session_ended", "This host is closed. Open another one with sampler.host().");
  }

  async #close(): Promise<void> {
    this.#queue.close(
      new TitoError(
        "session_ended",
        "The host was closed before there was a sequence for this call. Open another host.",
      ),
    );
    this.#sessions.removeAll();
    this.#prefixes.clear();
    await Promise.all(this.#slots.map((slot) => slot.close()));
    await this.#files.close();
    this.#parts.onClose(this);
  }
}

const steps: StreamKind<SampleStep, SampleEnd> = {
  start: (session, prompt, options) => session.sample(prompt, options),
  idsOf: ({ id }) => [id],
  // biome-ignore lint/correctness/useYield: it ends without a step.
  aborted: function* (options) {
    return abortedEnd(options);
  },
};

const events: StreamKind<SampleEvent, Completion> = {
  start: (session, prompt, options) => session.events(prompt, options),
  idsOf: (event) => (event.kind === "done" ? event.completion.ids : []),
  aborted: function* (options) {
    const completion = abortedCompletion(options);
    yield { kind: "done", reason: completion.finish, completion };
    return completion;
  },
};

const sessionParent = (session: HeldSession): Parent => ({ kind: "session", session, ids: session.ids });

const isSeed = (seed: unknown): seed is number =>
  Number.isInteger(seed) && (seed as number) >= 0 && (seed as number) < 2 ** 32 - 1;

function leftQueue(signal: AbortSignal | undefined): TitoError {
  return new TitoError("aborted", "The signal fired while this call waited for a sequence. Call again.", {
    cause: signal?.reason,
  });
}
