import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { type ImageProcessor, loadImages } from "../../src/images/index.ts";
import { createRenderer, loadTokenizer, type Message } from "../../src/index.ts";
import { openPool } from "../../src/pool/createRendererPool.ts";
import { createRendererPool, type PoolWarning } from "../../src/pool/index.ts";
import { modelFile, qwen3, tokenizer } from "../support/qwen3.ts";
import { toyJson } from "../tokenizer/toy.ts";
import { code, config, crashingPool, gatedPool, inThreads, poolWith } from "./threads.ts";

const messages: Message[] = [{ role: "user", content: "hi" }];
const expected = qwen3().renderIds(messages);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a thread that dies", () => {
  it("is replaced, and its job done by another", async () => {
    await using pool = await crashingPool([0]);
    expect(await pool.renderIds(messages)).toEqual(expected);
    expect(await pool.renderIds(messages)).toEqual(expected);
  });

  it("twice under the same job fails the job, and only that", async () => {
    await using pool = await crashingPool([0, 1], { size: 1, threads: 1 });
    const [first, second] = await Promise.allSettled([pool.renderIds(messages), pool.renderIds(messages)]);
    expect(first).toMatchObject({ status: "rejected", reason: code("pool_slot_crashed") });
    expect(second).toEqual({ status: "fulfilled", value: expected });
  });

  it("under a batch or a checked-out renderer costs nothing but time", async () => {
    await using pool = await crashingPool([0, 2]);
    const renderer = await pool.checkout();
    expect(await renderer.renderIds(messages)).toEqual(expected);
    expect((await pool.renderBatch([messages, messages])).map(({ tokenIds }) => tokenIds)).toEqual([
      expected,
      expected,
    ]);
    expect(await renderer.renderIds(messages)).toEqual(expected);
  });

  it.each([
    ["throws", () => new Worker("throw new Error('no luck')", { eval: true })],
    ["ends", () => new Worker("process.exit(3)", { eval: true })],
    [
      "cannot be made",
      () => {
        throw new Error("no luck");
      },
    ],
  ])("as it starts (%s) fails all who wait, and does not try for ever", async (_, start) => {
    let starts = 0;
    const startThread = () => () => {
      starts++;
      return start();
    };
    await using pool = await openPool(tokenizer, inThreads, { startThread });
    const calls = Array.from({ length: 5 }, () => pool.renderIds(messages));
    for (const call of await Promise.allSettled(calls))
      expect(call).toMatchObject({ status: "rejected", reason: code("pool_slot_crashed") });
    await expect(pool.ready()).rejects.toMatchObject(code("pool_slot_crashed"));
    expect(starts).toBeLessThan(10);
  });
});

describe("waiting", () => {
  it("is bounded, for calls and for checkouts", async () => {
    const { pool, open } = await gatedPool({ size: 1, threads: 1, maxQueue: 2 });
    const calls = Array.from({ length: 3 }, () => pool.renderIds(messages));
    await expect(pool.renderIds(messages)).rejects.toMatchObject(code("pool_queue_full"));
    const held = await pool.checkout();
    const checkouts = [pool.checkout(), pool.checkout()];
    await expect(pool.checkout()).rejects.toMatchObject(code("pool_queue_full"));
    open();
    expect(await Promise.all(calls)).toEqual([expected, expected, expected]);
    held.release();
    (await checkouts[0]).release();
    (await checkouts[1]).release();
    await pool.close();
  });

  it("leaves room again once somebody gives up", async () => {
    const { pool, open } = await gatedPool({ size: 1, threads: 1, maxQueue: 1 });
    const first = pool.renderIds(messages);
    const controller = new AbortController();
    const given = pool.renderIds(messages, { signal: controller.signal });
    controller.abort();
    await expect(given).rejects.toMatchObject(code("aborted"));
    const second = pool.renderIds(messages);
    open();
    expect(await Promise.all([first, second])).toEqual([expected, expected]);
    await pool.close();
  });

  it("is not needed for a batch of any length", async () => {
    await using pool = await poolWith({ maxQueue: 0 });
    const long: Message[] = [{ role: "user", content: "word ".repeat(14_000) }];
    const batch = Array.from({ length: 12 }, () => long);
    expect(await pool.renderBatch(batch)).toHaveLength(12);
  });

  it("ends at once with a signal or a time limit, whether the call waits or runs", async () => {
    const { pool, open } = await gatedPool({ size: 1, threads: 1 });
    const running = new AbortController();
    const reason = new Error("no longer needed");
    const calls = [
      pool.renderIds(messages, { signal: running.signal }),
      pool.renderBatch([messages], { signal: running.signal }),
      pool.parseResponse(expected, { prompt: [], timeoutMs: 5 }),
      pool.bridgeToNextTurn({
        promptIds: expected,
        completionIds: [],
        newMessages: messages,
        signal: AbortSignal.abort(),
      }),
    ];
    running.abort(reason);
    const ends = await Promise.allSettled(calls);
    expect(ends.map((end) => end.status === "rejected" && end.reason.code)).toEqual([
      "aborted",
      "aborted",
      "pool_timeout",
      "aborted",
    ]);
    expect(ends[0]).toMatchObject({ reason: { cause: reason } });
    open();
    expect(await pool.renderIds(messages)).toEqual(expected);
    const held = await pool.checkout();
    await expect(pool.checkout({ timeoutMs: 5 })).rejects.toMatchObject(code("pool_timeout"));
    held.release();
    (await pool.checkout()).release();
    await pool.close();
  });
});

describe("closing", () => {
  it("finishes what was taken, and takes no more", async () => {
    const { pool, open } = await gatedPool({ size: 1, threads: 1 });
    const held = await pool.checkout();
    const waiting = pool.checkout();
    const calls = [pool.renderIds(messages), held.renderIds(messages), pool.renderBatch([messages])];
    const closing = pool.close();
    await expect(waiting).rejects.toMatchObject(code("pool_closed"));
    const late = [
      pool.render(messages),
      pool.renderBatch([messages]),
      pool.parseBatch([]),
      pool.checkout(),
      pool.parser({ prompt: [] }),
      pool.ready(),
      held.renderIds(messages),
    ];
    for (const call of await Promise.allSettled(late))
      expect(call).toMatchObject({ status: "rejected", reason: code("pool_closed") });
    open();
    const [first, second, [third]] = (await Promise.all(calls)) as [Int32Array, Int32Array, [{ tokenIds: Int32Array }]];
    expect([first, second, third.tokenIds]).toEqual([expected, expected, expected]);
    await closing;
    await pool.close();
    held.release();
  });

  it("ends at once where its signal says so", async () => {
    const { pool } = await gatedPool();
    const call = pool.renderIds(messages);
    const waiting = pool.close();
    const [closing, lost] = await Promise.allSettled([pool.close({ signal: AbortSignal.abort() }), call]);
    await waiting;
    expect(closing).toMatchObject({ status: "rejected", reason: code("aborted") });
    expect(lost).toMatchObject({ status: "rejected", reason: code("pool_closed") });
  });
});

describe("a checkout", () => {
  it("waits its turn", async () => {
    await using pool = await poolWith({ size: 1 });
    const order: string[] = [];
    const first = await pool.checkout();
    const next = ["a", "b"].map(async (name) => {
      await using renderer = await pool.checkout();
      order.push(name);
      await renderer.renderIds(messages);
    });
    await turn();
    expect(order).toEqual([]);
    await pool.renderIds(messages);
    first.release();
    first.release();
    await Promise.all(next);
    expect(order).toEqual(["a", "b"]);
    await expect(first.renderIds(messages)).rejects.toMatchObject(code("checkout_released"));
  });

  it("that is forgotten is taken back and reported", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const warnings: PoolWarning[] = [];
    await using pool = await createRendererPool(tokenizer, {
      config,
      size: 1,
      onWarning: (warning) => warnings.push(warning),
    });
    await (async () => {
      const { renderIds } = await pool.checkout();
      collect();
      await turn();
      expect(await renderIds(messages)).toEqual(expected);
    })();
    const next = pool.checkout({ timeoutMs: 30_000 });
    for (let i = 0; warnings.length === 0 && i < 200; i++) {
      collect();
      await turn();
    }
    expect(warnings).toEqual([expect.objectContaining({ code: "pool_checkout_abandoned" })]);
    (await next).release();
  });
});

describe("images", () => {
  it("that were loaded, or that only this thread can read, keep a call from the threads", async () => {
    const imageProcessor: ImageProcessor = { name: "none", process: () => ({ tokens: 1 }) };
    const { pool } = await gatedPool({ imageProcessor });
    const images = await loadImages(messages);
    expect(await pool.renderIds(messages, { images })).toEqual(expected);
    const seen: Message[] = [{ role: "user", content: [{ type: "image", image: "data:image/png;base64,AAAA" }] }];
    const error = await pool.render(seen).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "TitoError" });
    await expect(pool.renderBatch([messages, seen])).rejects.toMatchObject({ details: { item: 1 } });
    await pool.close();
  });
});

describe("making a pool", () => {
  it("takes a model's file, and says what it made", async () => {
    await using pool = await createRendererPool(modelFile, { config, size: 3, threads: 2 });
    expect([pool.size, pool.threads]).toEqual([3, 2]);
    await pool.ready();
    await using inline = await createRendererPool(modelFile, { config, size: 0 });
    expect([inline.size, inline.threads]).toEqual([0, 0]);
    expect(await inline.renderIds(messages)).toEqual(await pool.renderIds(messages));
  });

  it("resolves the config once: template variables reach the threads", async () => {
    const chatTemplateKwargs = { enable_thinking: false };
    await using pool = await poolWith({ chatTemplateKwargs });
    const options = { addGenerationPrompt: true };
    expect(await pool.renderIds(messages, options)).toEqual(
      qwen3({ enableThinking: false }).renderIds(messages, options),
    );
  });

  it("lets threads load a tokenizer that has no tables to share, or does without them and says so", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tito-pool-"));
    try {
      const markers = [
        "<|im_start|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
      ];
      const json = JSON.stringify(toyJson({ added: markers })).replace("\\\\p{N}|", "[\\\\p{N}]|");
      const path = join(folder, "tokenizer.json");
      await writeFile(path, json);
      const fallback = await loadTokenizer(path);
      const warnings: string[] = [];
      const options = { ...inThreads, onWarning: ({ code }: PoolWarning) => void warnings.push(code) };
      await using threaded = await createRendererPool(path, options);
      expect(threaded.threads).toBe(2);
      const ids = createRenderer(fallback, config).renderIds(messages);
      expect(await threaded.renderIds(messages)).toEqual(ids);
      expect(warnings).toEqual([]);
      await using inline = await createRendererPool(fallback, options);
      expect(inline.threads).toBe(0);
      expect(await inline.renderIds(messages)).toEqual(ids);
      expect(warnings).toEqual(["pool_inline"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("refuses wrong options", async () => {
    const wrong = [
      { size: -1 },
      { size: 1.5 },
      { threads: -1 },
      { maxQueue: Number.NaN },
      { inlineBelow: -1 },
      { sise: 2 },
    ];
    for (const options of wrong)
      await expect(createRendererPool(tokenizer, { config, ...options })).rejects.toMatchObject(code("pool_option"));
    await expect(
      createRendererPool(tokenizer, { config: { name: "default", toolParser: "none such" } }),
    ).rejects.toMatchObject({
      code: "unknown_parser",
    });
    await expect(createRendererPool(modelFile, { config, signal: AbortSignal.abort() })).rejects.toMatchObject(
      code("aborted"),
    );
    await using pool = await createRendererPool(tokenizer, { config });
    await expect(pool.render(messages, { timeoutMs: Number.NaN })).rejects.toMatchObject(code("pool_option"));
  });
});

it("light work lets the event loop go on", async () => {
  await using pool = await createRendererPool(tokenizer, { config, size: 0, maxQueue: 10_000 });
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const unique = Array.from({ length: 3000 }, (_, i): Message[] => [
    { role: "user", content: `${i} words `.repeat(40) },
  ]);
  await Promise.all(unique.map((one) => pool.renderIds(one)));
  isDone = true;
  expect(turns).toBeGreaterThan(1);
});
