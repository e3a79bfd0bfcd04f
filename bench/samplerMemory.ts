import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { loadSampler } from "../src/sampler/index.ts";
import { median } from "./measure.ts";

export interface SamplerMemory {
  readonly generations: number;
  /** RSS after garbage collection, in bytes, at even distances. */
  readonly rss: readonly number[];
  /** Growth over the second half of the generations, in bytes per 1,000: the median slope of all pairs of samples. */
  readonly slope: number;
}

const MODEL = fileURLToPath(new URL("../embedded-model/tito-calculator-qwen3.gguf", import.meta.url));
const SEQUENCES = 4;
const LENGTHS = [8, 16, 40];
const SAMPLES = 20;
const COLLECTIONS = 5;

/**
 * Generations of every kind on one host (calls, streams, sessions, groups, prefixes, aborts), and what the process's memory does meanwhile.
 * The first half is left out: the allocator and the caches of JavaScript take their size in it.
 */
export async function measureSamplerMemory(generations: number): Promise<SamplerMemory> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await using sampler = await loadSampler(MODEL, { sequences: SEQUENCES, contextSize: 256, threads: 1 });
  await using host = await sampler.host();
  const kinds = [call, stream, turns, group, prefix, cut];
  const every = Math.max(kinds.length, Math.floor(generations / SAMPLES));
  const rss: number[] = [];
  let done = 0;
  for (let round = 0; done < generations; round++) {
    const some = Array.from({ length: SEQUENCES }, (_, i) =>
      kinds[(round + i) % kinds.length]!(host, round * SEQUENCES + i),
    );
    for (const count of await Promise.all(some)) done += count;
    if (done < (rss.length + 1) * every) continue;
    // What is collected lets go of native objects in a later turn, and some of those of others.
    for (let turn = 0; turn < COLLECTIONS; turn++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    rss.push(process.memoryUsage.rss());
  }
  const half = rss.slice(Math.floor(rss.length / 2));
  return { generations: done, rss, slope: (slopeOf(half) / every) * 1000 };
}

type Host = Awaited<ReturnType<Awaited<ReturnType<typeof loadSampler>>["host"]>>;

const idsOf = (seed: number): number[] =>
  Array.from({ length: LENGTHS[seed % LENGTHS.length]! }, (_, i) => 16 + ((seed * 7 + i * i) % 80));

const options = (seed: number) => ({ maxTokens: 4, stop: [], topK: 20, seed });

async function call(host: Host, seed: number): Promise<number> {
  await host.complete({ prompt: idsOf(seed), ...options(seed) });
  return 1;
}

async function stream(host: Host, seed: number): Promise<number> {
  for await (const _ of host.infer({ prompt: idsOf(seed), ...options(seed) })) if (seed % 2) break;
  return 1;
}

async function turns(host: Host, seed: number): Promise<number> {
  await using session = await host.open();
  for (const turn of [0, 1, 2]) await host.continue(session.sessionId, idsOf(seed + turn), options(seed));
  return 3;
}

async function group(host: Host, seed: number): Promise<number> {
  let count = 0;
  for await (const _ of host.group(idsOf(seed), 4, options(seed))) count++;
  return count;
}

async function prefix(host: Host, seed: number): Promise<number> {
  const start = idsOf(seed);
  const { prefixId } = await host.prefillOnly(start);
  await host.complete({ prompt: [...start, 17], parent: prefixId, ...options(seed) });
  await host.release(prefixId);
  return 1;
}

async function cut(host: Host, seed: number): Promise<number> {
  const controller = new AbortController();
  const running = host.complete({ prompt: idsOf(seed), ...options(seed), maxTokens: 100, signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  await running;
  return 1;
}

/** Per step: the median over all pairs, since a sample now and then holds what is freed a moment later. */
function slopeOf(values: readonly number[]): number {
  const slopes = values.flatMap((one, i) =>
    values.slice(i + 1).map((other, distance) => (other - one) / (distance + 1)),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const memory = await measureSamplerMemory(Number(process.argv[2] ?? 10_000));
  const mega = (bytes: number) => (bytes / 1e6).toFixed(1);
  console.log(
    `${memory.generations} generations, RSS after garbage collection in MB: ${memory.rss.map(mega).join(" ")}`,
  );
  console.log(`slope of the second half: ${mega(memory.slope)} MB per 1,000 generations`);
}
