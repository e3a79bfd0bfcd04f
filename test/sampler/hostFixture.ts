import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HostStats, type LoadSamplerOptions, loadSampler, type Sampler } from "../../src/sampler/index.ts";
import { byteLevelVocabulary } from "../support/tinyVocabulary.ts";
import { writeTinyModel } from "../support/writeGguf.ts";

const vocabulary = byteLevelVocabulary({ special: ["<|end|>"], eos: "<|end|>" });
export const tinyVocabSize = vocabulary.tokens.length;

/** A model of one layer and some hundred ids: what is tested is who gets which sequence, not what the model says. */
export async function openTiny(weights: "F16" | "F32", options: LoadSamplerOptions = {}): Promise<Sampler> {
  const directory = await mkdtemp(join(tmpdir(), "tito-test-"));
  const path = join(directory, "tiny.gguf");
  writeTinyModel(path, { vocabulary, weights });
  const sampler = await loadSampler(path, { threads: 1, contextSize: 512, ...options });
  // llama.cpp has mapped the file.
  await rm(directory, { recursive: true });
  return sampler;
}

/** Ids that have nothing to do with each other, the same for the same seed. */
export const idsOf = (seed: number, length: number): number[] =>
  Array.from({ length }, (_, i) => (Math.imul(seed * 4096 + i + 1, 0x9e3779b1) >>> 8) % (tinyVocabSize - 1));

/** Nothing is held: what must be true when everybody is done. */
export const idle = (sequences: number): Partial<HostStats> => ({
  sequences,
  free: sequences,
  sessions: 0,
  waiting: 0,
});

export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

export const nextCycle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
