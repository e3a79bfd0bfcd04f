import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Sampler, SamplerHost } from "../../src/sampler/index.ts";
import { ids, qwen3 } from "../support/qwen3.ts";
import { bridge, endOfTurn, errorOf, open } from "./fixture.ts";
import { collect, idle, idsOf, nextCycle, openTiny } from "./hostFixture.ts";

const settings = { maxTokens: 6, stop: [], topK: 40 };

let sampler: Sampler;
let host: SamplerHost;
beforeAll(async () => {
  sampler = await openTiny("F32", { sequences: 3 });
  host = await sampler.host();
});
afterAll(() => sampler?.close());

/** Samples this id, whatever the model. */
const only = (id: number) => ({ temperature: 0, logitBias: { [id]: 1000 }, maxTokens: 1 });

/** How a test ends a turn. */
const turn = fc.record({
  kind: fc.constantFrom("complete", "continue", "infer", "leave", "events", "prompt", "abort", "refuse"),
  length: fc.integer({ min: 1, max: 12 }),
  maxTokens: fc.integer({ min: 1, max: 6 }),
  seed: fc.nat(1000),
});

describe("a session", () => {
  it("holds exactly what was evaluated and sampled, and evaluates nothing twice", () =>
    fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 8 }), async (turns) => {
        await using session = await host.open();
        const { sessionId } = session;
        let held: number[] = [];
        for (const { kind, length, maxTokens, seed } of turns) {
          const extension = idsOf(seed, length);
          const options = { ...settings, maxTokens, seed };
          let reused = -1;
          if (kind === "complete" || kind === "continue" || kind === "abort") {
            const signal = kind === "abort" ? { signal: AbortSignal.abort() } : {};
            const completion =
              kind === "continue"
                ? await host.continue(sessionId, extension, options)
                : await host.complete({ sessionId, extension, ...options, ...signal });
            expect(completion.finish).toBe(kind === "abort" ? "aborted" : "length");
            if (kind !== "abort") reused = completion.reusedTokens;
            if (reused >= 0) expect(reused + completion.evaluatedTokens).toBe(held.length + length);
            held = [...held, ...extension, ...completion.ids];
          } else if (kind === "infer" || kind === "leave") {
            held = [...held, ...extension];
            for await (const { id } of host.infer({ sessionId, extension, ...options })) {
              held.push(id);
              if (kind === "leave") break;
            }
          } else if (kind === "events") {
            held = [...held, ...extension];
            for await (const event of host.events({ sessionId, extension, ...options }))
              if (event.kind === "done") held.push(...event.completion.ids);
          } else if (kind === "prompt") {
            const { ids } = await host.complete({ sessionId, prompt: extension, ...options });
            held = [...extension, ...ids];
          } else {
            expect((await errorOf(() => host.continue(sessionId, [-1]))).code).toBe("token_out_of_range");
            expect((await errorOf(() => host.continue(sessionId, idsOf(1, 512)))).code).toBe("context_full");
          }
          expect([...session.ids]).toEqual(held);
          expect(session.busy).toBe(false);
        }
        if (held.length === 0) return;
        const { reusedTokens } = await host.continue(sessionId, [1], settings);
        // All that was evaluated: the last sampled id was not, nor what came with an aborted call.
        const last = turns.at(-1)!.kind;
        if (last === "complete" || last === "continue" || last === "infer" || last === "events" || last === "prompt")
          expect(reusedTokens).toBe(held.length - 1);
      }),
      { numRuns: 30 },
    ));

  it("holds what was evaluated when its events are left", async () => {
    await using session = await host.open();
    const { sessionId } = session;
    const request = { ...settings, maxTokens: 40, seed: 1 };
    const whole = await host.complete({ prompt: idsOf(1, 20), ...request });
    let events = 0;
    for await (const _ of host.events({ sessionId, prompt: idsOf(1, 20), ...request })) if (++events === 5) break;
    expect(session.ids.length).toBeGreaterThan(20);
    expect([...session.ids]).toEqual([...idsOf(1, 20), ...whole.ids].slice(0, session.ids.length));
    expect((await host.continue(sessionId, [1], settings)).evaluatedTokens).toBe(1);
  });

  it("keeps its cache while others use the rest", async () => {
    await using session = await host.open({ id: "mine" });
    const { ids } = await host.complete({ sessionId: "mine", prompt: idsOf(1, 100), ...settings });
    await Promise.all([2, 3, 4, 5, 6].map((seed) => host.complete({ prompt: idsOf(seed, 200), ...settings })));
    const next = await host.continue("mine", [1, 2, 3], settings);
    expect(next).toMatchObject({ reusedTokens: 100 + ids.length - 1, evaluatedTokens: 4 });
    expect(host.session("mine").ids).toEqual(session.ids);
  });

  it("samples on from where an aborted turn ended", async () => {
    await using session = await host.open();
    const { sessionId } = session;
    const whole = await host.complete({ prompt: idsOf(1, 20), ...settings, temperature: 0 });
    const controller = new AbortController();
    const request = { sessionId, prompt: idsOf(1, 20), ...settings, temperature: 0, signal: controller.signal };
    for await (const _ of host.infer(request)) if (session.busy) controller.abort();
    const rest = await host.continue(sessionId, [], { ...settings, temperature: 0, maxTokens: 5 });
    expect([...session.ids]).toEqual([...idsOf(1, 20), ...whole.ids]);
    expect(rest.reusedTokens).toBeGreaterThanOrEqual(20);
  });

  it("starts with its parent's ids, and goes its own way", async () => {
    const start = idsOf(9, 100);
    const { prefixId } = await host.prefillOnly(start);
    await using first = await host.open({ parent: prefixId });
    expect([...first.ids]).toEqual(start);
    const one = await host.continue(first.sessionId, [1, 2], settings);
    expect(one).toMatchObject({ reusedTokens: 100, evaluatedTokens: 2 });
    await using second = await host.open({ parent: first.sessionId });
    expect(second.ids).toEqual(first.ids);
    const two = await host.continue(second.sessionId, [3], settings);
    expect(two).toMatchObject({ reusedTokens: first.ids.length - 1, evaluatedTokens: 2 });
    expect(first.ids).toHaveLength(108);
    await host.release(prefixId);
    expect(host.stats.stateBytes).toBe(0);
  });

  it("can be forked in the middle of a turn, as it was before it", async () => {
    await using session = await host.open();
    const { sessionId } = session;
    const before = await host.complete({ sessionId, prompt: idsOf(3, 50), ...settings });
    const running = host.infer({ sessionId, extension: [1, 2], ...settings });
    await running.next();
    await using fork = await host.open({ parent: sessionId });
    expect([...fork.ids]).toEqual([...idsOf(3, 50), ...before.ids]);
    expect(await host.continue(fork.sessionId, [4], settings)).toMatchObject({ reusedTokens: 56, evaluatedTokens: 1 });
    expect(await collect(running)).toHaveLength(5);
  });

  it("leaves one sequence to calls, and the next one waits until another ends", async () => {
    const [first, second] = await Promise.all([host.open(), host.open()]);
    const third = host.open();
    await nextCycle();
    expect(host.stats).toMatchObject({ sessions: 2, free: 1, waiting: 1 });
    const calls = [1, 2, 3].map((seed) => host.complete({ prompt: idsOf(seed, 10), ...settings }));
    for (const { finish } of await Promise.all(calls)) expect(finish).toBe("length");
    expect(host.stats.waiting).toBe(1);
    await first.end();
    await (await third).end();
    await second.end();
    expect(host.stats).toMatchObject(idle(3));
  });
});

describe("what a session refuses", () => {
  it("is one that is not there, one that ended, one at work", async () => {
    const session = await host.open();
    const { sessionId } = session;
    const running = host.complete({ sessionId, prompt: idsOf(1, 10), ...settings });
    expect(session.busy).toBe(true);
    for (const run of [
      () => host.complete({ sessionId, prompt: [1] }),
      () => host.continue(sessionId, [1]),
      () => host.infer({ sessionId, extension: [1] }).next(),
    ])
      expect((await errorOf(run)).code).toBe("session_busy");
    await running;
    await session.end();
    await session.end();
    await host.end(sessionId);
    await host.open({ id: "named" }).then(({ end }) => end());
    for (const ended of [sessionId, "named"])
      for (const run of [
        () => host.complete({ sessionId: ended, prompt: [1] }),
        () => host.infer({ sessionId: ended, extension: [1] }),
        () => host.session(ended),
        () => host.open({ parent: ended }),
      ])
        expect((await errorOf(run)).code).toBe("session_ended");
    for (const unknown of ["nobody", "session-99999", "session-00", 7 as never])
      for (const run of [() => host.continue(unknown, [1]), () => host.end(unknown), () => host.session(unknown)])
        expect((await errorOf(run)).code).toBe("session_unknown");
    expect(host.stats).toMatchObject(idle(3));
  });

  it("is an id in use, and parts that do not go together", async () => {
    await using _one = await host.open({ id: "one" });
    const two = host.open({ id: "two" });
    for (const id of ["one", "two", "", "session-5", "prefix-0", 5])
      expect((await errorOf(() => host.open({ id: id as string }))).code).toBe("sampler_option");
    await (await two).end();
    const sessionId = "one";
    for (const request of [
      { sessionId },
      { sessionId, prompt: [1], extension: [1] },
      { sessionId, extension: [1], parent: "one" },
      { sessionId, extension: "text" },
    ])
      expect((await errorOf(() => host.complete(request as never))).code).toBe("sampler_option");
    expect((await errorOf(() => host.continue(sessionId, []))).code).toBe("empty_prompt");
  });
});

describe("the end of a session", () => {
  it("ends the call under way, whether it is read or not", async () => {
    const [first, second] = await Promise.all([host.open(), host.open()]);
    const running = host.complete({ sessionId: first.sessionId, prompt: idsOf(1, 10), stop: [] });
    const stream = host.infer({ sessionId: second.sessionId, prompt: idsOf(1, 10), stop: [] });
    await stream.next();
    await Promise.all([first.end(), second.end()]);
    expect((await running).finish).toBe("aborted");
    expect(host.stats).toMatchObject(idle(3));
    expect(await stream.next()).toMatchObject({ done: true, value: { finish: "aborted" } });
    expect(host.stats).toMatchObject(idle(3));
    expect((await host.complete({ prompt: idsOf(1, 10), ...settings })).finish).toBe("length");
  });

  it("comes by itself when nothing is done for long", async () => {
    await using own = await openTiny("F32", { sequences: 2 });
    await using one = await own.host({ idleTimeout: 50 });
    const session = await one.open();
    const { sessionId } = session;
    const stream = one.infer({ sessionId, prompt: idsOf(1, 10), stop: [] });
    await stream.next();
    await new Promise((resolve) => setTimeout(resolve, 150));
    // A call that nobody reads is still a call.
    expect(session.ended).toBe(false);
    await stream.return(undefined as never);
    await vi.waitFor(() => expect(session.ended).toBe(true));
    expect(one.stats).toMatchObject(idle(2));
    expect((await errorOf(() => one.continue(sessionId, [1]))).code).toBe("session_ended");
  });
});

describe("a template that rewrites history", () => {
  it("does not touch what a session sampled", async () => {
    await using own = await open({ sequences: 2, contextSize: 512 });
    await using one = await own.host();
    const renderer = qwen3();
    const question = { role: "user", content: "What is 12 + 345?" } as const;
    const next = { role: "user", content: "And 7 * 8?" } as const;
    const promptIds = renderer.renderIds([question], { addGenerationPrompt: true });
    await using session = await one.open();
    const { sessionId } = session;
    const sampled = ids("<think>\nAdd them.\n</think>\n\n357");
    await one.complete({ sessionId, prompt: promptIds, ...only(sampled[0]!) });
    for (const id of sampled.slice(1)) await one.continue(sessionId, [], only(id));
    expect([...session.ids]).toEqual([...promptIds, ...sampled]);

    // The template drops the thoughts of earlier turns: no bridge, and another prompt.
    const turn = { role: "assistant", content: "357", reasoning_content: "Add them." } as const;
    const rendered = renderer.renderIds([question, turn, next], { addGenerationPrompt: true });
    // The turn was cut: what closes it is part of the tail.
    const tail = [endOfTurn, ...bridge];
    const held = [...promptIds, ...sampled, ...tail];
    expect([...rendered]).not.toEqual(held);
    expect(renderer.bridgeToNextTurn({ promptIds, completionIds: sampled, newMessages: [next] })).toMatchObject({
      ok: false,
      reason: "new_user_query",
    });

    const second = await one.continue(sessionId, tail, { maxTokens: 8, stop: [endOfTurn], seed: 2 });
    expect(second).toMatchObject({
      reusedTokens: promptIds.length + sampled.length - 1,
      evaluatedTokens: tail.length + 1,
    });
    expect([...one.session(sessionId).ids]).toEqual([...held, ...second.ids]);
  });
});
