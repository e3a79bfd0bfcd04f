import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GbnfMatcher, gbnfMatcher, parseGbnf } from "../../src/gbnf/index.ts";
import {
  loadSampler,
  type SampleOptions,
  type Sampler,
  type Session,
  type TokenLogprob,
} from "../../src/sampler/index.ts";
import { tokenBytes } from "../../src/sampler/tokenBytes.ts";
import { tinyForward } from "../support/tinyForward.ts";
import { byteLevelVocabulary } from "../support/tinyVocabulary.ts";
import { writeTinyModel } from "../support/writeGguf.ts";

const vocabulary = byteLevelVocabulary({
  words: ["yes", "no", "abc", " the", '"}', "\n\n", "ab", "é"],
  special: ["<|end|>", "<|other|>"],
  eos: "<|end|>",
});
const bytes = tokenBytes(vocabulary.tokens, vocabulary.types);
const size = vocabulary.tokens.length;
const end = vocabulary.eosId!;
const prompt = [10, 20, 30];

let folder: string;
let sampler: Sampler;
let session: Session;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tito-draws-"));
  const path = join(folder, "tiny.gguf");
  writeTinyModel(path, { vocabulary, seed: 5 });
  sampler = await loadSampler(path, { threads: 1, contextSize: 256 });
  session = await sampler.session();
});
afterAll(async () => {
  await sampler.close();
  rmSync(folder, { recursive: true });
});

/** What the documented chain leaves of logits, in double precision. */
function chain(logits: ReadonlyMap<number, number>, options: SampleOptions): Map<number, number> {
  const { temperature = 1, topK = 0, topP = 1, minP = 0 } = options;
  let kept = [...logits].sort((a, b) => b[1] - a[1]);
  if (topK > 0) kept = kept.slice(0, topK);
  const shares = softmax(kept, 1);
  if (topP < 1) {
    let sum = 0;
    const reached = kept.findIndex(([id]) => {
      sum += shares.get(id)!;
      return sum >= topP;
    });
    kept = kept.slice(0, reached + 1);
  }
  if (minP > 0) kept = kept.filter(([, logit]) => Math.exp(logit - kept[0]![1]) >= minP);
  return softmax(kept, temperature);
}

function softmax(kept: readonly (readonly [number, number])[], temperature: number): Map<number, number> {
  const highest = Math.max(...kept.map(([, logit]) => logit));
  const weights = kept.map(([, logit]) => Math.exp((logit - highest) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return new Map(kept.map(([id], i) => [id, weights[i]! / total]));
}

/**
 * The distributions of a completion, from the model's own log-probabilities of every id. All places are scored at once, as the
 * completion's were: with 32-bit weights llama.cpp's logits depend on how many ids are evaluated together.
 */
async function expected(ids: readonly number[], gbnf: string, options: SampleOptions) {
  const scored = await session.score([...prompt, ...ids], { from: prompt.length, topLogprobs: size });
  return ids.map((_, i) => expectedAt(scored.topLogprobs![i]!, ids.slice(0, i), gbnf, options));
}

function expectedAt(scores: readonly TokenLogprob[], text: readonly number[], gbnf: string, options: SampleOptions) {
  const before = [...prompt, ...text];
  const { logitBias = {}, presencePenalty = 0, frequencyPenalty = 0 } = options;
  const logits = new Map(
    scores.map(({ id, logprob }) => {
      const seen = before.slice(-64).filter((one) => one === id).length;
      const bias = (logitBias as Record<number, number>)[id] ?? 0;
      return [id, logprob + bias - (seen > 0 ? presencePenalty : 0) - seen * frequencyPenalty];
    }),
  );
  const matcher = gbnfMatcher(parseGbnf(gbnf), { root: "root" });
  for (const id of text) matcher.acceptToken(id, bytes.of(id));
  const isAllowed = (id: number) => isNext(id, matcher);
  for (const id of logits.keys()) if (isBanned(id, text, isAllowed(id))) logits.delete(id);
  const p = chain(logits, options);
  const q = chain(new Map([...logits].filter(([id]) => isAllowed(id))), options);
  const accepted = [...p].reduce((sum, [id, share]) => sum + (isAllowed(id) ? share : 0), 0);
  const ids = [...q.keys(), ...p.keys()].filter(isAllowed);
  return {
    shares: new Map(ids.map((id) => [id, (p.get(id) ?? 0) + (1 - accepted) * (q.get(id) ?? 0)])),
    isForced: [...logits.keys()].filter(isAllowed).length === 1,
  };
}

const grammars = {
  "few ids": 'root ::= ("yes" | "no" | [x-z])+',
  "most ids": String.raw`root ::= [^a-c"\n]+`,
  "half of the ids": String.raw`root ::= [\x00-\x7f]+`,
  "an end at once": "root ::= [a-z]*",
};

/** Tokens that begin with U+0000 are none to llama.cpp's grammars. */
function isNext(id: number, matcher: GbnfMatcher): boolean {
  if (id === end) return matcher.isComplete();
  return bytes.of(id)[0] !== 0 && matcher.clone().acceptToken(id, bytes.of(id));
}

/**
 * What llama.cpp's grammars let pass although no text has it: bytes that UTF-8 does not have, and those that do not go on with a
 * character which is begun. The sampler leaves these out before every other step.
 */
function isBanned(id: number, text: readonly number[], allowed: boolean): boolean {
  const any = () => gbnfMatcher(parseGbnf(String.raw`root ::= [\x00-\U0010FFFF]*`));
  const sofar = any();
  for (const one of text) sofar.accept(bytes.of(one));
  const written = bytes.of(id);
  const goesOn = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
  if (!sofar.isComplete() && goesOn(written[0])) return !allowed;
  const start = [0, 1, 2].find((skip) => !goesOn(written[skip])) ?? 3;
  return !any().accept(written.subarray(start));
}

it("raw log-probabilities are those of the weights in double precision", async () => {
  const forward = tinyForward(join(folder, "tiny.gguf"));
  const errors: number[] = [];
  for (const seed of [1, 2, 3]) {
    for (const options of [{ temperature: 1.3, rawLogprobs: true }, {}] as SampleOptions[]) {
      const drawn = await session.complete(prompt, { ...options, seed, maxTokens: 16, stop: [] });
      const exact = forward([...prompt, ...drawn.ids]);
      const told = drawn.rawLogprobs ?? drawn.logprobs;
      for (const [i, id] of drawn.ids.entries()) errors.push(Math.abs(told[i]! - exact[prompt.length + i - 1]![id]!));
    }
  }
  // llama.cpp keeps keys and values in F16 and this forward pass does not; single places were up to 2e-3 off.
  expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(1e-3);
  expect(Math.max(...errors)).toBeLessThan(4e-3);
});

describe("log-probabilities beside a grammar", () => {
  describe.each(Object.entries(grammars))("that allows %s", (_, gbnf) => {
    it.each<SampleOptions>([
      {},
      { temperature: 0.6 },
      { temperature: 2.5 },
      { topK: 12 },
      { temperature: 1.7, topP: 0.7 },
      { temperature: 0.8, minP: 0.3 },
      { temperature: 1.3, topK: 40, topP: 0.9, minP: 0.1, logitBias: { 75: 2, 97: -1 }, presencePenalty: 0.5 },
      { temperature: 1.3, logitBias: { 75: 2, 97: -1 }, presencePenalty: 0.5, frequencyPenalty: 0.3 },
    ])("are those of check-then-resample by brute force: %o", async (options) => {
      for (const seed of [1, 2, 3]) {
        const drawn = await session.complete(prompt, { ...options, seed, maxTokens: 6, grammar: { gbnf } });
        expect(drawn.logprobsMode).toBe("check_then_resample");
        expect(drawn.ids.length).toBeGreaterThan(0);
        for (const [i, { shares, isForced }] of (await expected([...drawn.ids], gbnf, options)).entries()) {
          expect(drawn.logprobs[i]).toBeCloseTo(Math.log(shares.get(drawn.ids[i]!)!), 4);
          expect(drawn.forcedMask[i]).toBe(isForced ? 1 : 0);
        }
      }
    });
  });

  it.each<SampleOptions>([{ topK: 4 }, { temperature: 1.5, topK: 9, topP: 0.8 }, {}])(
    "are how often an id is drawn: %o",
    async (options) => {
      const gbnf = 'root ::= ("yes" | "no" | [a-e])+';
      const { shares } = (await expected([0], gbnf, options))[0]!;
      const counts = new Map<number, number>();
      const draws = 800;
      for (let seed = 0; seed < draws; seed++) {
        const { ids } = await session.complete(prompt, {
          ...options,
          seed,
          maxTokens: 1,
          logprobs: false,
          grammar: { gbnf },
        });
        counts.set(ids[0]!, (counts.get(ids[0]!) ?? 0) + 1);
      }
      let distance = 0;
      for (const [id, share] of shares) distance += Math.abs(share - (counts.get(id) ?? 0) / draws) / 2;
      expect(distance).toBeLessThan(0.08);
      expect([...counts.keys()].every((id) => shares.has(id))).toBe(true);
    },
  );

  it("are those of the allowed ids alone with grammarFirst", async () => {
    const gbnf = grammars["most ids"];
    const options: SampleOptions = { temperature: 1.4, topK: 7 };
    const drawn = await session.complete(prompt, {
      ...options,
      seed: 4,
      maxTokens: 6,
      grammarFirst: true,
      grammar: { gbnf },
    });
    expect(drawn.logprobsMode).toBe("grammar_first");
    const scored = await session.score([...prompt, ...drawn.ids], { from: prompt.length, topLogprobs: size });
    for (const [i, id] of drawn.ids.entries()) {
      const text = [...drawn.ids.subarray(0, i)];
      const matcher = gbnfMatcher(parseGbnf(gbnf), { root: "root" });
      for (const one of text) matcher.acceptToken(one, bytes.of(one));
      const allowed = scored.topLogprobs![i]!.filter(({ id: one }) => isNext(one, matcher));
      const q = chain(new Map(allowed.map(({ id: one, logprob }) => [one, logprob])), options);
      expect(drawn.logprobs[i]).toBeCloseTo(Math.log(q.get(id)!), 2);
    }
  });

  it("are the same when they are asked for id by id, and NaN when they are not asked for", async () => {
    const options = { temperature: 1.3, topK: 20, seed: 3, maxTokens: 8, grammar: { gbnf: grammars["most ids"] } };
    const whole = await session.complete(prompt, options);
    const steps: number[] = [];
    for await (const { logprob } of session.sample(prompt, options)) steps.push(logprob);
    expect(steps.length).toBe(whole.ids.length);
    for (const [i, logprob] of steps.entries()) expect(logprob).toBeCloseTo(whole.logprobs[i]!, 4);
    const without = await session.complete(prompt, { ...options, logprobs: false });
    expect(without.ids).toEqual(whole.ids);
    expect(without.logprobsMode).toBe("off");
    expect(without.logprobs.every(Number.isNaN)).toBe(true);
  });
});
