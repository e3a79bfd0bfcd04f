/** One id and its natural log-probability. */
export interface TokenLogprob {
  readonly id: number;
  readonly logprob: number;
}

/**
 * Why sampling ended. `"stop"`: a stop id was sampled. `"length"`: `maxTokens` were sampled. `"context_full"`: the sequence has
 * no cell left for another token. `"aborted"`: the signal fired, or the session was closed; what was sampled until then is kept.
 * `"grammar_end"`: the grammar's text is complete, and the model drew one of its end ids, which is not in `stop`. That id is not
 * among the sampled ones: they are the grammar's text. `"grammar_stuck"`: what the grammar allows is banned by `logitBias`; nothing
 * more could be drawn.
 */
export type FinishReason = "stop" | "length" | "context_full" | "aborted" | "grammar_end" | "grammar_stuck";

/**
 * What became of a grammar. `"dormant"`: no trigger came. `"complete"`: what it began it could end. `"grammar_incomplete"`: sampling
 * ended in the middle of its text.
 */
export type GrammarOutcome = "dormant" | "complete" | "grammar_incomplete";

/**
 * Which distribution `logprobs` are of.
 * - `"chain"`: that of the sampling options; there was no grammar
 * - `"grammar_first"`: the same over what the grammar allows
 * - `"check_then_resample"`: the chain's, and where the grammar refused its draw, the chain's over what the grammar allows: with p and
 *   q those two and Z what of p the grammar allows, p(id) + (1 − Z) q(id)
 * - `"off"`: not computed, all NaN; asked for so, or the signal fired first
 */
export type LogprobsMode = "chain" | "grammar_first" | "check_then_resample" | "off";

/** One sampled token. */
export interface SampleStep {
  readonly id: number;
  /** Log-probability of `id` in the distribution it was drawn from, see {@link LogprobsMode}. 0 at temperature 0. */
  readonly logprob: number;
  /** `"greedy"`: the likeliest id was taken. `"inserted"`: it was not drawn, but put in by `reasoningBudget`. */
  readonly how: "drawn" | "greedy" | "inserted";
  /** The grammar allowed no other id. */
  readonly isForced: boolean;
  /** Log-probability of `id` in the model's own distribution. Present when `rawLogprobs` was asked for. */
  readonly rawLogprob?: number;
  /** The likeliest ids of the model's own distribution, likeliest first. Present when `topLogprobs` was asked for. */
  readonly topLogprobs?: readonly TokenLogprob[];
}

/** What is known when sampling ends. */
export interface SampleEnd {
  readonly finish: FinishReason;
  /** The stop id that was sampled; set exactly when `finish` is `"stop"`. */
  readonly stopId?: number;
  /** Present when there was a grammar. */
  readonly grammar?: GrammarOutcome;
  /**
   * How often a trigger came whose last token goes on with text that the grammar does not take: it slept on. Present for a lazy one.
   */
  readonly refusedTriggers?: number;
  /** The seed used: the given one, or the one drawn for this call. The same seed and prompt give the same ids again. */
  readonly seed: number;
  /** Prompt ids whose keys and values were taken from the cache. */
  readonly reusedTokens: number;
  /**
   * Prompt ids that the model had to evaluate, as the native side counted them. `reusedTokens + evaluatedTokens` is the prompt's
   * length; after an abort within a long prompt it is less.
   */
  readonly evaluatedTokens: number;
}

/** A completion. All columns have the length of `ids`. */
export interface Completion extends SampleEnd {
  /** The sampled ids. A stop id is the last of them: the model sampled it. */
  readonly ids: Int32Array;
  /** Log-probability of every id in the distribution it was drawn from. 0 where it was taken greedily, forced or inserted. */
  readonly logprobs: Float64Array;
  readonly logprobsMode: LogprobsMode;
  /** 1 where the likeliest id was taken: it carries no gradient. */
  readonly greedyMask: Uint8Array;
  /** 1 where the grammar allowed no other id: it carries no gradient. */
  readonly forcedMask: Uint8Array;
  /** 1 where the id was put in by `reasoningBudget`: the model did not choose it, and a loss leaves it out. */
  readonly insertedMask: Uint8Array;
  /**
   * Log-probability of every id in the model's own distribution: temperature 1, no bias, penalty or filter.
   * Present when `rawLogprobs` was asked for, unless the signal fired before they were computed.
   */
  readonly rawLogprobs?: Float64Array;
  /**
   * The likeliest ids of the model's own distribution at every position, likeliest first.
   * Present when `topLogprobs` was asked for, unless the signal fired before they were computed.
   */
  readonly topLogprobs?: readonly (readonly TokenLogprob[])[];
}

/** Log-probabilities of given ids in the model's own distribution; all columns have the length `ids.length - from`. */
export interface Score {
  readonly logprobs: Float64Array;
  /** Present when `topLogprobs` was asked for. */
  readonly topLogprobs?: readonly (readonly TokenLogprob[])[];
  readonly reusedTokens: number;
  readonly evaluatedTokens: number;
}

/** What the model file says about the model. */
export interface SamplerModelInfo {
  /** `general.name` of the file. */
  readonly name: string | undefined;
  /** llama.cpp's name of the architecture, `"qwen3"` say. */
  readonly architecture: string;
  /** Number of ids; ids run from 0 to `vocabSize - 1`. */
  readonly vocabSize: number;
  /** Positions the model was trained on. */
  readonly trainContextSize: number;
  readonly bosId: number | undefined;
  readonly eosId: number | undefined;
  /**
   * Every id which llama.cpp counts as an end of generation, ascending. It goes by the spelling of tokens, so that a model may list
   * more here than its template ever uses (`<|repo_name|>`, `<|file_sep|>` for Qwen).
   */
  readonly eogIds: readonly number[];
  /** The Jinja chat template in the file. */
  readonly chatTemplate: string | undefined;
}

/** What evaluates: the CPU (`false`), or the prebuilt binary for a kind of GPU. `"auto"` takes the best that is installed. */
export type Gpu = false | "auto" | "metal" | "cuda" | "vulkan";
