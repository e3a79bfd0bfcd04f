import { getLlama, type LlamaContextSequence, LlamaLogLevel, type Token } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sampler, SamplingOptions, Session } from "../../src/sampler/index.ts";
import { errorOf, furthest, modelPath, open, prompt, vocabSize } from "./fixture.ts";

let sampler: Sampler;
let session: Session;
let native: { sequence: LlamaContextSequence; dispose: () => Promise<void> };
beforeAll(async () => {
  sampler = await open({ sequences: 2 });
  session = await sampler.session();
  const llama = await getLlama({ gpu: false, build: "never", maxThreads: 1, logLevel: LlamaLogLevel.error });
  const context = await (await llama.loadModel({ modelPath })).createContext({ contextSize: 256 });
  native = { sequence: context.getSequence(), dispose: () => llama.dispose() };
});
afterAll(async () => {
  await sampler?.close();
  await native?.dispose();
});

/** The model's logits after the ids, by id; straight from node-llama-cpp. */
async function logitsAfter(ids: readonly number[]): Promise<Float64Array> {
  const { sequence } = native;
  await sequence.adaptStateToTokens(ids.slice(0, -1) as Token[], false);
  const pending = ids.slice(sequence.nextTokenIndex) as Token[];
  const outputs = await sequence.controlledEvaluate([
    ...pending.slice(0, -1),
    [pending.at(-1)!, { generateNext: { logits: true, options: { temperature: 0 } } }],
  ]);
  const logits = new Float64Array(vocabSize);
  for (const [id, logit] of outputs.at(-1)!.next.logits!) logits[id] = logit;
  return logits;
}

/** The documented chain, in its order, by brute force: log-probabilities of the ids that are left. */
function distribution(logits: Float64Array, history: readonly number[], options: SamplingOptions): Map<number, number> {
  const shaped = Float64Array.from(logits);
  for (const [id, bias] of Object.entries(options.logitBias ?? {})) shaped[Number(id)]! += bias;
  const { repeatPenalty = 1, frequencyPenalty = 0, presencePenalty = 0, penaltyWindow = 64 } = options;
  const counts = new Map<number, number>();
  for (const id of history.slice(-penaltyWindow)) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const [id, count] of counts) {
    shaped[id]! *= shaped[id]! > 0 ? 1 / repeatPenalty : repeatPenalty;
    shaped[id]! -= count * frequencyPenalty + presencePenalty;
  }
  let left = Array.from(shaped, (logit, id) => ({ id, logit })).sort((a, b) => b.logit - a.logit);
  if (options.topK) left = left.slice(0, options.topK);
  if (options.topP !== undefined) {
    const logTotal = logSumExp(left.map(({ logit }) => logit));
    let sum = 0;
    const enough = left.findIndex(({ logit }) => {
      sum += Math.exp(logit - logTotal);
      return sum >= options.topP!;
    });
    if (enough >= 0) left = left.slice(0, enough + 1);
  }
  if (options.minP) left = left.filter(({ logit }) => logit >= left[0]!.logit + Math.log(options.minP!));
  const scaled = left.map(({ id, logit }) => ({ id, logit: logit / (options.temperature ?? 1) }));
  const logTotal = logSumExp(scaled.map(({ logit }) => logit));
  return new Map(scaled.map(({ id, logit }) => [id, logit - logTotal]));
}

function logSumExp(values: readonly number[]): number {
  const largest = values.reduce((a, b) => Math.max(a, b));
  return largest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - largest), 0));
}

/** The model's own log-probability of an id. */
function rawLogprob(logits: Float64Array, id: number): number {
  const largest = logits.reduce((a, b) => Math.max(a, b));
  return logits[id]! - largest - Math.log(logits.reduce((sum, value) => sum + Math.exp(value - largest), 0));
}

const close = 1e-4;
// Over the whole vocabulary of this model, in which most rows are equal, llama.cpp's 32-bit sum of the weights drifts.
const drift = 2e-2;

const settings: readonly [tolerance: number, SamplingOptions][] = [
  [close, {}],
  [drift, { temperature: 2.5 }],
  [close, { temperature: 0.7, topK: 20 }],
  [close, { temperature: 1.5, topP: 0.9 }],
  [close, { temperature: 3, minP: 0.0001 }],
  [close, { temperature: 2, topK: 50, topP: 0.99, minP: 0.001, logitBias: { 24: 4, 25: -3 } }],
  [close, { temperature: 2, topK: 500, repeatPenalty: 1.3, frequencyPenalty: 0.4, presencePenalty: 0.7 }],
  [close, { temperature: 2, topK: 500, repeatPenalty: 1.3, frequencyPenalty: 0.5, penaltyWindow: 2 }],
];

describe("log-probabilities", () => {
  it.each(settings)("are those of the documented chain, within %d: %o", async (tolerance, options) => {
    const { ids, logprobs, rawLogprobs } = await session.complete(prompt, {
      ...options,
      maxTokens: 3,
      seed: 21,
      stop: [],
      rawLogprobs: true,
    });
    const all = [...prompt, ...ids];
    for (const [i, id] of ids.entries()) {
      const before = all.slice(0, prompt.length + i);
      const logits = await logitsAfter(before);
      const chain = distribution(logits, before, options);
      expect(chain.has(id)).toBe(true);
      expect(Math.abs(logprobs[i]! - chain.get(id)!)).toBeLessThan(tolerance);
      expect(Math.abs(rawLogprobs![i]! - rawLogprob(logits, id))).toBeLessThan(5e-4);
    }
  });

  it("draw ids as often as they say", async () => {
    const options = { topK: 4, temperature: 8, maxTokens: 1, stop: [] };
    const chain = distribution(await logitsAfter(prompt), prompt, options);
    const draws = 400;
    const counts = new Map<number, number>();
    for (let seed = 0; seed < draws; seed++) {
      const { ids } = await session.complete(prompt, { ...options, seed });
      counts.set(ids[0]!, (counts.get(ids[0]!) ?? 0) + 1);
    }
    for (const [id, logprob] of chain) {
      const p = Math.exp(logprob);
      const deviation = Math.sqrt((p * (1 - p)) / draws);
      expect(Math.abs((counts.get(id) ?? 0) / draws - p)).toBeLessThan(4.5 * deviation);
    }
  });

  it("are 0 at temperature 0, where the likeliest id is taken", async () => {
    const greedy = { temperature: 0, maxTokens: 8, stop: [] };
    const completion = await session.complete(prompt, { ...greedy, topLogprobs: 3, rawLogprobs: true });
    expect([...completion.logprobs]).toEqual(new Array(8).fill(0));
    for (const [i, top] of completion.topLogprobs!.entries()) {
      expect(top).toHaveLength(3);
      expect(top[0]!.id).toBe(completion.ids[i]);
      expect(Math.abs(top[0]!.logprob - completion.rawLogprobs![i]!)).toBeLessThan(1e-5);
      expect(top[0]!.logprob).toBeGreaterThanOrEqual(top[1]!.logprob);
    }
    const free = await session.complete(prompt, { ...greedy, rawLogprobs: true });
    expect(furthest(free.rawLogprobs!, completion.rawLogprobs!)).toBeLessThan(1e-5);
  });

  it("cover the vocabulary when all are asked for", async () => {
    const { topLogprobs } = await session.complete(prompt, { maxTokens: 1, topLogprobs: vocabSize });
    expect(topLogprobs![0]).toHaveLength(vocabSize);
    const sum = topLogprobs![0]!.reduce((total, { logprob }) => total + Math.exp(logprob), 0);
    expect(Math.abs(sum - 1)).toBeLessThan(1e-4);
  });
});

describe("scoring", () => {
  it("gives the raw log-probabilities of a filtered completion again", async () => {
    const options = { temperature: 0.7, topK: 20, maxTokens: 40, seed: 2, stop: [], rawLogprobs: true, topLogprobs: 2 };
    const completion = await session.complete(prompt, options);
    await using fresh = await sampler.session();
    const score = await fresh.score([...prompt, ...completion.ids], { from: prompt.length, topLogprobs: 2 });
    expect(furthest(score.logprobs, completion.rawLogprobs!)).toBeLessThan(1e-3);
    expect(score.topLogprobs!.map((top) => top[0]!.id)).toEqual(completion.topLogprobs!.map((top) => top[0]!.id));
    expect(score).toMatchObject({ reusedTokens: 0, evaluatedTokens: prompt.length + 39 });
    const again = await fresh.score([...prompt, ...completion.ids], { from: prompt.length + 30 });
    expect(again).toMatchObject({ reusedTokens: prompt.length + 29, evaluatedTokens: 10 });
    expect(furthest(again.logprobs, score.logprobs.subarray(30))).toBeLessThan(1e-3);
  });

  it("equals the sampling log-probabilities where nothing filters", async () => {
    const completion = await session.complete(prompt, { maxTokens: 6, seed: 9, stop: [], rawLogprobs: true });
    expect(completion.rawLogprobs).toEqual(completion.logprobs);
    const score = await session.score([...prompt, ...completion.ids], { from: prompt.length });
    expect(furthest(score.logprobs, completion.logprobs)).toBeLessThan(1e-3);
  });

  it("scores every id but the first by default, and refuses another range", async () => {
    expect((await session.score(prompt)).logprobs).toHaveLength(prompt.length - 1);
    expect((await session.score(prompt, { from: prompt.length })).logprobs).toHaveLength(0);
    for (const from of [0, 1.5, prompt.length + 1])
      expect((await errorOf(() => session.score(prompt, { from }))).code).toBe("sampler_option");
    expect((await errorOf(() => session.score(prompt, { signal: AbortSignal.abort() }))).code).toBe("aborted");
  });
});
