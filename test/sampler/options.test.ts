import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sampler, Session } from "../../src/sampler/index.ts";
import { planSampling } from "../../src/sampler/options.ts";
import { endOfTurn, errorOf, open, prompt } from "./fixture.ts";

const limits = { vocabSize: 1000, eogIds: [7, 9] };
const refusal = (options: object) => errorOf(() => planSampling(options, limits));

describe("refused options", () => {
  it.each([
    "mirostat",
    "mirostatTau",
    "typicalP",
    "typical_p",
    "tfs",
    "tfsZ",
    "topNSigma",
    "dynatempRange",
    "min_tokens",
  ])("%s, which the native API does not have, by name", async (name) => {
    const error = await refusal({ [name]: 1 });
    expect(error.code).toBe("sampler_option");
    expect(error.message).toContain(name);
    expect(error.message).toContain("public API does not have it");
  });

  it("unknown ones, with the name that was meant", async () => {
    expect((await refusal({ top_k: 1 })).message).toContain("topK");
    expect((await refusal({ nonsense: 1 })).message).toContain("temperature");
    expect((await refusal({ dry: { strength: 1, lastTokens: 3 } })).message).toContain("dry.lastTokens");
    expect((await refusal({ xtc: { probability: 1, threshold: 0.1, seed: 3 } })).message).toContain("xtc.seed");
  });

  it.each([
    ...[{ temperature: -1 }, { temperature: Number.NaN }, { temperature: 1e-9 }, { temperature: "1" }],
    ...[{ topK: -1 }, { topK: 1.5 }, { topP: 0 }, { topP: 1.1 }, { minP: -0.1 }, { minP: 2 }],
    ...[{ repeatPenalty: 0 }, { frequencyPenalty: Number.POSITIVE_INFINITY }, { presencePenalty: Number.NaN }],
    ...[{ penaltyWindow: 0 }, { maxTokens: 0 }, { maxTokens: -3 }, { topLogprobs: -1 }, { topLogprobs: 1001 }],
    ...[{ seed: -1 }, { seed: 0xffffffff }, { seed: 0.5 }, { rawLogprobs: 1 }, { signal: {} }, { logitBias: 3 }],
    ...[{ logitBias: { 5: Number.NaN } }, { logitBias: { 5: Number.POSITIVE_INFINITY } }],
    ...[
      { dry: {} },
      { dry: { strength: -1 } },
      { dry: { strength: 1, base: 0.5 } },
      { dry: { strength: 1, window: 0 } },
    ],
    ...[{ dry: { strength: 1, allowedLength: 0 } }, { dry: { strength: 1, sequenceBreakers: "x" } }, { dry: true }],
    ...[{ xtc: { probability: 2, threshold: 0.1 } }, { xtc: { probability: 1, threshold: 0.6 } }, { xtc: {} }],
  ])("a value that is none: %o", async (options) => {
    const error = await refusal(options);
    expect(error.code).toBe("sampler_option");
    expect(error.message).toContain(Object.keys(options)[0]);
  });

  it("a bias that the native side would ignore", async () => {
    const error = await refusal({ logitBias: { 7: -1 } });
    expect(error.code).toBe("sampler_option");
    expect(error.message).toContain("end-of-generation");
    expect((await refusal({ logitBias: { 1000: 1 } })).code).toBe("token_out_of_range");
  });
});

it("defaults are neutral", () => {
  expect(planSampling({}, limits)).toMatchObject({
    ...{ temperature: 1, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, frequencyPenalty: 0, presencePenalty: 0 },
    ...{ dry: undefined, xtc: undefined, maxTokens: Number.POSITIVE_INFINITY, stop: new Set([7, 9]) },
  });
});

describe("options reach the native sampler", () => {
  let sampler: Sampler;
  let session: Session;
  beforeAll(async () => {
    sampler = await open();
    session = await sampler.session();
  });
  afterAll(() => sampler?.close());

  const greedy = { temperature: 0, stop: [], maxTokens: 8 };
  const sampled = async (options: object) => [...(await session.complete(prompt, { ...greedy, ...options })).ids];

  it("logitBias adds to the logits, and bans", async () => {
    expect(await sampled({ logitBias: new Map([[24, 1000]]) })).toEqual(new Array(8).fill(24));
    const [first] = await sampled({ maxTokens: 1 });
    if (first !== endOfTurn)
      expect(await sampled({ logitBias: { [first!]: Number.NEGATIVE_INFINITY } })).not.toContain(first);
  });

  it("penalties look at their window", async () => {
    const bias = { logitBias: { 24: 1000 } };
    const once = await sampled({ ...bias, presencePenalty: 5000 });
    expect(once.filter((id) => id === 24)).toHaveLength(1);
    const everyOther = await sampled({ ...bias, frequencyPenalty: 5000, penaltyWindow: 1 });
    expect(everyOther.map((id) => id === 24)).toEqual([true, false, true, false, true, false, true, false]);
    const everyThird = await sampled({ ...bias, frequencyPenalty: 5000, penaltyWindow: 2, maxTokens: 6 });
    expect(everyThird.map((id) => id === 24)).toEqual([true, false, false, true, false, false]);
  });

  it("dry breaks a repeat that is longer than allowed", async () => {
    const bias = { logitBias: { 24: 1000 } };
    const dry = { strength: 5000, sequenceBreakers: [] };
    const broken = (ids: readonly number[]) => ids.findIndex((id) => id !== 24);
    const short = broken(await sampled({ ...bias, dry }));
    const long = broken(await sampled({ ...bias, dry: { ...dry, allowedLength: 4 } }));
    expect(short).toBeGreaterThan(0);
    expect(long).toBeGreaterThan(short);
    expect(broken(await sampled({ ...bias, dry: { ...dry, strength: 0 } }))).toBe(-1);
  });

  it("xtc drops all but the least likely id above its threshold", async () => {
    const { topLogprobs } = await session.complete(prompt, { ...greedy, maxTokens: 1, topLogprobs: 3 });
    const [, second, third] = topLogprobs![0]!;
    const threshold = Math.exp((second!.logprob + third!.logprob) / 2);
    expect(await sampled({ maxTokens: 1, xtc: { probability: 1, threshold } })).toEqual([second!.id]);
    expect(await sampled({ maxTokens: 1, xtc: { probability: 0, threshold } })).not.toEqual([second!.id]);
  });
});
