import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Sampler, SamplerHost } from "../../src/sampler/index.ts";
import { groupSeed } from "../../src/sampler/index.ts";
import { errorOf } from "./fixture.ts";
import { collect, idle, idsOf, nextCycle, openTiny } from "./hostFixture.ts";

const settings = { maxTokens: 12, stop: [], topK: 40 };

let sampler: Sampler;
let host: SamplerHost;
beforeAll(async () => {
  sampler = await openTiny("F32", { sequences: 4 });
  host = await sampler.host({ maxQueue: 200 });
});
afterAll(() => sampler?.close());

describe("callers", () => {
  it("all end, first come, first served, a hundred on four sequences", async () => {
    const started: number[] = [];
    const all = Array.from({ length: 100 }, async (_, i) => {
      const ids: number[] = [];
      for await (const { id } of host.infer({ prompt: idsOf(i, 20), ...settings, seed: i })) {
        if (ids.push(id) === 1) started.push(i);
      }
      return ids.length;
    });
    expect(await Promise.all(all)).toEqual(Array.from(all, () => 12));
    // Four are under way at once, and which of them is first is llama.cpp's matter.
    for (const [at, i] of started.entries()) expect(Math.abs(at - i)).toBeLessThan(8);
    expect(host.stats).toMatchObject(idle(4));
  });

  it("are given the sequence that has most of the prompt", async () => {
    const prompts = [1, 2, 3, 4].map((seed) => idsOf(seed, 60));
    await Promise.all(prompts.map((prompt) => host.complete({ prompt, ...settings, maxTokens: 1 })));
    for (const prompt of prompts) {
      const { reusedTokens } = await host.complete({ prompt: [...prompt, 5, 6], ...settings, maxTokens: 1 });
      expect(reusedTokens).toBe(60);
    }
  });

  it("are not held up by one who reads slowly", async () => {
    await using one = await (await openTiny("F32", { sequences: 2 })).host();
    const slow = one.infer({ prompt: idsOf(1, 20), ...settings });
    await slow.next();
    const others = Array.from({ length: 6 }, (_, seed) => one.complete({ prompt: idsOf(seed, 30), ...settings, seed }));
    for (const { ids } of await Promise.all(others)) expect(ids).toHaveLength(12);
    expect((await collect(slow)).length).toBe(11);
    expect(one.stats).toMatchObject(idle(2));
  });

  it.each(["shared", "apart"] as const)(
    "sample on while another's long prompt is evaluated, in batches %s",
    async (batching) => {
      await using own = await openTiny("F32", { sequences: 2, batchSize: 16, batching });
      await using one = await own.host();
      const ended: string[] = [];
      const long = one.complete({ prompt: idsOf(1, 480), maxTokens: 1 }).then(() => ended.push("long"));
      const short = one.complete({ prompt: idsOf(2, 4), ...settings, maxTokens: 8 }).then(() => ended.push("short"));
      await Promise.all([long, short]);
      expect(ended).toEqual(["short", "long"]);
    },
  );

  it("wait with a limit, and leave with their signal", async () => {
    await using single = await openTiny("F32");
    await using one = await single.host({ maxQueue: 2 });
    const busy = one.infer({ prompt: idsOf(1, 8), ...settings });
    await busy.next();
    const controller = new AbortController();
    const first = one.complete({ prompt: idsOf(2, 8), ...settings, seed: 3, signal: controller.signal });
    const second = one.complete({ prompt: idsOf(3, 8), ...settings });
    const error = await errorOf(() => one.complete({ prompt: idsOf(4, 8), ...settings }));
    expect(error.code).toBe("queue_full");
    expect(error.message).toContain("maxQueue");
    expect((await errorOf(() => one.infer({ prompt: idsOf(4, 8) }).next())).code).toBe("queue_full");
    expect((await errorOf(() => one.prefillOnly(idsOf(4, 8)))).code).toBe("queue_full");
    expect((await errorOf(() => one.open())).code).toBe("queue_full");
    expect((await errorOf(() => one.group(idsOf(4, 8), 2).next())).code).toBe("queue_full");
    controller.abort();
    const left = await first;
    expect(left).toMatchObject({ finish: "aborted", seed: 3, reusedTokens: 0, evaluatedTokens: 0 });
    const { signal } = controller;
    const gone = one.infer({ prompt: idsOf(5, 8), ...settings, signal });
    expect(await gone.next()).toMatchObject({ done: true, value: { finish: "aborted" } });
    expect((await errorOf(() => one.open({ signal }))).code).toBe("aborted");
    expect((await errorOf(() => one.prefillOnly(idsOf(5, 8), { signal }))).code).toBe("aborted");
    const told = await collect(one.events({ prompt: idsOf(5, 8), ...settings, seed: 3, signal }));
    expect(told).toEqual([{ kind: "done", reason: "aborted", completion: left }]);
    await busy.return(undefined as never);
    // A completion that never had a sequence looks like one that was aborted on it.
    expect(await one.complete({ prompt: idsOf(5, 8), ...settings, seed: 3, signal: AbortSignal.abort() })).toEqual(
      left,
    );
    expect((await second).finish).toBe("length");
    expect(one.stats).toMatchObject(idle(1));
  });

  it("give their sequence back when they throw, leave, abort or fail", async () => {
    const leave = async () => {
      for await (const _ of host.infer({ prompt: idsOf(1, 8), ...settings })) break;
    };
    const fail = async () => {
      for await (const _ of host.infer({ prompt: idsOf(1, 8), ...settings })) throw new Error("mine");
    };
    await leave();
    await expect(fail()).rejects.toThrow("mine");
    expect((await host.complete({ prompt: idsOf(1, 8), signal: AbortSignal.abort() })).finish).toBe("aborted");
    await expect(host.complete({ prompt: idsOf(1, 512) })).rejects.toMatchObject({ code: "context_full" });
    await expect(host.prefillOnly(idsOf(1, 512))).rejects.toMatchObject({ code: "context_full" });
    const controller = new AbortController();
    const steps = host.infer({ prompt: idsOf(1, 8), stop: [], signal: controller.signal });
    for await (const _ of steps) controller.abort();
    expect(host.stats).toMatchObject(idle(4));
  });

  it("lose it on an abort even when they never read on", async () => {
    const controller = new AbortController();
    const hanging = host.infer({ prompt: idsOf(1, 8), stop: [], signal: controller.signal });
    await hanging.next();
    expect(host.stats.free).toBe(3);
    controller.abort();
    await vi.waitFor(() => expect(host.stats).toMatchObject(idle(4)));
    expect(await hanging.next()).toMatchObject({ done: true, value: { finish: "aborted" } });
    expect(host.stats).toMatchObject(idle(4));
    expect((await host.complete({ prompt: idsOf(1, 8), ...settings })).finish).toBe("length");
  });

  it("are told at once what is wrong with a request", async () => {
    const prompt = idsOf(1, 4);
    for (const request of [
      undefined,
      {},
      { prompt: "text" },
      { prompt, extension: prompt },
      { prompt, topK: -1 },
      { prompt, sessionID: "a" },
    ])
      expect((await errorOf(() => host.infer(request as never))).code).toBe("sampler_option");
    expect((await errorOf(() => host.infer({ prompt: [] }))).code).toBe("empty_prompt");
    expect((await errorOf(() => host.complete({ prompt: [-1] }))).code).toBe("token_out_of_range");
    expect((await errorOf(() => host.group(prompt, 0))).code).toBe("sampler_option");
    for (const options of [{ seed: -1 }, { sessionId: "a" }, { parent: "prefix-0" }])
      expect((await errorOf(() => host.group(prompt, 2, options as never))).code).toBe("sampler_option");
    expect(host.stats).toMatchObject(idle(4));
  });
});

describe("prefixes", () => {
  const start = idsOf(50, 200);

  it("are evaluated once, and start prompts on any sequence", async () => {
    const prefix = await host.prefillOnly(start);
    expect(prefix).toMatchObject({ length: 200, evaluatedTokens: 200, reusedTokens: 0 });
    expect(prefix.stateBytes).toBeGreaterThan(0);
    const parent = prefix.prefixId;
    const calls = Array.from({ length: 8 }, (_, i) =>
      host.complete({ prompt: [...start, ...idsOf(i, 7)], parent, ...settings, seed: i }),
    );
    for (const { reusedTokens, evaluatedTokens } of await Promise.all(calls)) {
      expect(reusedTokens).toBeGreaterThanOrEqual(200);
      expect(reusedTokens + evaluatedTokens).toBe(207);
    }
    // Unnamed as well, after everything else was overwritten.
    await Promise.all([1, 2, 3, 4].map((seed) => host.complete({ prompt: idsOf(seed, 300), ...settings })));
    const unnamed = await host.complete({ prompt: [...start, 9], ...settings });
    expect(unnamed).toMatchObject({ reusedTokens: 200, evaluatedTokens: 1 });
    await host.release(parent);
    expect(host.stats).toMatchObject({ prefixes: 0, stateBytes: 0 });
    expect((await errorOf(() => host.release(parent))).code).toBe("prefix_unknown");
    expect((await errorOf(() => host.complete({ prompt: start, parent }))).code).toBe("prefix_unknown");
  });

  it("fork from prefixes and sessions", async () => {
    const trunk = await host.prefillOnly(start);
    const branches = await Promise.all(
      [1, 2, 3].map((seed) => host.prefillOnly([...start, ...idsOf(seed, 30)], { parent: trunk.prefixId })),
    );
    for (const { evaluatedTokens, reusedTokens } of branches)
      expect([evaluatedTokens, reusedTokens]).toEqual([30, 200]);
    await using session = await host.open({ parent: branches[0]!.prefixId });
    await host.continue(session.sessionId, [1, 2, 3], { ...settings, maxTokens: 5 });
    expect(session.ids).toHaveLength(238);
    const before = host.stats.evaluatedTokens;
    const ofSession = await host.prefillOnly([...session.ids, 7], { parent: session.sessionId });
    // The session's last sampled id was never evaluated.
    expect(ofSession).toMatchObject({ length: 239, evaluatedTokens: 2, reusedTokens: 237 });
    expect(host.stats.evaluatedTokens - before).toBe(2);
    for (const { prefixId } of [trunk, ...branches, ofSession]) await host.release(prefixId);
    expect(host.stats.stateBytes).toBe(0);
  });

  it("are held against the ids that name them as parent", async () => {
    const { prefixId } = await host.prefillOnly(start);
    const other = start.with(100, (start[100]! + 1) % 200);
    const error = await errorOf(() => host.complete({ prompt: other, parent: prefixId }));
    expect(error).toMatchObject({ code: "parent_mismatch", details: { at: 100 } });
    expect((await errorOf(() => host.prefillOnly(start.slice(0, 9), { parent: prefixId }))).code).toBe(
      "parent_mismatch",
    );
    expect((await errorOf(() => host.open({ parent: "prefix-1000" }))).code).toBe("prefix_unknown");
    expect((await errorOf(() => host.open({ parent: "nobody" }))).code).toBe("session_unknown");
    await host.release(prefixId);
  });

  it("sample the same from a loaded state as from an evaluated one", async () => {
    await using fresh = await openTiny("F32", { sequences: 2, deterministic: true });
    await using one = await fresh.host();
    const prompt = [...start, 3, 4];
    const options = { prompt, ...settings, seed: 5, rawLogprobs: true };
    const { prefixId, stateBytes } = await one.prefillOnly(start);
    expect(stateBytes).toBeGreaterThan(0);
    const loaded = await one.complete({ ...options, parent: prefixId });
    expect(loaded).toMatchObject({ reusedTokens: 200, evaluatedTokens: 2 });
    await using bare = await fresh.session().catch(() => undefined);
    expect(bare).toBeUndefined();
    await one.close();
    await using without = await fresh.host({ maxStateBytes: 0 });
    const again = await without.prefillOnly(start);
    expect(again.stateBytes).toBe(0);
    const evaluated = await without.complete({ ...options, parent: again.prefixId });
    expect(evaluated.ids).toEqual(loaded.ids);
    expect(evaluated.logprobs).toEqual(loaded.logprobs);
    expect(evaluated.rawLogprobs).toEqual(loaded.rawLogprobs);
  });

  it("lie in private files, within their bound, and are gone with the host", async () => {
    const stateDirectory = await mkdtemp(join(tmpdir(), "tito-test-"));
    const states = () => readdirSync(stateDirectory, { recursive: true, withFileTypes: true });
    const bytes = () =>
      states().reduce((sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0), 0);
    try {
      await using two = await openTiny("F32", { sequences: 2 });
      const probe = await two.host();
      const { stateBytes } = await probe.prefillOnly(start);
      await probe.close();
      const one = await two.host({ stateDirectory, maxStateBytes: stateBytes * 2 });
      const prefixes = [];
      for (const seed of [1, 2, 3]) prefixes.push(await one.prefillOnly(idsOf(seed, 200)));
      expect(one.stats.stateBytes).toBe(stateBytes * 2);
      expect(bytes()).toBe(stateBytes * 2);
      for (const file of states())
        expect(statSync(join(file.parentPath, file.name)).mode & 0o777).toBe(file.isDirectory() ? 0o700 : 0o600);
      // The first one's state made room: it still is a prefix, and evaluated again.
      const prompt = [...idsOf(1, 200), 1];
      expect(await one.complete({ prompt, parent: prefixes[0]!.prefixId, ...settings })).toMatchObject({
        finish: "length",
      });
      // A file that somebody removed is evaluated again, too.
      await rm(stateDirectory, { recursive: true });
      await Promise.all([8, 9].map((seed) => one.complete({ prompt: idsOf(seed, 100), ...settings })));
      const last = await one.complete({ prompt: [...idsOf(3, 200), 1], parent: prefixes[2]!.prefixId, ...settings });
      expect(last).toMatchObject({ finish: "length", reusedTokens: 0 });
      await one.close();
      expect(existsSync(stateDirectory)).toBe(false);
    } finally {
      await rm(stateDirectory, { recursive: true, force: true });
    }
  });

  it("are evaluated again when their file is damaged", async () => {
    const stateDirectory = await mkdtemp(join(tmpdir(), "tito-test-"));
    try {
      await using two = await openTiny("F32", { sequences: 2 });
      await using one = await two.host({ stateDirectory });
      const { prefixId, stateBytes } = await one.prefillOnly(start);
      await Promise.all([8, 9].map((seed) => one.complete({ prompt: idsOf(seed, 100), ...settings })));
      const [directory] = readdirSync(stateDirectory);
      const [file] = readdirSync(join(stateDirectory, directory!));
      writeFileSync(join(stateDirectory, directory!, file!), Buffer.alloc(stateBytes));
      const call = await one.complete({ prompt: [...start, 1], parent: prefixId, ...settings });
      expect(call).toMatchObject({ finish: "length", reusedTokens: 0, evaluatedTokens: 201 });
      expect(one.stats).toMatchObject(idle(2));
    } finally {
      await rm(stateDirectory, { recursive: true });
    }
  });

  it("leave nothing behind when they are aborted", async () => {
    const controller = new AbortController();
    const running = host.prefillOnly(idsOf(77, 400), { signal: controller.signal });
    controller.abort(new Error("enough"));
    expect((await errorOf(() => running)).code).toBe("aborted");
    expect(host.stats).toMatchObject({ ...idle(4), prefixes: 0, stateBytes: 0 });
  });

  it("take a directory that is there only", async () => {
    await using one = await openTiny("F32");
    for (const options of [
      { stateDirectory: "/nowhere/at/all" },
      { maxQueue: -1 },
      { sequences: 2 },
      { maxSessions: 2 },
      { idle: 1 },
    ])
      expect((await errorOf(() => one.host(options as never))).code).toBe("sampler_option");
    expect((await one.session()).cachedTokens).toBe(0);
    expect((await errorOf(() => one.host())).code).toBe("no_sequence_left");
  });
});

describe("groups", () => {
  it.each([1, 2, 4])("evaluate their prompt once, on %i sequences", async (sequences) => {
    await using own = await openTiny("F32", { sequences });
    await using one = await own.host();
    const prompt = idsOf(60, 100);
    const completions = await collect(one.group(prompt, 9, { ...settings, seed: 4 }));
    expect(completions.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    for (const { index, seed, ids } of completions) {
      expect(seed).toBe(groupSeed(4, index));
      expect(ids).toHaveLength(12);
    }
    // All but the last id once; that one for each member, and of what was sampled all but the last.
    expect(one.stats.evaluatedTokens).toBe(99 + 9 + 9 * 11);
    expect(completions.reduce((sum, { evaluatedTokens }) => sum + evaluatedTokens, 0)).toBe(99 + 9);
    for (const { reusedTokens, evaluatedTokens } of completions) expect(reusedTokens + evaluatedTokens).toBe(100);
    expect(one.stats).toMatchObject({ ...idle(sequences), stateBytes: 0 });
  });

  it("take what is cached of their prompt, and prompts of one id", async () => {
    const prompt = idsOf(61, 100);
    await host.complete({ prompt, ...settings, maxTokens: 1 });
    const completions = await collect(host.group([...prompt, 1, 2], 2, settings));
    expect(completions.reduce((sum, { evaluatedTokens }) => sum + evaluatedTokens, 0)).toBe(3);
    expect(await collect(host.group([7], 5, settings))).toHaveLength(5);
  });

  it("give each member its own options", async () => {
    const options = (index: number) => ({ stop: [], maxTokens: index + 1, ...(index === 1 && { seed: 99 }) });
    const completions = await collect(host.group(idsOf(62, 40), 4, options));
    for (const { index, ids, seed } of completions) {
      expect(ids).toHaveLength(index + 1);
      if (index === 1) expect(seed).toBe(99);
    }
  });

  it("let others through", async () => {
    const order: string[] = [];
    const group = collect(host.group(idsOf(63, 40), 40, { ...settings })).then(() => order.push("group"));
    await nextCycle();
    await host.complete({ prompt: idsOf(64, 40), ...settings });
    order.push("call");
    await group;
    expect(order).toEqual(["call", "group"]);
  });

  it("end when their loop is left, and with the signal", async () => {
    for await (const _ of host.group(idsOf(65, 40), 30, { stop: [] })) break;
    expect(host.stats).toMatchObject({ ...idle(4), stateBytes: 0 });
    const controller = new AbortController();
    const finishes: string[] = [];
    for await (const { finish } of host.group(idsOf(66, 40), 12, { ...settings, signal: controller.signal })) {
      finishes.push(finish);
      controller.abort();
    }
    expect(finishes).toHaveLength(12);
    expect(finishes).toContain("aborted");
    const aborted = await collect(host.group(idsOf(66, 40), 3, { signal: AbortSignal.abort() }));
    expect(aborted.map(({ finish }) => finish)).toEqual(["aborted", "aborted", "aborted"]);
    expect(host.stats).toMatchObject({ ...idle(4), stateBytes: 0 });
    expect((await host.complete({ prompt: idsOf(1, 8), ...settings })).finish).toBe("length");
  });
});

describe("closing", () => {
  it("ends everything under way, and gives the sequences back", async () => {
    await using own = await openTiny("F32", { sequences: 3 });
    const one = await own.host();
    await one.prefillOnly(idsOf(1, 100));
    const session = await one.open();
    const waiting = Promise.allSettled(
      [1, 2, 3].map((seed) => one.complete({ prompt: idsOf(seed, 300), stop: [], maxTokens: 100 })),
    );
    const stream = one.infer({ sessionId: session.sessionId, prompt: idsOf(4, 20), stop: [] });
    await stream.next();
    const group = collect(one.group(idsOf(5, 300), 4, { stop: [], maxTokens: 100 }));
    const caught = Promise.allSettled([group, one.open({ id: "late" }), one.prefillOnly(idsOf(6, 300))]);
    await nextCycle();
    await one.close();
    for (const result of [...(await waiting), ...(await caught)])
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "session_ended" });
      else expect([result.value].flat().map((value) => (value as { finish?: string }).finish)).toContain("aborted");
    expect(await stream.next()).toMatchObject({ done: true, value: { finish: "aborted" } });
    for (const run of [
      () => one.complete({ prompt: [1] }),
      () => one.open(),
      () => one.session(session.sessionId),
      () => one.continue(session.sessionId, [1]),
    ])
      expect((await errorOf(run)).code).toBe("session_ended");
    await session.end();
    await one.close();
    await using again = await own.host();
    expect(again.stats).toMatchObject({ ...idle(3), evaluatedTokens: 0 });
    expect((await again.complete({ prompt: idsOf(1, 8), ...settings })).finish).toBe("length");
  });

  it("goes with the sampler's", async () => {
    const own = await openTiny("F32", { sequences: 2 });
    const one = await own.host();
    const saving = one.prefillOnly(idsOf(1, 400)).catch(({ code }) => code);
    const running = one.complete({ prompt: idsOf(2, 20), stop: [] });
    await nextCycle();
    await own.close();
    expect((await running).finish).toBe("aborted");
    expect(await saving).toBe("session_ended");
    expect((await errorOf(() => one.complete({ prompt: [1] }))).code).toBe("session_ended");
  });
});
