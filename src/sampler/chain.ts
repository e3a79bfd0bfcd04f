import type { LlamaModel, SequenceEvaluateOptions, Token, TokenBias } from "node-llama-cpp";
import { softened } from "./bias.ts";
import type { NativeModule } from "./native.ts";
import type { SamplePlan } from "./options.ts";
import type { Chain, Steering } from "./steering.ts";

/** node-llama-cpp shifts a full context silently, which would drop ids of the prompt. Sampling stops before that; this is the guard. */
export const neverShift = {
  strategy(): never {
    throw new Error("context is full");
  },
};

/** A model as chains need it. */
export interface ChainModel {
  readonly module: NativeModule;
  readonly model: LlamaModel;
  /** What node-llama-cpp takes for "keep all ids", see `keepAllIds`. */
  readonly allIds: AllIds;
}

/**
 * A top-k of 0 sorts the whole vocabulary and keeps all of it; with null, the step is left out of the chain: 3 ms instead of 11 ms
 * a token over 151,936 ids. Null is not documented, so that a model is asked once whether it works.
 */
export type AllIds = 0 | null;

/** `topK` in node-llama-cpp's terms. */
export const nativeTopK = (topK: number, allIds: AllIds): number => (topK === 0 ? (allIds as number) : topK);

/** No filter leaves ids out. */
export const keepsAll = (plan: SamplePlan, vocabSize: number): boolean =>
  (plan.topK === 0 || plan.topK === vocabSize) && plan.topP === 1 && plan.minP === 0 && plan.xtc === undefined;

/** No grammar, bias, penalty, filter or coin changes which distribution the temperature is applied to. */
function keepsModelDistribution(plan: SamplePlan): boolean {
  return (
    plan.grammar === undefined &&
    plan.logitBias.size === 0 &&
    !hasPenalties(plan) &&
    plan.dry === undefined &&
    plan.xtc === undefined &&
    plan.topP === 1 &&
    plan.minP === 0
  );
}

function hasPenalties(plan: SamplePlan): boolean {
  return plan.repeatPenalty !== 1 || plan.frequencyPenalty !== 0 || plan.presencePenalty !== 0;
}

/** How the log-probabilities of a plan are come by. */
export interface LogprobSources {
  /** Ask the native sampler for the drawn id's probability; not needed at temperature 0, where it is 1. */
  readonly askConfidence: boolean;
  /**
   * The native confidence is the model's own probability: for neutral options, and at temperature 0, where llama.cpp takes the
   * likeliest id without touching the logits.
   */
  readonly confidenceIsRaw: boolean;
  /** The sampled ids must be evaluated again for the model's own distribution. */
  readonly scoresRaw: boolean;
  /** The sampled ids must be evaluated again for the distribution that they were drawn from. */
  readonly scoresDraws: boolean;
}

/**
 * Asking for the probability makes node-llama-cpp apply a grammar first, to the whole vocabulary. Where that is not wanted, ids are
 * drawn without and scored afterwards.
 */
export function logprobSources(plan: SamplePlan, vocabSize: number): LogprobSources {
  const greedy = plan.temperature === 0;
  const checksFirst = plan.grammar !== undefined && !plan.grammarFirst;
  const swaps = (plan.segments?.greedy ?? "off") !== "off" || plan.reasoningBudget !== Number.POSITIVE_INFINITY;
  const allKept = plan.topK === 0 || plan.topK === vocabSize;
  const confidenceIsRaw = keepsModelDistribution(plan) && !swaps && (greedy || (plan.temperature === 1 && allKept));
  const wantsConfidence = greedy ? plan.rawLogprobs && confidenceIsRaw : plan.logprobs || plan.rawLogprobs;
  return {
    askConfidence: (wantsConfidence || plan.grammarFirst) && !checksFirst,
    confidenceIsRaw,
    scoresRaw: plan.topLogprobs > 0 || (plan.rawLogprobs && !confidenceIsRaw),
    scoresDraws: plan.logprobs && checksFirst && !greedy,
  };
}

/** The penalties for what follows `history`, in node-llama-cpp's terms; undefined where there are none. */
export function nativePenalties(
  plan: SamplePlan,
  model: LlamaModel,
  history: () => readonly number[],
): SequenceEvaluateOptions["repeatPenalty"] {
  if (!hasPenalties(plan)) return undefined;
  return {
    punishTokens: () => history().slice(-plan.penaltyWindow) as Token[],
    maxPunishTokens: Math.min(plan.penaltyWindow, model.trainContextSize),
    penalty: plan.repeatPenalty,
    frequencyPenalty: plan.frequencyPenalty,
    presencePenalty: plan.presencePenalty,
  };
}

/** The bias of a plan, to which bans and shifts may be added; undefined where there is none and `more` is empty. */
export function nativeBias(
  plan: SamplePlan,
  { module, model }: ChainModel,
  more: Iterable<readonly [number, number]> = [],
): TokenBias | undefined {
  const bias = new module.TokenBias(model.tokenizer);
  const given = plan.grammar ? softened : (logit: number) => logit;
  let isEmpty = true;
  const set = (id: number, logit: number) => {
    bias.set(id as Token, { logit });
    isEmpty = false;
  };
  for (const [id, logit] of plan.logitBias) set(id, given(logit));
  for (const [id, logit] of more) set(id, softened(logit + (plan.logitBias.get(id) ?? 0)));
  return isEmpty ? undefined : bias;
}

/**
 * The plan in node-llama-cpp's terms, for one of its two chains; they differ in how an id is chosen from the same logits. Every field
 * is set, because its own defaults filter (topK 40, topP 0.95). `history` (prompt and completion so far) and `steering` are read at
 * every step.
 */
export function nativeOptions(
  plan: SamplePlan,
  chain: Chain,
  native: ChainModel,
  history: readonly number[],
  steering: Steering,
): SequenceEvaluateOptions {
  const isOwn = chain === "own";
  const options: SequenceEvaluateOptions = {
    temperature: isOwn ? plan.temperature : 0,
    topK: nativeTopK(isOwn ? plan.topK : 0, native.allIds),
    topP: isOwn ? plan.topP : 1,
    minP: isOwn ? plan.minP : 0,
    seed: plan.seed,
    yieldEogToken: true,
    contextShift: neverShift,
  };
  if (plan.grammar !== undefined) options.grammarEvaluationState = () => steering.state;
  if (plan.xtc !== undefined && isOwn) options.xtc = plan.xtc;
  const repeatPenalty = nativePenalties(plan, native.model, () => history);
  if (repeatPenalty !== undefined) options.repeatPenalty = repeatPenalty;
  if (plan.dry !== undefined)
    options.dryRepeatPenalty = {
      strength: plan.dry.strength,
      base: plan.dry.base,
      allowedLength: plan.dry.allowedLength,
      // Its own way to say "all of them" (null) switches DRY off without a word.
      lastTokens: Math.min(plan.dry.window, native.model.trainContextSize),
      sequenceBreakers: [...plan.dry.sequenceBreakers],
    };
  if (plan.grammar !== undefined || plan.logitBias.size > 0) {
    const fixed = nativeBias(plan, native);
    const none = new native.module.TokenBias(native.model.tokenizer);
    options.tokenBias = () => {
      const bias = [...steering.bias];
      return (bias.length === 0 ? fixed : nativeBias(plan, native, bias)) ?? none;
    };
  }
  return options;
}
