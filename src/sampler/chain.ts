import type { LlamaGrammarEvaluationState, LlamaModel, SequenceEvaluateOptions, Token } from "node-llama-cpp";
import type { GrammarFollower } from "./heldGrammar.ts";
import type { NativeModule } from "./native.ts";
import type { SamplePlan } from "./options.ts";

/** node-llama-cpp shifts a full context silently, which would drop ids of the prompt. Sampling stops before that; this is the guard. */
export const neverShift = {
  strategy(): never {
    throw new Error("context is full");
  },
};

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
  /** The sampled ids must be evaluated again for what was asked for. */
  readonly needsScore: boolean;
}

export function logprobSources(plan: SamplePlan, vocabSize: number): LogprobSources {
  const greedy = plan.temperature === 0;
  const allKept = plan.topK === 0 || plan.topK === vocabSize;
  const confidenceIsRaw = keepsModelDistribution(plan) && (greedy || (plan.temperature === 1 && allKept));
  return {
    askConfidence: !greedy || (plan.rawLogprobs && confidenceIsRaw),
    confidenceIsRaw,
    needsScore: plan.topLogprobs > 0 || (plan.rawLogprobs && !confidenceIsRaw),
  };
}

/** Beside a grammar nothing may be infinitely unlikely: see `refuseBesideGrammar`. An id with this bias is drawn if there is no other. */
const bannedLogit = -1e9;

/** A grammar under way. */
export interface StartedGrammar {
  readonly state: LlamaGrammarEvaluationState;
  readonly named: readonly number[];
  readonly follower: GrammarFollower;
}

/**
 * The plan in node-llama-cpp's terms. Every field is set, because its own defaults filter (topK 40, topP 0.95).
 * `history` is read at every step: prompt and sampled ids so far.
 */
export function nativeOptions(
  plan: SamplePlan,
  module: NativeModule,
  model: LlamaModel,
  history: readonly number[],
  grammar?: StartedGrammar,
): SequenceEvaluateOptions {
  const options: SequenceEvaluateOptions = {
    temperature: plan.temperature,
    topK: plan.topK,
    topP: plan.topP,
    minP: plan.minP,
    seed: plan.seed,
    yieldEogToken: true,
    contextShift: neverShift,
  };
  if (grammar !== undefined) options.grammarEvaluationState = grammar.state;
  if (plan.xtc !== undefined) options.xtc = plan.xtc;
  if (hasPenalties(plan))
    options.repeatPenalty = {
      punishTokens: () => history.slice(-plan.penaltyWindow) as Token[],
      maxPunishTokens: Math.min(plan.penaltyWindow, model.trainContextSize),
      penalty: plan.repeatPenalty,
      frequencyPenalty: plan.frequencyPenalty,
      presencePenalty: plan.presencePenalty,
    };
  if (plan.dry !== undefined)
    options.dryRepeatPenalty = {
      strength: plan.dry.strength,
      base: plan.dry.base,
      allowedLength: plan.dry.allowedLength,
      // Its own way to say "all of them" (null) switches DRY off without a word.
      lastTokens: Math.min(plan.dry.window, model.trainContextSize),
      sequenceBreakers: [...plan.dry.sequenceBreakers],
    };
  if (plan.logitBias.size > 0 || (grammar && grammar.named.length > 0)) {
    const bias = new module.TokenBias(model.tokenizer);
    const given = grammar ? softened : (logit: number) => logit;
    for (const [id, logit] of plan.logitBias) bias.set(id as Token, { logit: given(logit) });
    options.tokenBias = () => {
      for (const id of grammar?.named ?? []) {
        const logit = grammar!.follower.allows(id) ? softened(plan.logitBias.get(id) ?? 0) : bannedLogit;
        bias.set(id as Token, { logit });
      }
      return bias;
    };
  }
  return options;
}

const softened = (logit: number): number => Math.min(-bannedLogit, Math.max(bannedLogit, logit));

/** Whether a bias is a ban, as it was given. */
export const isBan = (logit: number | undefined): boolean => logit !== undefined && logit <= bannedLogit;
