import type { LlamaContextSequence, LlamaModel, Token } from "node-llama-cpp";
import { TitoError } from "../errors.ts";
import { isBan, type LogprobSources, nativeOptions, neverShift, type StartedGrammar } from "./chain.ts";
import type { HeldGrammar } from "./heldGrammar.ts";
import type { NativeModule } from "./native.ts";
import type { SamplePlan } from "./options.ts";
import { type PositionScore, readScore, scoringItem } from "./score.ts";
import type { SampleEnd } from "./types.ts";

export interface SequenceParts {
  readonly module: NativeModule;
  readonly model: LlamaModel;
  readonly native: LlamaContextSequence;
  readonly takeErrorLog: () => readonly string[];
}

export interface DrawnToken {
  readonly id: number;
  readonly logprob: number;
  /** Log of llama.cpp's own figure, which is the raw one for some plans; NaN when it was not asked for. */
  readonly rawLogprob: number;
}

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

  /** Samples ids after the prompt, evaluating what of it is not cached. */
  async *draw(
    prompt: readonly number[],
    plan: SamplePlan,
    sources: LogprobSources,
    held: HeldGrammar | undefined,
  ): AsyncGenerator<DrawnToken, SampleEnd> {
    const before = this.evaluatedTokens;
    const usage = { seed: plan.seed, reusedTokens: 0, evaluatedTokens: 0 };
    const aborted = (): SampleEnd => ({ ...usage, finish: "aborted" });

    if (this.#interrupted(plan.signal)) return aborted();
    const grammar = held && (await this.#startGrammar(held));
    if (this.#interrupted(plan.signal)) return aborted();
    usage.reusedTokens = await this.#rewind(prompt, prompt.length - 1);
    const pending = await this.#prefill(prompt, usage.reusedTokens, plan.signal);
    usage.evaluatedTokens = this.evaluatedTokens - before;
    if (pending === undefined) return aborted();

    const ids = [...prompt];
    // The last sampled id is never evaluated, so it needs no cell.
    const room = this.contextSize - prompt.length;
    const { module, model } = this.#parts;
    const steps = this.#sequence.evaluateWithMetadata(
      pending as Token[],
      { confidence: sources.askConfidence },
      nativeOptions(plan, module, model, ids, grammar),
    );
    const take = grammar?.follower.take ?? ((id: number) => (plan.stop.has(id) ? "stop" : "on"));
    try {
      while (!this.#interrupted(plan.signal)) {
        const step = await this.#native(() => steps.next());
        if (step.done) throw this.#failure(new Error("the native sampler ended by itself"));
        const { token, confidence } = step.value as { token: number; confidence?: number };
        const sampled = ids.push(token) - prompt.length;
        if (sampled === 1) usage.evaluatedTokens = this.evaluatedTokens - before;
        if (held && isBan(plan.logitBias.get(token))) throw onlyBanned(token);
        const next = take(token);
        if (next === "end") return { ...usage, finish: "grammar_end" };
        const confidenceLog = confidence === undefined ? Number.NaN : Math.log(confidence);
        yield { id: token, logprob: plan.temperature === 0 ? 0 : confidenceLog, rawLogprob: confidenceLog };
        if (next === "stop") return { ...usage, finish: "stop", stopId: token };
        if (sampled >= plan.maxTokens) return { ...usage, finish: "length" };
        if (sampled >= room) return { ...usage, finish: "context_full" };
      }
      return aborted();
    } finally {
      await steps.return();
    }
  }

  async #startGrammar({ gbnf, root, named, follow }: HeldGrammar): Promise<StartedGrammar | undefined> {
    const { module, model } = this.#parts;
    try {
      const grammar = await model.llama.createGrammar({ grammar: gbnf, rootRuleName: root });
      if (this.closed) return undefined;
      return { state: new module.LlamaGrammarEvaluationState({ model, grammar }), named, follower: follow() };
    } catch (cause) {
      const reason = [cause instanceof Error ? cause.message : String(cause), ...this.#parts.takeErrorLog()].join("; ");
      throw new TitoError("gbnf_unsupported", `llama.cpp does not take the grammar: ${reason}. Write it more simply.`, {
        details: { gbnf },
        cause,
      });
    }
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

  /** Scores `ids[from]` and after. The cache then holds all ids but the last, as it does after sampling them. */
  async score(
    ids: readonly number[],
    from: number,
    top: number,
    signal: AbortSignal | undefined,
  ): Promise<PositionScore[] | undefined> {
    const scores: PositionScore[] = [];
    if (from === ids.length) return scores;
    if (this.#interrupted(signal)) return undefined;
    const cached = await this.#rewind(ids, from - 1);
    const unscored = await this.#prefill(ids.slice(0, from - 1), cached, signal);
    if (unscored === undefined) return undefined;
    let pending: Parameters<LlamaContextSequence["controlledEvaluate"]>[0] = unscored as Token[];
    for (let at = from; at < ids.length; at += scoreBlock) {
      if (this.#interrupted(signal)) return undefined;
      const nexts = ids.slice(at, at + scoreBlock);
      const items = [...pending, ...nexts.map((next, i) => scoringItem(ids[at + i - 1]!, next, top))];
      const outputs = await this.#native(() => this.#sequence.controlledEvaluate(items, { contextShift: neverShift }));
      for (const [i, next] of nexts.entries()) scores.push(readScore(outputs[pending.length + i]!, next, top));
      pending = [];
    }
    return scores;
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

function onlyBanned(id: number): TitoError {
  const message = `The grammar allows nothing here but ids that logitBias bans, like ${id}. Lift the ban, or change the grammar.`;
  return new TitoError("sampler_failed", message, { details: { id } });
}
