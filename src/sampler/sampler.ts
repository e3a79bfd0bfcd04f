/// <reference lib="esnext.disposable" preserve="true" />
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import { TitoError } from "../errors.ts";
import type { AllIds } from "./chain.ts";
import { type Grammars, grammarsOf } from "./grammars.ts";
import { planHost } from "./host/hostOptions.ts";
import { SamplerHost } from "./host/samplerHost.ts";
import type { HostSequence } from "./host/slot.ts";
import type { HostOptions } from "./host/types.ts";
import type { NativeRuntime } from "./native.ts";
import { Session } from "./session.ts";
import type { SamplerModelInfo } from "./types.ts";

/** @internal */
export interface SamplerParts {
  readonly runtime: NativeRuntime;
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly info: SamplerModelInfo;
  readonly allIds: AllIds;
  /** Every session is evaluated in batches of its own. */
  readonly deterministic: boolean;
}

/** A model loaded by llama.cpp with a context of one or more sequences. Opened by `loadSampler`, closed with `await using` or `close`. */
export class Sampler implements AsyncDisposable {
  /** What the file says about the model. */
  readonly model: SamplerModelInfo;
  readonly #parts: SamplerParts;
  readonly #grammars: Grammars;
  readonly #sessions = new Set<Session>();
  readonly #hosts = new Set<SamplerHost>();
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(parts: SamplerParts) {
    this.#parts = parts;
    this.model = parts.info;
    this.#grammars = grammarsOf(parts.runtime, parts.model, parts.info);
  }

  /** How many ids prompt and completion of one session may have together: the size asked for, rounded up to a multiple of 256. */
  get contextSize(): number {
    return this.#parts.context.contextSize;
  }

  /** How many sessions can be open at the same time. */
  get sequences(): number {
    return this.#parts.context.totalSequences;
  }

  /** How many threads evaluate. */
  get threads(): number {
    return this.#parts.context.idealThreads;
  }

  /**
   * Opens a session on a free sequence, with an empty cache.
   * @throws TitoError `no_sequence_left` when `sequences` sessions are open; `session_ended` when the sampler is closed.
   * @example
   * await using session = await sampler.session();
   */
  async session(): Promise<Session> {
    return this.#open().session;
  }

  /**
   * Opens a host on the free sequences, or so many of them: it shares them among any number of callers, and keeps prefixes and sessions.
   * @throws TitoError `sampler_option`; `no_sequence_left` when every sequence has an open session; `session_ended` when the sampler
   * is closed.
   * @example
   * await using host = await sampler.host();
   * const { ids } = await host.complete({ prompt: promptIds, maxTokens: 256, seed: 7 });
   */
  async host(options: HostOptions = {}): Promise<SamplerHost> {
    this.#checkFree();
    const { context, deterministic } = this.#parts;
    const host = new SamplerHost({
      plan: planHost(options, context.sequencesLeft),
      open: () => this.#open(),
      deterministic,
      onClose: (closed) => this.#hosts.delete(closed),
    });
    this.#hosts.add(host);
    return host;
  }

  /** Closes every host and session and frees the model. Calls under way end with `finish: "aborted"`. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #open(): HostSequence {
    this.#checkFree();
    const { runtime, model, context, info, allIds } = this.#parts;
    const native = context.getSequence();
    const session = new Session({
      module: runtime.module,
      model,
      info,
      allIds,
      grammars: this.#grammars,
      native,
      takeErrorLog: runtime.takeErrorLog,
      onClose: (closed) => this.#sessions.delete(closed),
    });
    this.#sessions.add(session);
    return { session, native };
  }

  #checkFree(): void {
    if (this.#closed !== undefined)
      throw new TitoError("session_ended", "This sampler is closed. Load the model again with loadSampler().");
    if (this.#parts.context.sequencesLeft === 0)
      throw new TitoError(
        "no_sequence_left",
        `All ${this.sequences} sequences of this sampler have an open session. Close one, or load the model with a larger \`sequences\`.`,
        { details: { sequences: this.sequences } },
      );
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#hosts].map((host) => host.close()));
    await Promise.all([...this.#sessions].map((session) => session.close()));
    const { model, context } = this.#parts;
    await context.dispose();
    await model.dispose();
  }
}
