import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { packageRoot } from "../src/conform/locate.ts";
import type { Message } from "../src/messages/index.ts";
import { createRendererPool, type RendererPool } from "../src/pool/index.ts";
import type { Bench } from "./bench.ts";
import { writer } from "./generated.ts";
import { median } from "./measure.ts";
import type { Setting } from "./setting.ts";

const CONFIG = { name: "qwen3" } as const;
/** Above what the tokenizer keeps of whole texts, so that each render is work. */
const CHARACTERS = 120_000;
const THREADS = 2;
const SLOTS = 32;
const TOTAL_CHARACTERS = 10_000_000;
/** What a thread may cost. */
const MEMORY_LIMIT_MB = 15;

/** Renders on worker threads against renders in this thread: time, stalls, start and memory. */
export async function benchPool(bench: Bench, setting: Setting, smoke: boolean): Promise<void> {
  if (!["pool: throughput", "pool: longest stall", "pool: start", "pool: memory"].some((name) => bench.wants(name)))
    return;
  const { renderer, tokenizer } = setting;
  const conversations = texts(smoke ? 4 : 64).map((content): Message[] => [{ role: "user", content }]);
  await using pool = await createRendererPool(tokenizer, { config: CONFIG, size: THREADS, threads: THREADS });
  await pool.ready();
  const render = () => conversations.map((messages) => renderer.render(messages));

  await bench.measure({
    name: `pool: throughput, ${conversations.length} renders of ${CHARACTERS / 1000} KB, ${THREADS} threads`,
    run: () => pool.renderBatch(conversations),
    other: { name: "tito-rl, in this thread", run: render },
  });
  if (bench.wants("pool: longest stall")) await benchStalls(bench, setting, pool, smoke);
  await benchBuilt(bench, setting);
}

/** The longest time for which the event loop does nothing else. */
async function benchStalls(bench: Bench, { renderer }: Setting, pool: RendererPool, smoke: boolean): Promise<void> {
  const parts = texts(smoke ? 4 : Math.ceil(TOTAL_CHARACTERS / CHARACTERS));
  const size = `${(parts.join("").length / 1e6).toPrecision(2)} MB`;
  const batch = parts.map((content): Message[] => [{ role: "user", content }]);
  const one: Message[] = parts.flatMap((content) => [
    { role: "user", content },
    { role: "assistant", content: "yes" },
  ]);
  const works = {
    "in a batch": {
      ours: () => pool.renderBatch(batch),
      here: () => batch.map((messages) => renderer.render(messages)),
    },
    "in one conversation": { ours: () => pool.render(one), here: () => renderer.render(one) },
  };
  for (const [shape, { ours, here }] of Object.entries(works)) {
    const stalls: { ours: number[]; here: number[] } = { ours: [], here: [] };
    for (let run = 0; run < bench.effort.runs; run++) {
      stalls.ours.push(await longestStall(ours));
      // One measurement of the thread that does nothing else is enough.
      if (run === 0) stalls.here.push(await longestStall(here));
    }
    const [stall, peer] = [median(stalls.ours), median(stalls.here)];
    const row = { ours: stall, peer, peer_name: "tito-rl, in this thread", unit: "ms", ratio: peer / stall };
    bench.add({ name: `pool: longest stall, ${size} ${shape}`, ...row, runs: bench.effort.runs });
  }
}

async function longestStall(work: () => unknown): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const see = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(see, 1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  longest = 0;
  await work();
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(timer);
  return longest;
}

/** What threads cost is what the built package's threads cost: as source, they load a compiler first. */
async function benchBuilt(bench: Bench, { vocabulary }: Setting): Promise<void> {
  const built = (file: string) => join(packageRoot(), "dist", file);
  if (!existsSync(built("pool/worker.js"))) {
    bench.note("No start and memory of a pool's threads: npm run build makes the worker.");
    return;
  }
  const load = async <Module>(file: string) => (await import(pathToFileURL(built(file)).href)) as Module;
  const { createRendererPool } = await load<typeof import("../src/pool/index.ts")>("pool/index.js");
  const { loadTokenizer } = await load<typeof import("../src/index.ts")>("index.js");
  const { nameOrPath, eosToken } = vocabulary;
  const open = () => loadTokenizer(vocabulary.path, { nameOrPath, eosToken });
  const tokenizer = await open();
  await bench.measure({
    name: `pool: start of ${SLOTS} slots`,
    run: async () => {
      await using pool = await createRendererPool(tokenizer, { config: CONFIG, size: SLOTS });
      await pool.ready();
    },
    other: { name: "loading the tokenizer", run: open },
  });
  if (!bench.wants("pool: memory")) return;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const threads = 8;
  collect();
  const before = process.memoryUsage.rss();
  await using pool = await createRendererPool(tokenizer, { config: CONFIG, size: threads, threads });
  await pool.ready();
  collect();
  const ours = (process.memoryUsage.rss() - before) / threads / 1e6;
  const row = {
    ours,
    peer: MEMORY_LIMIT_MB,
    peer_name: "the limit",
    unit: "MB",
    ratio: MEMORY_LIMIT_MB / ours,
    runs: 1,
  };
  bench.add({ name: "pool: memory of a thread that has started", ...row });
}

function texts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const write = writer(index + 1);
    let text = "";
    while (text.length < CHARACTERS) text += `${write.prose(200)}\n${write.code(100)}`;
    return text.slice(0, CHARACTERS);
  });
}
