import type { ControlledEvaluateIndexOutput, ControlledEvaluateInputItem, Token } from "node-llama-cpp";
import type { TokenLogprob } from "./types.ts";

/** One position's log-probabilities in the model's own distribution. */
export interface PositionScore {
  readonly logprob: number;
  readonly top: readonly TokenLogprob[];
}

/**
 * Evaluates `token` and reads what the model says about `next`.
 *
 * The greedy chain leaves the logits as they are, and the id it selects is the one with the maximum, which the weights are relative
 * to (`includeMax` gives it only when it is also asked for by id). Without the top, the addon does not sort the logits: 2 ms instead
 * of 15 ms for 151,936 ids, and its 32-bit sum of the weights is even more exact in vocabulary order.
 */
export function scoringItem(token: number, next: number, top: number): ControlledEvaluateInputItem {
  return [
    token as Token,
    {
      generateNext: {
        logits: { filter: { tokens: [next as Token], includeSelected: true, includeTop: top } },
        totalLogitWeight: true,
        options: { temperature: 0, topK: 0, topP: 1, minP: 0 },
      },
    },
  ];
}

/** Reads the answer to {@link scoringItem}. */
export function readScore(output: ControlledEvaluateIndexOutput, next: number, top: number): PositionScore {
  const { logits, totalLogitWeight } = output.next;
  if (logits === undefined || totalLogitWeight === undefined || !logits.has(next as Token))
    throw new Error("the native sampler returned no logits");
  const sorted = [...logits].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const logTotal = sorted[0]![1] + Math.log(totalLogitWeight);
  return {
    logprob: logits.get(next as Token)! - logTotal,
    top: sorted.slice(0, top).map(([id, logit]) => ({ id, logprob: logit - logTotal })),
  };
}
