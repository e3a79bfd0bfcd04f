import type { SamplePlan } from "../options.ts";

/** An id and its logit: biased and penalised, at temperature 1. */
export type Candidate = readonly [id: number, logit: number];

/**
 * What top-k, top-p and min-p leave of candidates (the likeliest first), as llama.cpp does it with 32-bit numbers, and the
 * probabilities at the plan's temperature. `keep` is kept even so.
 */
export function filtered(
  candidates: readonly Candidate[],
  { topK, topP, minP, temperature }: Pick<SamplePlan, "topK" | "topP" | "minP" | "temperature">,
  keep?: Candidate,
): Map<number, number> {
  let kept = topK > 0 ? candidates.slice(0, topK) : candidates;
  if (topP < 1) kept = kept.slice(0, mass(kept, topP));
  if (minP > 0 && kept.length > 0) {
    const least = Math.fround(kept[0]![1] + Math.fround(Math.log(Math.fround(minP))));
    kept = kept.filter(([, logit], i) => i === 0 || logit >= least);
  }
  if (keep !== undefined && !kept.some(([id]) => id === keep[0])) kept = [...kept, keep];
  const highest = kept[0]?.[1] ?? 0;
  const weights = kept.map(([, logit]) => Math.exp((logit - highest) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return new Map(kept.map(([id], i) => [id, weights[i]! / total]));
}

/** How many of the first candidates reach a probability together. */
function mass(candidates: readonly Candidate[], topP: number): number {
  const highest = candidates[0]![1];
  const weights = candidates.map(([, logit]) => Math.fround(Math.exp(Math.fround(logit - highest))));
  let total = 0;
  for (const weight of weights) total = Math.fround(total + weight);
  const least = Math.fround(topP);
  let sum = 0;
  for (const [i, weight] of weights.entries()) {
    sum = Math.fround(sum + Math.fround(weight / total));
    if (sum >= least) return i + 1;
  }
  return candidates.length;
}
