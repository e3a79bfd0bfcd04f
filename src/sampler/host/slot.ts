import type { LlamaContextSequence, Token } from "node-llama-cpp";
import { TitoError } from "../../errors.ts";
import type { Session } from "../session.ts";

/** A session with the native sequence below it. @internal */
export interface HostSequence {
  readonly session: Session;
  readonly native: LlamaContextSequence;
}

/** One of the host's sequences. Whoever took it from the queue is alone with it. */
export class Slot {
  /** When it was last given back: a count, not a time. */
  usedAt = 0;
  readonly #open: () => HostSequence;
  #opened: HostSequence;
  #running: Promise<unknown> = Promise.resolve();
  #renewed: Promise<void> = Promise.resolve();
  #closed = false;
  #lost = false;
  #evaluatedBefore = 0;

  constructor(open: () => HostSequence) {
    this.#open = open;
    this.#opened = open();
  }

  get session(): Session {
    return this.#opened.session;
  }

  /** How many ids were evaluated here, as the native side counted them. */
  get evaluatedTokens(): number {
    return this.#evaluatedBefore + this.session.evaluatedTokens;
  }

  /** Whether the cache can be cut back to any length. Recurrent models, and windows of attention, go back to checkpoints only. */
  get rewinds(): boolean {
    return !this.#opened.native.needsCheckpoints;
  }

  /** What is cached. */
  get ids(): readonly number[] {
    return this.#opened.native.contextTokens;
  }

  /** How many of the first `most` ids need no evaluation here. */
  reusable(ids: readonly number[], most: number): number {
    const { native } = this.#opened;
    const shared = Math.min(native.compareContextTokens(ids as Token[]).firstDifferentIndex, most);
    const again = shared < native.nextTokenIndex ? native.getRestoreToPrefixIndexEvaluationSize(shared) : 0;
    return Math.max(0, shared - again);
  }

  /** How many of the first `most` ids would need no evaluation where this cache is loaded. */
  shared(ids: readonly number[], most: number): number {
    const { native } = this.#opened;
    const shared = Math.min(native.compareContextTokens(ids as Token[]).firstDifferentIndex, most);
    return this.rewinds || shared === native.nextTokenIndex ? shared : 0;
  }

  /**
   * Brings the cache to exactly these ids, and gives how many were evaluated for it.
   * @throws TitoError `aborted`; as `Session.complete`.
   */
  async hold(ids: readonly number[], signal: AbortSignal | undefined): Promise<number> {
    const before = this.evaluatedTokens;
    await this.#native((native) => native.adaptStateToTokens(ids as Token[], false));
    if (this.#opened.native.nextTokenIndex < ids.length) {
      // The sampled id is never evaluated, so that the cache ends with the prompt.
      const once = { maxTokens: 1, temperature: 0, stop: [] };
      const { finish } = await this.session.complete(ids, { ...once, ...(signal && { signal }) });
      if (finish === "aborted") throw signal?.aborted ? prefillAborted(signal) : slotClosed();
    }
    return this.evaluatedTokens - before;
  }

  async clear(): Promise<void> {
    if (this.#opened.native.nextTokenIndex > 0) await this.#native((native) => native.clearHistory());
  }

  async save(path: string): Promise<void> {
    await this.#native((native) => native.saveStateToFile(path));
  }

  /** Takes a state that this context saved. When this fails the cache is in no known state: `renew`. */
  async load(path: string): Promise<void> {
    await this.#native((native) => native.loadStateFromFile(path, { acceptRisk: true }));
  }

  /** Whether its sequence is gone: `renew` did not find another. */
  get lost(): boolean {
    return this.#lost;
  }

  /** Starts anew on an empty sequence. A call under way ends as aborted. @throws TitoError when the sampler has none left. */
  renew(): Promise<void> {
    // Ending a session may come upon its call's failure: one after the other, or a sequence would be opened twice.
    this.#renewed = this.#renewed.catch(() => undefined).then(() => this.#renew());
    return this.#renewed;
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#release();
  }

  async #renew(): Promise<void> {
    this.#lost = true;
    await this.#release();
    if (this.#closed) throw slotClosed();
    const evaluated = this.evaluatedTokens;
    this.#opened = this.#open();
    this.#evaluatedBefore = evaluated;
    this.#lost = false;
  }

  async #release(): Promise<void> {
    // A state is written and read by another thread, which does not notice that its sequence is gone.
    await this.#running;
    await this.session.close();
  }

  #native<T>(call: (native: LlamaContextSequence) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(slotClosed());
    const running = call(this.#opened.native);
    // A fork saves the cache of a session that may be at work itself.
    this.#running = Promise.allSettled([this.#running, running]).then(() => undefined);
    return running;
  }
}

function slotClosed(): TitoError {
  return new TitoError("session_ended", "This host is closed. Open another one with sampler.host().");
}

function prefillAborted(signal: AbortSignal): TitoError {
  const message = "Evaluating a prefix was aborted. Call again; what was evaluated may still be cached.";
  return new TitoError("aborted", message, { cause: signal.reason });
}
