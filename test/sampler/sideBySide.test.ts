import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sampler } from "../../src/sampler/index.ts";
import { bridge, furthest, open, prompt } from "./fixture.ts";

const prompts = [prompt, [...prompt, 24, ...bridge], bridge, [...bridge, ...prompt]];
const settings = { temperature: 2, topK: 200, maxTokens: 16, stop: [] };

/** Every prompt alone, then all together, twice: the second time every session has another prompt in its cache. */
async function expectSameAlone(sampler: Sampler): Promise<void> {
  const sessions = await Promise.all(prompts.map(() => sampler.session()));
  const alone = [];
  for (const [seed, ids] of prompts.entries()) alone.push(await sessions[0]!.complete(ids, { ...settings, seed }));
  for (const turn of [0, 1]) {
    const together = await Promise.all(
      prompts.map((ids, seed) => sessions[(seed + turn) % prompts.length]!.complete(ids, { ...settings, seed })),
    );
    for (const [i, completion] of together.entries()) {
      expect(completion.ids).toEqual(alone[i]!.ids);
      expect(furthest(completion.logprobs, alone[i]!.logprobs)).toBeLessThan(1e-5);
    }
  }
  await Promise.all(sessions.map((session) => session.close()));
}

it("sessions give side by side what they give alone, in batches of their own", async () => {
  await using sampler = await open({ sequences: 4, batching: "apart" });
  await expectSameAlone(sampler);
});

describe("in shared batches", () => {
  let sampler: Sampler;
  beforeAll(async () => {
    sampler = await open({ sequences: 4 });
  });
  afterAll(() => sampler?.close());

  // The embedded model's weights are quantised: its logits do not depend on the size of the batch.
  it("sessions give side by side what they give alone", () => expectSameAlone(sampler));

  it("streams and completions mix, and a closed session's sequence is used again", async () => {
    const sessions = await Promise.all(prompts.map(() => sampler.session()));
    const [first, second] = sessions;
    const whole = first!.complete(prompt, { ...settings, seed: 1 });
    const ids = [];
    for await (const { id } of second!.sample(prompt, { ...settings, seed: 1 })) ids.push(id);
    expect(ids).toEqual([...(await whole).ids]);

    await second!.close();
    await using again = await sampler.session();
    expect(again.cachedTokens).toBe(0);
    expect((await again.complete(prompt, { ...settings, seed: 1 })).ids).toEqual(Int32Array.from(ids));
    await Promise.all(sessions.map((session) => session.close()));
  });

  it("closing the sampler ends what is under way", async () => {
    const sessions = await Promise.all(prompts.map(() => sampler.session()));
    const running = sessions.map((session) => session.complete(prompt, { ...settings, maxTokens: 200 }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await sampler.close();
    for (const { finish } of await Promise.all(running)) expect(finish).toBe("aborted");
    await expect(sampler.session()).rejects.toMatchObject({ code: "session_ended" });
  });
});
