import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sampler, Session } from "../../src/sampler/index.ts";
import { bridge, endOfTurn, errorOf, furthest, open, prompt, vocabSize } from "./fixture.ts";

let sampler: Sampler;
let session: Session;
beforeAll(async () => {
  sampler = await open({ sequences: 2, batchSize: 16 });
  session = await sampler.session();
});
afterAll(() => sampler?.close());

/** Makes a greedy session sample `id` over and over, whatever the model. */
const only = (id: number) => ({ temperature: 0, logitBias: { [id]: 1000 } });
const lively = { temperature: 5, stop: [] };

describe("what a completion holds", () => {
  it("gives columns of one length, and takes prompts as array and as Int32Array", async () => {
    const options = { maxTokens: 6, seed: 3, stop: [], rawLogprobs: true, topLogprobs: 2 };
    const completion = await session.complete(prompt, options);
    expect(completion.ids).toBeInstanceOf(Int32Array);
    expect(completion.ids).toHaveLength(6);
    for (const column of [completion.logprobs, completion.rawLogprobs, completion.topLogprobs])
      expect(column).toHaveLength(6);
    expect((await session.complete(Int32Array.from(prompt), options)).ids).toEqual(completion.ids);
  });

  it("leaves out what was not asked for", async () => {
    const completion = await session.complete(prompt, { maxTokens: 2, stop: [] });
    expect(completion).not.toHaveProperty("rawLogprobs");
    expect(completion).not.toHaveProperty("topLogprobs");
    expect(completion).not.toHaveProperty("stopId");
  });

  it("gives the same ids and log-probabilities as a stream", async () => {
    const options = { maxTokens: 5, seed: 11, stop: [], temperature: 0.7, topK: 20, rawLogprobs: true, topLogprobs: 2 };
    const completion = await session.complete(prompt, options);
    const steps = session.sample(prompt, options);
    const streamed = [];
    let step = await steps.next();
    for (; !step.done; step = await steps.next()) streamed.push(step.value);
    expect(streamed.map(({ id }) => id)).toEqual([...completion.ids]);
    expect(streamed.map(({ logprob }) => logprob)).toEqual([...completion.logprobs]);
    expect(
      furthest(
        streamed.map(({ rawLogprob }) => rawLogprob!),
        completion.rawLogprobs!,
      ),
    ).toBeLessThan(1e-5);
    expect(streamed.map(({ topLogprobs }) => topLogprobs!.map(({ id }) => id))).toEqual(
      completion.topLogprobs!.map((top) => top.map(({ id }) => id)),
    );
    expect(step.value).toMatchObject({ finish: "length", seed: 11 });
  });
});

describe("where sampling ends", () => {
  it("ends after a stop id, which is the last id", async () => {
    const stop = [endOfTurn, 24, 25];
    for (const id of [24, 25]) {
      const completion = await session.complete(prompt, { ...only(id), stop });
      expect([...completion.ids]).toEqual([id]);
      expect(completion).toMatchObject({ finish: "stop", stopId: id });
    }
  });

  it("ends after maxTokens, and stop: [] samples past an end id", async () => {
    const completion = await session.complete(prompt, { ...lively, maxTokens: 7 });
    expect(completion.ids).toHaveLength(7);
    expect(completion.finish).toBe("length");
    const past = await session.complete(prompt, { temperature: 0, stop: [], maxTokens: 60 });
    expect(past.ids).toHaveLength(60);
  });

  it("stops at the model's end ids by default", async () => {
    const completion = await session.complete(prompt, { temperature: 0, maxTokens: 200 });
    if (completion.finish === "stop") expect(sampler.model.eogIds).toContain(completion.stopId);
    else expect(completion.ids.some((id) => sampler.model.eogIds.includes(id))).toBe(false);
  });

  it("fills the context to the last cell, and no further", async () => {
    expect(sampler.contextSize).toBe(256);
    const long = Array.from({ length: 250 }, (_, i) => 16 + (i % 10));
    const completion = await session.complete(long, { temperature: 0, stop: [] });
    expect(completion.finish).toBe("context_full");
    expect(completion.ids).toHaveLength(6);
    expect(await session.complete(long, { temperature: 0, stop: [], maxTokens: 6 })).toMatchObject({
      finish: "length",
    });

    const error = await errorOf(() => session.complete([...long, ...long], { maxTokens: 1 }));
    expect(error.code).toBe("context_full");
    expect(error.message).toContain("contextSize");
    expect(error.details).toMatchObject({ promptTokens: 500, contextSize: 256 });
  });
});

describe("seeds", () => {
  it("give the same completion again, in another session too", async () => {
    const first = await session.complete(prompt, { ...lively, maxTokens: 12, seed: 1 });
    await using other = await sampler.session();
    const second = await other.complete(prompt, { ...lively, maxTokens: 12, seed: 1 });
    expect(second.ids).toEqual(first.ids);
    expect(second.logprobs).toEqual(first.logprobs);
  });

  it("differ, and one that was not given is told", async () => {
    const first = await session.complete(prompt, { ...lively, maxTokens: 12, seed: 1 });
    const second = await session.complete(prompt, { ...lively, maxTokens: 12, seed: 2 });
    expect(second.ids).not.toEqual(first.ids);
    const drawn = await session.complete(prompt, { ...lively, maxTokens: 12 });
    const again = await session.complete(prompt, { ...lively, maxTokens: 12, seed: drawn.seed });
    expect(again.ids).toEqual(drawn.ids);
  });
});

describe("the cache", () => {
  it("evaluates only what is new in the next turn", async () => {
    await using fresh = await sampler.session();
    const first = await fresh.complete(prompt, { ...lively, maxTokens: 10, seed: 4 });
    expect(first).toMatchObject({ reusedTokens: 0, evaluatedTokens: prompt.length });
    // The last sampled id is never evaluated in its own turn.
    expect(fresh.evaluatedTokens).toBe(prompt.length + 9);
    expect(fresh.cachedTokens).toBe(prompt.length + 9);

    const secondPrompt = [...prompt, ...first.ids, ...bridge];
    const second = await fresh.complete(secondPrompt, { ...lively, maxTokens: 4, seed: 5 });
    expect(second).toMatchObject({ reusedTokens: prompt.length + 9, evaluatedTokens: bridge.length + 1 });
    expect(fresh.evaluatedTokens).toBe(prompt.length + 9 + bridge.length + 1 + 3);
  });

  it("gives what an empty cache gives", async () => {
    const options = { ...lively, maxTokens: 8, seed: 6 };
    await session.complete([...prompt, ...bridge], { maxTokens: 3, stop: [] });
    const warm = await session.complete([...prompt, 24, 25, ...bridge], options);
    expect(warm.reusedTokens).toBe(prompt.length);
    await using fresh = await sampler.session();
    const cold = await fresh.complete([...prompt, 24, 25, ...bridge], options);
    expect(cold.reusedTokens).toBe(0);
    expect(cold.ids).toEqual(warm.ids);
    expect(furthest(cold.logprobs, warm.logprobs)).toBeLessThan(1e-3);
  });

  it("keeps its reuse when completions are scored", async () => {
    const scored = { ...lively, maxTokens: 6, seed: 4, rawLogprobs: true };
    const first = await session.complete(prompt, scored);
    const next = await session.complete([...prompt, ...first.ids, ...bridge], { maxTokens: 1, stop: [] });
    expect(next).toMatchObject({ reusedTokens: prompt.length + 5, evaluatedTokens: bridge.length + 1 });
  });

  it("evaluates one id when the whole prompt is cached", async () => {
    await session.complete(prompt, { maxTokens: 3, stop: [] });
    const again = await session.complete(prompt, { maxTokens: 1, stop: [] });
    expect(again).toMatchObject({ reusedTokens: prompt.length - 1, evaluatedTokens: 1 });
  });
});

describe("aborting", () => {
  it("keeps what was sampled, and the session", async () => {
    const controller = new AbortController();
    const options = { ...lively, seed: 8 };
    const before = session.evaluatedTokens;
    const running = session.complete(prompt, { ...options, maxTokens: 200, signal: controller.signal });
    // An id is evaluated once it was sampled. All but the last id of the prompt may have been cached.
    while (session.evaluatedTokens < before + prompt.length + 1) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const cut = await running;
    expect(cut.finish).toBe("aborted");
    expect(cut.ids.length).toBeGreaterThan(0);
    expect(cut.ids.length).toBeLessThan(200);
    const whole = await session.complete(prompt, { ...options, maxTokens: cut.ids.length });
    expect(whole.ids).toEqual(cut.ids);
  });

  it("evaluates nothing when the signal has already fired", async () => {
    const before = session.evaluatedTokens;
    const cut = await session.complete(prompt, { signal: AbortSignal.abort(), rawLogprobs: true, topK: 5 });
    expect(cut).toMatchObject({ finish: "aborted", ids: new Int32Array(0) });
    expect(session.evaluatedTokens).toBe(before);
  });

  it("ends a stream after the id at hand", async () => {
    const controller = new AbortController();
    const steps = session.sample(prompt, { ...lively, signal: controller.signal });
    const ids = [];
    let step = await steps.next();
    for (; !step.done; step = await steps.next()) if (ids.push(step.value.id) === 3) controller.abort();
    expect(ids).toHaveLength(3);
    expect(step.value.finish).toBe("aborted");
  });

  it("stops between the batches of a long prompt, and keeps them", async () => {
    await using one = await sampler.session();
    const controller = new AbortController();
    const long = Array.from({ length: 200 }, (_, i) => 16 + (i % 10));
    const running = one.complete(long, { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ finish: "aborted", ids: new Int32Array(0) });
    const evaluated = one.evaluatedTokens;
    expect(evaluated).toBeLessThan(200);
    expect(await one.complete(long, { maxTokens: 1 })).toMatchObject({ reusedTokens: evaluated });
  });
});

describe("a session's life", () => {
  it("does one thing at a time", async () => {
    const running = session.complete(prompt, { ...lively, maxTokens: 5 });
    expect((await errorOf(() => session.complete(prompt))).code).toBe("session_busy");
    expect((await errorOf(() => session.score(prompt))).code).toBe("session_busy");
    await running;
    for await (const _ of session.sample(prompt, lively)) break;
    await session.complete(prompt, { maxTokens: 1 });
  });

  it("ends", async () => {
    const closed = await sampler.session();
    const running = closed.complete(prompt, { ...lively, maxTokens: 200 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await closed.close();
    expect((await running).finish).toBe("aborted");
    const error = await errorOf(() => closed.complete(prompt));
    expect(error.code).toBe("session_ended");
  });

  it("has as many sequences as were asked for", async () => {
    await using _second = await sampler.session();
    const error = await errorOf(() => sampler.session());
    expect(error.code).toBe("no_sequence_left");
    expect(error.message).toContain("sequences");
  });
});

describe("what is refused", () => {
  it("refuses ids that are none of the model's", async () => {
    for (const id of [vocabSize, -1, 1.5, Number.NaN, "7"]) {
      const error = await errorOf(() => session.complete([...prompt, id as number]));
      expect(error.code).toBe("token_out_of_range");
      expect(error.message).toContain(`promptIds[${prompt.length}]`);
    }
    expect((await errorOf(() => session.complete(prompt, { stop: [vocabSize] }))).code).toBe("token_out_of_range");
    expect((await errorOf(() => session.complete("text" as never))).code).toBe("token_out_of_range");
    expect((await errorOf(() => session.complete([]))).code).toBe("empty_prompt");
  });

  it("refuses at the call of sample, not in its loop", () => {
    expect(() => session.sample(prompt, { topK: -1 })).toThrow(/topK is -1/);
    expect(() => session.sample([])).toThrow(/empty/);
  });
});
