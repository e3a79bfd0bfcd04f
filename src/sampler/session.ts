/// <reference lib="esnext.disposable" preserve="true" />
import { TitoError } from "../errors.ts";
import type { Ids } from "../tokenizer/types.ts";
import { bannedLogit } from "./bias.ts";
import { type LogprobSources, logprobSources } from "./chain.ts";
import type { Grammars } from "./grammars.ts";
import { checkIds } from "./ids.ts";
import { planSampling, type SampleOptions, type SamplePlan } from "./options.ts";
import { refuse } from "./refuse.ts";
import { drawScore } from "./scoring/drawScore.ts";
import { type PositionScore, rawScore } from "./scoring/rawScore.ts";
import { eventWriter, type SampleEvent } from "./segments/events.ts";
import { holdSegments } from "./segments/heldSegments.ts";
import { type DrawnToken, Sequence, type SequenceParts } from "./sequence.ts";
import { Steering, type SteeringPlan } from "./steering.ts";
import type { Completion, LogprobsMode, SampleEnd, SamplerModelInfo, SampleStep, Score } from "./types.ts";

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
   * a sampled id; for a grammar as `parseGbnf`, `grammar_without_triggers`, `token_missing`; for segments as `checkSegmentPolicy`;
   * `session_busy`, `session_ended`. An abort does not throw: the completion ends with `finish: "aborted"`.
   * @example
   * const { ids, logprobs, finish } = await session.complete(promptIds, { maxTokens: 256, stop: [151645], temperature: 0.7, seed: 1 });
   */
  async complete(promptIds: Ids, options: SampleOptions = {}): Promise<Completion> {
    const events = this.#run(this.#plan(promptIds, options));
    let step = await events.next();
    while (!step.done) step = await events.next();
    return step.value;
  }

  /**
   * Samples a completion and tells what happens meanwhile: text and calls, by the markers of `segments`. The last event, `done`, has
   * the completion as `complete` gives it, and so has the generator's return value. Nothing is sampled ahead of the reader. Leaving the loop early frees the session.
   * @throws TitoError as `complete`.
   * @example
   * for await (const event of session.events(promptIds, { segments, stop: renderer.stopTokenIds })) {
   *   if (event.kind === "content") process.stdout.write(event.text);
   *   if (event.kind === "toolCallEnd" && event.complete) calls.push(event.bytes);
   * }
   */
  events(promptIds: Ids, options: SampleOptions = {}): AsyncGenerator<SampleEvent, Completion, void> {
    return this.#events(this.#plan(promptIds, options));
  }

  /**
   * The same id by id; options are checked at the call, sampling starts with the first `next()`. The generator's return value is the
   * {@link SampleEnd}. Leaving the loop early frees the session; everything sampled has been handed out.
   * `rawLogprobs` (where they are not free), `topLogprobs`, and `logprobs` beside a grammar evaluate every id twice, one at a time:
   * `complete` and `events` do it in blocks.
   * @throws TitoError as `complete`.
   * @example
   * for await (const { id, logprob } of session.sample(promptIds, { stop: [151645] })) parser.push([id]);
   */
  sample(promptIds: Ids, options: SampleOptions = {}): AsyncGenerator<SampleStep, SampleEnd, void> {
    return this.#stream(this.#plan(promptIds, options));
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
      const scores = await this.#rawScores(checked, from, plan, signal);
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

  #plan(promptIds: Ids, options: SampleOptions): Run {
    const { info, grammars, model } = this.#host;
    const plan = planSampling(options, info);
    const prompt = this.#checkPrompt(promptIds, "promptIds");
    const steering: SteeringPlan = {
      stop: plan.stop,
      eogIds: info.eogIds,
      bytesOf: (id) => grammars.vocabulary().bytes.of(id),
      trie: () => grammars.vocabulary().trie(),
      grammar: plan.grammar && grammars.hold(plan.grammar, plan.stop),
      banned: new Set([...plan.logitBias].flatMap(([id, logit]) => (logit <= bannedLogit ? [id] : []))),
      segments: plan.segments && holdSegments(plan.segments, (text) => model.tokenize(text, true, "trimLeadingSpace")),
      reasoningBudget: plan.reasoningBudget,
    };
    return { prompt, plan, steering, sources: logprobSources(plan, info.vocabSize) };
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

  #draw({ prompt, plan, sources, steering }: Run) {
    return this.#sequence.draw(prompt, plan, sources, new Steering(steering, this.#host.grammars.start));
  }

  /** Yields what is drawn; returns it with its log-probabilities. */
  async *#run(run: Run): AsyncGenerator<DrawnToken, Completion, void> {
    const release = this.#acquire();
    const { prompt, plan, sources } = run;
    const steps = this.#draw(run);
    try {
      const drawn: DrawnToken[] = [];
      let step = await steps.next();
      for (; !step.done; step = await steps.next()) {
        drawn.push(step.value);
        yield step.value;
      }
      const ids = Int32Array.from(drawn, ({ id }) => id);
      const all = [...prompt, ...ids];
      const logprobs = sources.scoresDraws
        ? await this.#drawScores(run, drawn, all, prompt.length, plan.signal)
        : drawn.map(({ logprob }) => logprob);
      const raw = sources.scoresRaw ? await this.#rawScores(all, prompt.length, plan, plan.signal) : undefined;
      const rawLogprobs = sources.confidenceIsRaw
        ? drawn.map(({ rawLogprob }) => rawLogprob)
        : raw?.map(({ logprob }) => logprob);
      return {
        ids,
        logprobs:
          logprobs && plan.logprobs ? Float64Array.from(logprobs) : new Float64Array(ids.length).fill(Number.NaN),
        logprobsMode: logprobs ? logprobsMode(plan) : "off",
        greedyMask: Uint8Array.from(drawn, ({ how }) => (how === "greedy" ? 1 : 0)),
        forcedMask: Uint8Array.from(drawn, ({ isForced }) => (isForced ? 1 : 0)),
        insertedMask: Uint8Array.from(drawn, ({ how }) => (how === "inserted" ? 1 : 0)),
        ...(plan.rawLogprobs && rawLogprobs && { rawLogprobs: Float64Array.from(rawLogprobs) }),
        ...(plan.topLogprobs > 0 && raw && { topLogprobs: raw.map(({ top }) => top) }),
        ...step.value,
      };
    } finally {
      await steps.return(undefined as never);
      release();
    }
  }

  async *#events(run: Run): AsyncGenerator<SampleEvent, Completion, void> {
    const { stop, segments, bytesOf } = run.steering;
    const writer = eventWriter(segments, bytesOf);
    const steps = this.#run(run);
    try {
      // Whether a stop id ends the completion is known with the next step: it may be text of a grammar.
      let held: number | undefined;
      let step = await steps.next();
      for (; !step.done; step = await steps.next()) {
        if (held !== undefined) yield* writer.push(held);
        const { id } = step.value;
        held = stop.has(id) ? id : undefined;
        if (held === undefined) yield* writer.push(id);
      }
      if (held !== undefined && step.value.finish !== "stop") yield* writer.push(held);
      yield* writer.end();
      yield { kind: "done", reason: step.value.finish, completion: step.value };
      return step.value;
    } finally {
      await steps.return(undefined as never);
    }
  }

  async *#stream(run: Run): AsyncGenerator<SampleStep, SampleEnd, void> {
    const release = this.#acquire();
    const { prompt, plan, sources } = run;
    const steps = this.#draw(run);
    try {
      const ids = [...prompt];
      let step = await steps.next();
      for (; !step.done; step = await steps.next()) {
        const { id, how, isForced, rawLogprob } = step.value;
        ids.push(id);
        const from = ids.length - 1;
        // The id is out: an abort from here on must not lose it, so it is scored whatever the signal says.
        const draws = sources.scoresDraws ? await this.#drawScores(run, [step.value], ids, from, undefined) : undefined;
        const score = sources.scoresRaw ? (await this.#rawScores(ids, from, plan, undefined))?.[0] : undefined;
        const raw = sources.confidenceIsRaw ? rawLogprob : score?.logprob;
        yield {
          id,
          how,
          isForced,
          logprob: plan.logprobs ? (draws?.[0] ?? step.value.logprob) : Number.NaN,
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

  #rawScores(ids: readonly number[], from: number, plan: SamplePlan, signal: AbortSignal | undefined) {
    const { allIds } = this.#host;
    const questions = ids.slice(from).map((id) => rawScore(id, plan.topLogprobs, allIds));
    return this.#sequence.ask(ids, from, questions, signal) as Promise<PositionScore[] | undefined>;
  }

  /** Log-probabilities of draws that were held to a grammar; undefined when the signal fired first. */
  async #drawScores(
    { plan, steering }: Run,
    drawn: readonly DrawnToken[],
    ids: readonly number[],
    from: number,
    signal: AbortSignal | undefined,
  ): Promise<number[] | undefined> {
    const { info, module, model, allIds } = this.#host;
    const { trie, eogIds, grammar } = steering;
    const scoring = { plan, trie, eogIds, vocabSize: info.vocabSize, ends: grammar!.ends, module, model, allIds };
    const before = (end: number) => ids.slice(Math.max(0, end - plan.penaltyWindow), end);
    const questions = drawn.map((token, i) => drawScore(scoring, token, () => before(from + i)));
    const answers = await this.#sequence.ask(ids, from, questions, signal);
    // Rounding may leave a certain id a little above 0.
    return answers?.map((answer) => Math.min(0, answer ?? 0));
  }
}

/** One completion: what it begins with, and what it is held to. */
interface Run {
  readonly prompt: readonly number[];
  readonly plan: SamplePlan;
  readonly sources: LogprobSources;
  readonly steering: SteeringPlan;
}

function logprobsMode(plan: SamplePlan): LogprobsMode {
  if (!plan.logprobs) return "off";
  if (plan.grammar === undefined) return "chain";
  return plan.grammarFirst ? "grammar_first" : "check_then_resample";
}
