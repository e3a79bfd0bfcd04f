/// <reference lib="esnext.disposable" preserve="true" />
import { TitoError } from "../errors.ts";
import type { Ids } from "../tokenizer/types.ts";
import { type LogprobSources, logprobSources } from "./chain.ts";
import type { Grammars } from "./grammars.ts";
import type { HeldGrammar } from "./heldGrammar.ts";
import { checkIds } from "./ids.ts";
import { planSampling, type SampleOptions, type SamplePlan } from "./options.ts";
import { refuse } from "./refuse.ts";
import { type DrawnToken, Sequence, type SequenceParts } from "./sequence.ts";
import type { Completion, SampleEnd, SamplerModelInfo, SampleStep, Score } from "./types.ts";

/** What a session needs of the sampler that opened it. @internal */
export interface SessionHost extends SequenceParts {
  readonly info: SamplerModelInfo;
  readonly grammars: Grammars;
  readonly onClose: (session: Session) => void;
}

export interface ScoreOptions {
  /** The first id to score, at least 1: nothing predicts the id at 0. Default 1. */
  readonly from?: number;
  /** Also list this many of the likeliest ids at every position. Default 0. */
  readonly topLogprobs?: number;
  readonly signal?: AbortSignal;
}

/**
 * One KV sequence of a {@link Sampler}. Ids go in and ids come out: nothing is added (no BOS), dropped, shifted or decoded.
 *
 * The keys and values of a call stay in the cache. The next call evaluates only what comes after the longest common prefix of its
 * prompt and the cache, so the turns of a conversation cost their new ids. A session does one thing at a time; sessions of one
 * sampler run side by side, and llama.cpp evaluates them in shared batches.
 *
 * Every call holds about 1.8 MB of native memory per 151,936 ids of vocabulary until JavaScript's garbage collector runs.
 */
export class Session implements AsyncDisposable {
  readonly #host: SessionHost;
  readonly #sequence: Sequence;
  #busy = false;

  /** @internal */
  constructor(host: SessionHost) {
    this.#host = host;
    this.#sequence = new Sequence(host);
  }

  /** How many ids prompt and completion may have together. */
  get contextSize(): number {
    return this.#sequence.contextSize;
  }

  /** How many ids are in the cache. The last sampled id is not: it is evaluated when something follows it. */
  get cachedTokens(): number {
    return this.#sequence.cachedTokens;
  }

  /** How many ids this session has evaluated, prompts, sampled ids and scoring together, as the native side counted them. */
  get evaluatedTokens(): number {
    return this.#sequence.evaluatedTokens;
  }

  /**
   * Samples a completion of exactly these prompt ids.
   * @throws TitoError `sampler_option`, `token_out_of_range`, `empty_prompt`; `context_full` when the prompt leaves no cell for
   * a sampled id; for a grammar as `parseGbnf`, `token_missing`, and `sampler_failed` where it allows nothing but ids that
   * `logitBias` bans; `session_busy`, `session_ended`. An abort does not throw: the completion ends with `finish: "aborted"`.
   * @example
   * const { ids, logprobs, finish } = await session.complete(promptIds, { maxTokens: 256, stop: [151645], temperature: 0.7, seed: 1 });
   */
  async complete(promptIds: Ids, options: SampleOptions = {}): Promise<Completion> {
    const { prompt, plan, sources, held } = this.#plan(promptIds, options);
    const release = this.#acquire();
    try {
      const drawn: DrawnToken[] = [];
      const steps = this.#sequence.draw(prompt, plan, sources, held);
      let step = await steps.next();
      for (; !step.done; step = await steps.next()) drawn.push(step.value);

      const sampled = drawn.map(({ id }) => id);
      const completion = {
        ids: Int32Array.from(sampled),
        logprobs: Float64Array.from(drawn, ({ logprob }) => logprob),
        ...step.value,
      };
      const scores = sources.needsScore
        ? await this.#sequence.score([...prompt, ...sampled], prompt.length, plan.topLogprobs, plan.signal)
        : undefined;
      if (sources.needsScore && scores === undefined && !sources.confidenceIsRaw) return completion;
      return {
        ...completion,
        ...(plan.rawLogprobs && {
          rawLogprobs: Float64Array.from(drawn, (token, i) =>
            sources.confidenceIsRaw ? token.rawLogprob : scores![i]!.logprob,
          ),
        }),
        ...(plan.topLogprobs > 0 && scores !== undefined && { topLogprobs: scores.map(({ top }) => top) }),
      };
    } finally {
      release();
    }
  }

  /**
   * The same id by id; options are checked at the call, sampling starts with the first `next()`. The generator's return value is the
   * {@link SampleEnd}. Leaving the loop early frees the session; everything sampled has been handed out.
   * `rawLogprobs` (where they are not free) and `topLogprobs` evaluate every id twice, one at a time: `complete` does it in blocks.
   * @throws TitoError as `complete`.
   * @example
   * for await (const { id, logprob } of session.sample(promptIds, { stop: [151645] })) parser.push([id]);
   */
  sample(promptIds: Ids, options: SampleOptions = {}): AsyncGenerator<SampleStep, SampleEnd, void> {
    const { prompt, plan, sources, held } = this.#plan(promptIds, options);
    return this.#stream(prompt, plan, sources, held);
  }

  /**
   * Log-probabilities of given ids in the model's own distribution (temperature 1, no bias, penalty or filter): of `ids[from]` and
   * every id after it, each given all ids before it. Evaluates from `ids[from - 1]` on, and the ids before that which are not cached.
   * Cost: one batched evaluation and a look at the whole vocabulary for every scored id, about 2 ms for 151,936 ids; with
   * `topLogprobs` 15 ms, for a sort. Accuracy: better than 1e-4 of the exact log-softmax of the logits, and about 1e-6 where the model is
   * sure. With F16 or F32 weights llama.cpp's logits themselves change by up to about 4e-3 with the number of ids that are evaluated
   * at once; with quantised weights (measured: Q4_0, Q8_0 on x86-64) they do not.
   * @throws TitoError as `complete`, and `aborted` when the signal fires.
   * @example
   * const { logprobs } = await reference.score([...promptIds, ...completion.ids], { from: promptIds.length });
   */
  async score(ids: Ids, options: ScoreOptions = {}): Promise<Score> {
    const checked = this.#checkPrompt(ids, "ids");
    const { from = 1, signal } = options;
    if (!Number.isInteger(from) || from < 1 || from > checked.length)
      refuse("from", from, `a whole number from 1 to the number of ids, ${checked.length}`);
    const plan = planSampling({ topLogprobs: options.topLogprobs ?? 0, stop: [], seed: 0 }, this.#host.info);
    const release = this.#acquire();
    try {
      const before = this.evaluatedTokens;
      const scores = await this.#sequence.score(checked, from, plan.topLogprobs, signal);
      if (scores === undefined)
        throw new TitoError("aborted", "Scoring was aborted. Call score again; what was evaluated is still cached.", {
          cause: signal?.reason,
        });
      const evaluatedTokens = this.evaluatedTokens - before;
      return {
        logprobs: Float64Array.from(scores, ({ logprob }) => logprob),
        ...(plan.topLogprobs > 0 && { topLogprobs: scores.map(({ top }) => top) }),
        // The last id is scored by the one before it, and not evaluated itself.
        reusedTokens: checked.length - 1 - evaluatedTokens,
        evaluatedTokens,
      };
    } finally {
      release();
    }
  }

  /** Frees the sequence for another session. A call that is under way ends with `finish: "aborted"` after its current token. */
  async close(): Promise<void> {
    await this.#sequence.close();
    this.#host.onClose(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #plan(promptIds: Ids, options: SampleOptions) {
    const { info } = this.#host;
    const plan = planSampling(options, info);
    const prompt = this.#checkPrompt(promptIds, "promptIds");
    const held = plan.grammar && this.#host.grammars(plan.grammar, plan.stop);
    return { prompt, plan, sources: logprobSources(plan, info.vocabSize), held };
  }

  #checkPrompt(ids: Ids, what: string): number[] {
    const checked = checkIds(ids, this.#host.info.vocabSize, what);
    if (checked.length === 0)
      throw new TitoError("empty_prompt", `${what} is empty, and a model needs at least one id to say what follows.`);
    if (checked.length >= this.contextSize)
      throw new TitoError(
        "context_full",
        `${what} has ${checked.length} ids, and a context of ${this.contextSize} takes at most ${this.contextSize - 1}. ` +
          "Load the model with a larger contextSize, or shorten the prompt.",
        { details: { promptTokens: checked.length, contextSize: this.contextSize } },
      );
    return checked;
  }

  #acquire(): () => void {
    if (this.#sequence.closed)
      throw new TitoError("session_ended", "This session is closed. Open another one with sampler.session().");
    if (this.#busy)
      throw new TitoError(
        "session_busy",
        "This session is already sampling. Await the call or leave its loop first, or open another session to run side by side.",
      );
    this.#busy = true;
    return () => {
      this.#busy = false;
    };
  }

  async *#stream(prompt: number[], plan: SamplePlan, sources: LogprobSources, held: HeldGrammar | undefined) {
    const release = this.#acquire();
    const steps = this.#sequence.draw(prompt, plan, sources, held);
    try {
      const ids = [...prompt];
      let step = await steps.next();
      for (; !step.done; step = await steps.next()) {
        const { id, logprob, rawLogprob } = step.value;
        ids.push(id);
        // The id is out: an abort from here on must not lose it, so it is scored whatever the signal says.
        const score = sources.needsScore
          ? (await this.#sequence.score(ids, ids.length - 1, plan.topLogprobs, undefined))?.[0]
          : undefined;
        const raw = sources.confidenceIsRaw ? rawLogprob : score?.logprob;
        yield {
          id,
          logprob,
          ...(plan.rawLogprobs && raw !== undefined && { rawLogprob: raw }),
          ...(plan.topLogprobs > 0 && score !== undefined && { topLogprobs: score.top }),
        };
      }
      return step.value;
    } finally {
      await steps.return(undefined as never);
      release();
    }
  }
}
