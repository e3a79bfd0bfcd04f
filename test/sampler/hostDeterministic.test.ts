import { describe, expect, it } from "vitest";
import type { Sampler } from "../../src/sampler/index.ts";
import { errorOf, open } from "./fixture.ts";
import { collect, idsOf, openTiny } from "./hostFixture.ts";

const settings = { maxTokens: 24, stop: [], temperature: 1.5 };
const prompts = Array.from({ length: 12 }, (_, i) => [...idsOf(1, (i % 3) * 20), ...idsOf(i, 30)]);

/** Each alone on an empty host, then all at once on one that has evaluated other things. */
async function expectSameBeside(sampler: Sampler): Promise<void> {
  const alone = [];
  for (const [seed, prompt] of prompts.entries()) {
    await using host = await sampler.host();
    alone.push(await host.complete({ prompt, ...settings, seed }));
  }
  await using host = await sampler.host();
  await Promise.all(prompts.map((prompt) => host.complete({ prompt: prompt.slice(0, 25), ...settings })));
  const together = await Promise.all(prompts.map((prompt, seed) => host.complete({ prompt, ...settings, seed })));
  for (const [i, { ids, logprobs }] of together.entries()) {
    expect(ids).toEqual(alone[i]!.ids);
    expect(logprobs).toEqual(alone[i]!.logprobs);
  }
}

describe("deterministic: true", () => {
  it.each(["F16", "F32"] as const)(
    "gives the same ids and log-probabilities alone and beside others, with %s weights",
    async (weights) => {
      await using sampler = await openTiny(weights, { sequences: 4, deterministic: true });
      await expectSameBeside(sampler);
    },
  );

  it("gives groups, prefixes and sessions the same", async () => {
    await using sampler = await openTiny("F16", { sequences: 3, deterministic: true });
    const start = idsOf(3, 90);
    const run = async (others: boolean) => {
      await using host = await sampler.host();
      const noise = others ? [5, 6, 7, 8].map((seed) => host.complete({ prompt: idsOf(seed, 60), ...settings })) : [];
      const { prefixId } = await host.prefillOnly(start);
      await using session = await host.open({ parent: prefixId });
      await host.continue(session.sessionId, [1, 2], { ...settings, seed: 1 });
      await host.continue(session.sessionId, [3], { ...settings, seed: 2 });
      const call = await host.complete({ prompt: [...start, 4, 5], parent: prefixId, ...settings, seed: 3 });
      const group = await collect(host.group([...start, 4], 5, { ...settings, seed: 4 }));
      await Promise.all(noise);
      return {
        session: session.ids,
        call: call.logprobs,
        group: group.sort((a, b) => a.index - b.index).map(({ logprobs }) => logprobs),
      };
    };
    expect(await run(true)).toEqual(await run(false));
  });

  it("is another name for batching apart", async () => {
    const code = async (options: object) => (await errorOf(() => open(options))).code;
    expect(await code({ deterministic: true, batching: "shared" })).toBe("sampler_option");
    expect(await code({ deterministic: false, batching: "apart" })).toBe("sampler_option");
    expect(await code({ deterministic: 1 })).toBe("sampler_option");
  });
});

it("quantised weights give the same in shared batches, whatever is cached", async () => {
  await using sampler = await open({ sequences: 4 });
  const prompts = Array.from({ length: 6 }, (_, i) =>
    Array.from({ length: 20 + i }, (_, at) => 16 + ((at * (1 + (i % 2))) % 10)),
  );
  await using host = await sampler.host();
  const options = { maxTokens: 10, stop: [], temperature: 3, topK: 200 };
  const alone = [];
  for (const [seed, prompt] of prompts.entries()) alone.push(await host.complete({ prompt, ...options, seed }));
  const together = await Promise.all(prompts.map((prompt, seed) => host.complete({ prompt, ...options, seed })));
  expect(together.map(({ ids }) => ids)).toEqual(alone.map(({ ids }) => ids));
});
