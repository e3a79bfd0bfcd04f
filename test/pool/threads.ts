import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { afterAll } from "vitest";
import { openPool } from "../../src/pool/createRendererPool.ts";
import type { RendererPoolOptions } from "../../src/pool/index.ts";
import { tokenizer } from "../support/qwen3.ts";

export const config = { name: "qwen3" } as const;

/** Everything goes to the threads. */
export const inThreads = { config, size: 2, threads: 2, inlineBelow: 0 } as const;

const source = (file: string) => fileURLToPath(new URL(`../../src/pool/${file}`, import.meta.url));

/** The worker as it is built for the package, which starts much faster than its source. */
const worker = await (async () => {
  const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "tito-pool-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const outfile = join(folder, "worker.mjs");
  await build({
    entryPoints: [source("worker.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    alias: { zod: source("noSchemas.mjs") },
  });
  return pathToFileURL(outfile);
})();

/** A pool on built workers. Its jobs pass through the test's hands on their way to a thread. */
export function poolWith(
  options: RendererPoolOptions = {},
  onPost: (worker: Worker, post: () => void) => void = (_, post) => post(),
) {
  return openPool(
    tokenizer,
    { ...inThreads, ...options },
    {
      startThread: (workerData) => () => {
        const thread = new Worker(worker, { workerData });
        const postMessage = thread.postMessage.bind(thread);
        thread.postMessage = (message: unknown) => onPost(thread, () => postMessage(message));
        return thread;
      },
    },
  );
}

/** A pool whose jobs wait before the threads until they are let through. */
export async function gatedPool(options: RendererPoolOptions = {}) {
  const held: (() => void)[] = [];
  let isOpen = false;
  const pool = await poolWith(options, (_, post) => {
    if (isOpen) post();
    else held.push(post);
  });
  await pool.ready();
  return {
    pool,
    held,
    /** Lets all jobs through, from now on. */
    open: () => {
      isOpen = true;
      for (const post of held.splice(0)) post();
    },
  };
}

/** A pool whose thread dies instead of taking a job, at these jobs; tried again, a job counts again. */
export function crashingPool(at: readonly number[], options: RendererPoolOptions = {}) {
  let job = 0;
  return poolWith(options, (worker, post) => {
    if (at.includes(job++)) void worker.terminate();
    else post();
  });
}

export const code = (code: string) => ({ name: "TitoError", code });
