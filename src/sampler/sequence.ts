import type { LlamaContextSequence, SequenceEvaluateMetadataOptions, Token } from "node-llama-cpp";
import { TitoError } from "../errors.ts";
import { type ChainModel, type LogprobSources, nativeOptions, neverShift } from "./chain.ts";
import type { SamplePlan } from "./options.ts";
import type { Question } from "./scoring/question.ts";
import type { Chain, GrammarPlace, Steering } from "./steering.ts";
import type { SampleEnd } from "./types.ts";

export interface SequenceParts extends ChainModel {
  readonly native: LlamaContextSequence;
  readonly takeErrorLog: () => readonly string[];
}

export interface DrawnToken {
  readonly id: number;
  /** `"greedy"`: the likeliest id. `"inserted"`: not drawn at all. */
  readonly how: "drawn" | "greedy" | "inserted";
  /** The grammar allowed no other id. */
  readonly isForced: boolean;
  /** In the distribution that it was drawn from; NaN when it was not asked for. */
  readonly logprob: number;
  /** Log of llama.cpp's own figure, which is the raw one for some plans; NaN when it was not asked for. */
  readonly rawLogprob: number;
  /** What it was held to, where it is scored by that; undefined: to nothing. */
  readonly held: GrammarPlace | undefined;
}

type Steps = ReturnType<LlamaContextSequence["evaluateWithMetadata"]>;

// llama.cpp keeps the logits of a whole batch, 0.6 MB a position for 151,936 ids, and never gives that memory back.
const scoreBlock = 32;

/** A KV sequence and what is done with it natively. Ids are checked, and one call runs at a time: the session sees to both. */
export class Sequence {
  readonly #parts: SequenceParts;
  readonly #sequence: LlamaContextSequence;
  #closed: Promise<void> | undefined;
  #nativeCall: Promise<unknown> = Promise.resolve();

  constructor(parts: SequenceParts) {
    this.#parts = parts;
    this.#sequence = parts.native;
  }

  get contextSize(): number {
    return this.#sequence.contextSize;
  }

  get cachedTokens(): number {
    return this.#sequence.nextTokenIndex;
  }

  get evaluatedTokens(): number {
    const { usedInputTokens, usedOutputTokens } = this.#sequence.tokenMeter;
    return usedInputTokens + usedOutputTokens;
  }

  get closed(): boolean {
    return this.#closed !== undefined;
  }

  /** Waits for the native call under way, after which nothing more is evaluated, and frees the sequence. */
  close(): Promise<void> {
    this.#closed ??= this.#nativeCall.catch(() => undefined).then(() => this.#sequence.dispose());
    return this.#closed;
  }

  /**
   * Samples ids after the prompt, evaluating what of it is not cached.
   *
   * Each of the two chains is a native generator that lives as long as the completion, suspended while the other one draws: it takes
   * the ids that it has not seen when it goes on. So a swap evaluates nothing twice, and the seed's numbers are drawn one after the
   * other.
   */
  async *draw(
    prompt: readonly number[],
    plan: SamplePlan,
    sources: LogprobSources,
    steering: Steering,
  ): AsyncGenerator<DrawnToken, SampleEnd> {
    const before = this.evaluatedTokens;
    const usage = { seed: plan.seed, reusedTokens: 0, evaluatedTokens: 0 };
    const end = (finish: SampleEnd["finish"], more: Partial<SampleEnd> = {}): SampleEnd => ({
      ...usage,
      finish,
      ...steering.summary,
      ...more,
    });
    if (this.#interrupted(plan.signal)) return end("aborted");
    await steering.ready;
    if (this.#interrupted(plan.signal)) return end("aborted");
    usage.reusedTokens = await this.#rewind(prompt, prompt.length - 1);
    const unseen = await this.#prefill(prompt, usage.reusedTokens, plan.signal);
    usage.evaluatedTokens = this.evaluatedTokens - before;
    if (unseen === undefined) return end("aborted");

    const ids = [...prompt];
    // The last sampled id is never evaluated, so it needs no cell.
    const most = Math.min(plan.maxTokens, this.contextSize - prompt.length);
    const full = (): SampleEnd => end(ids.length - prompt.length >= plan.maxTokens ? "length" : "context_full");
    const chains = new Map<Chain, Steps>();
    let pending = unseen;
    let isFirst = true;
    try {
      while (!this.#interrupted(plan.signal)) {
        const { insertion } = steering;
        if (insertion.length > 0) {
          const room = most - (ids.length - prompt.length);
          const inserted = insertion.slice(0, room);
          steering.insert(inserted);
          ids.push(...inserted);
          pending.push(...inserted);
          for (const id of inserted)
            yield { id, how: "inserted", isForced: false, logprob: 0, rawLogprob: Number.NaN, held: undefined };
          if (ids.length - prompt.length >= most) return full();
          continue;
        }
        await steering.ready;
        if (this.#interrupted(plan.signal)) break;
        const { chain, isForced } = steering;
        const held = sources.scoresDraws ? steering.snapshot() : undefined;
        let steps = chains.get(chain);
        if (steps === undefined) {
          const metadata = { confidence: sources.askConfidence && chain === "own" };
          steps = this.#steps(pending, metadata, nativeOptions(plan, chain, this.#parts, ids, steering));
          chains.set(chain, steps);
        }
        const going = steps;
        const given = pending as Token[];
        const step = await this.#native(() => going.next(given));
        if (step.done) throw this.#failure(new Error("the native sampler ended by itself"));
        const { token: id, confidence } = step.value as { token: number; confidence?: number };
        if (isFirst) usage.evaluatedTokens = this.evaluatedTokens - before - (ids.length - prompt.length);
        isFirst = false;
        const next = steering.take(id);
        if (next === "refused") return end("grammar_stuck");
        if (next === "end") return end("grammar_end");
        ids.push(id);
        pending = [id];
        const isGreedy = chain === "greedy" || plan.temperature === 0;
        const rawLogprob = confidence === undefined ? Number.NaN : Math.log(confidence);
        const how = isGreedy ? "greedy" : "drawn";
        yield { id, how, isForced, logprob: isGreedy ? 0 : rawLogprob, rawLogprob, held };
        if (next === "stop") return end("stop", { stopId: id });
        if (ids.length - prompt.length >= most) return full();
      }
      return end("aborted");
    } finally {
      await Promise.all([...chains.values()].map((steps) => steps.return()));
    }
  }

  #steps(
    pending: readonly number[],
    metadata: SequenceEvaluateMetadataOptions,
    options: Parameters<LlamaContextSequence["evaluateWithMetadata"]>[2],
  ): Steps {
    return this.#sequence.evaluateWithMetadata(pending as Token[], metadata, options) as Steps;
  }

  /** Cuts the cache back to what it shares with the first `keep` ids; gives how many those are. */
  async #rewind(ids: readonly number[], keep: number): Promise<number> {
    await this.#native(() => this.#sequence.adaptStateToTokens(ids.slice(0, keep) as Token[], false));
    return this.#sequence.nextTokenIndex;
  }

  /**
   * Evaluates ids up to the last batch, looking at the signal between batches. Gives the ids of the last batch, or undefined when
   * interrupted; what is evaluated stays cached.
   */
  async #prefill(
    ids: readonly number[],
    start: number,
    signal: AbortSignal | undefined,
  ): Promise<number[] | undefined> {
    const { batchSize } = this.#sequence.context;
    let at = start;
    while (ids.length - at > batchSize) {
      if (this.#interrupted(signal)) return undefined;
      const batch = ids.slice(at, at + batchSize) as Token[];
      await this.#native(() => this.#sequence.evaluateWithoutGeneratingNewTokens(batch, { contextShift: neverShift }));
      at += batchSize;
    }
    return ids.slice(at);
  }

  /**
   * Asks about positions of `ids`: `questions[i]` about what follows `ids[from + i - 1]`. Every question reads its answer, and may
   * answer with a further one, for which the ids are evaluated once more. The cache then holds all ids but the last, as it does
   * after sampling them. Undefined when interrupted.
   */
  async ask<Answer>(
    ids: readonly number[],
    from: number,
    questions: readonly (Question<Answer> | undefined)[],
    signal: AbortSignal | undefined,
  ): Promise<(Answer | undefined)[] | undefined> {
    const answers: (Answer | undefined)[] = questions.map(() => undefined);
    let open = [...questions];
    for (;;) {
      const first = open.findIndex((question) => question !== undefined);
      if (first < 0) return answers;
      const further: (Question<Answer> | undefined)[] = questions.map(() => undefined);
      const isDone = await this.#askOnce(ids, from + first, open.slice(first), signal, (i, answer) => {
        if (answer.kind === "answer") answers[first + i] = answer.value;
        else further[first + i] = answer;
      });
      if (!isDone) return undefined;
      open = further;
    }
  }

  async #askOnce<Answer>(
    ids: readonly number[],
    from: number,
    questions: readonly (Question<Answer> | undefined)[],
    signal: AbortSignal | undefined,
    take: (index: number, answer: ReturnType<Question<Answer>["read"]>) => void,
  ): Promise<boolean> {
    if (this.#interrupted(signal)) return false;
    const cached = await this.#rewind(ids, from - 1);
    const unscored = await this.#prefill(ids.slice(0, from - 1), cached, signal);
    if (unscored === undefined) return false;
    let pending: Parameters<LlamaContextSequence["controlledEvaluate"]>[0] = unscored as Token[];
    for (let at = from; at < ids.length; at += scoreBlock) {
      if (this.#interrupted(signal)) return false;
      const block = ids.slice(at, at + scoreBlock).map((_, i) => questions[at - from + i]);
      const asked = block.map((question, i) => question?.item(ids[at + i - 1]!) ?? (ids[at + i - 1] as Token));
      const items = [...pending, ...asked];
      const outputs = await this.#native(() => this.#sequence.controlledEvaluate(items, { contextShift: neverShift }));
      for (const [i, question] of block.entries())
        if (question !== undefined) take(at - from + i, question.read(outputs[pending.length + i]!.next));
      pending = [];
    }
    return true;
  }

  #interrupted(signal: AbortSignal | undefined): boolean {
    return this.#closed !== undefined || signal?.aborted === true;
  }

  /** Every call into llama.cpp: closing waits for it, and its failure carries llama.cpp's own words. */
  async #native<T>(call: () => Promise<T>): Promise<T> {
    const running = call();
    this.#nativeCall = running;
    try {
      return await running;
    } catch (cause) {
      throw this.#failure(cause);
    }
  }

  #failure(cause: unknown): TitoError {
    const log = this.#parts.takeErrorLog();
    const reason = [cause instanceof Error ? cause.message : String(cause), ...log].join("; ");
    return new TitoError(
      "sampler_failed",
      `llama.cpp could not go on: ${reason}. Close this session and open another.`,
      {
        details: { log },
        cause,
      },
    );
  }
}
