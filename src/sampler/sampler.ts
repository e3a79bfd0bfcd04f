/// <reference lib="esnext.disposable" preserve="true" />
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import { TitoError } from "../errors.ts";
import { type Grammars, grammarsOf } from "./grammars.ts";
import type { NativeRuntime } from "./native.ts";
import { Session } from "./session.ts";
import type { SamplerModelInfo } from "./types.ts";

/** @internal */
export interface SamplerParts {
  readonly runtime: NativeRuntime;
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly info: SamplerModelInfo;
}

/** A model loaded by llama.cpp with a context of one or more sequences. Opened by `loadSampler`, closed with `await using` or `close`. */
export class Sampler implements AsyncDisposable {
  /** What the file says about the model. */
  readonly model: SamplerModelInfo;
  readonly #parts: SamplerParts;
  readonly #grammars: Grammars;
  readonly #sessions = new Set<Session>();
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(parts: SamplerParts) {
    this.#parts = parts;
    this.model = parts.info;
    this.#grammars = grammarsOf(parts.model, parts.info);
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
    const { runtime, model, context, info } = this.#parts;
    if (this.#closed !== undefined)
      throw new TitoError("session_ended", "This sampler is closed. Load the model again with loadSampler().");
    if (context.sequencesLeft === 0)
      throw new TitoError(
        "no_sequence_left",
        `All ${this.sequences} sequences of this sampler have an open session. Close one, or load the model with a larger \`sequences\`.`,
        { details: { sequences: this.sequences } },
      );
    const session = new Session({
      module: runtime.module,
      model,
      info,
      grammars: this.#grammars,
      native: context.getSequence(),
      takeErrorLog: runtime.takeErrorLog,
      onClose: (closed) => this.#sessions.delete(closed),
    });
    this.#sessions.add(session);
    return session;
  }

  /** Closes every session and frees the model. Calls under way end with `finish: "aborted"`. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
    const { model, context } = this.#parts;
    await context.dispose();
    await model.dispose();
  }
}
