import { type AllIds, nativeTopK } from "../chain.ts";
import type { TokenLogprob } from "../types.ts";
import { likeliest, type Question, question } from "./question.ts";

/** One position's log-probabilities in the model's own distribution. */
export interface PositionScore {
  readonly logprob: number;
  readonly top: readonly TokenLogprob[];
}

/** Asks what the model itself says about `id`. A greedy chain leaves the logits as they are: 2 ms for 151,936 ids. */
export function rawScore(id: number, top: number, allIds: AllIds): Question<PositionScore> {
  const options = { temperature: 0, topK: nativeTopK(0, allIds), topP: 1, minP: 0 };
  return question<PositionScore>({ tokens: [id], top, options }, ({ logits, logTotal }) => ({
    logprob: logits.get(id)! - logTotal,
    top: likeliest(logits)
      .slice(0, top)
      .map(([other, logit]) => ({ id: other, logprob: logit - logTotal })),
  }));
}
