import { fileURLToPath } from "node:url";
import { getLlama, LlamaLogLevel, type Token } from "node-llama-cpp";
import {
  type GrammarOptions,
  loadSampler,
  type SampleOptions,
  type SegmentPolicy,
  type Session,
} from "../src/sampler/index.ts";
import type { Bench } from "./bench.ts";
import { median } from "./measure.ts";
import { measureSamplerMemory } from "./samplerMemory.ts";

const MODEL = fileURLToPath(new URL("../embedded-model/tito-calculator-qwen3.gguf", import.meta.url));
const BARE = "node-llama-cpp's evaluate";
const SEQUENCES = 16;
/** `<|im_start|>user\nWhat is 12 + 345?<|im_end|>\n<|im_start|>assistant\n` */
const PROMPT = [151644, 872, 198, 3838, 374, 220, 16, 17, 488, 220, 18, 19, 20, 30, 151645, 198, 151644, 77091, 198];
const MARKER = 151_657;

const NAMES = {
  free: "sampler: no grammar",
  dormant: "sampler: lazy grammar, dormant",
  awake: "sampler: grammar, awake",
  sideBySide: `sampler: ${SEQUENCES} sequences side by side`,
};

/** Calls of the calculator, one after the other: the grammar is awake for as many ids as the bare loop samples. */
const CALL: GrammarOptions = {
  gbnf: String.raw`root ::= call ("\n<tool_call>" call){50}
call ::= "\n{\"name\": \"calculator\", \"arguments\": {\"expression\": \"" [-0-9+*/(). ]+ "\"}}\n</tool_call>"`,
  preservedTokens: ["<tool_call>", "</tool_call>"],
};

/** Completions of the embedded model against a bare loop that does no more than sample: all ids kept, temperature 1. */
export async function benchSampler(bench: Bench, smoke: boolean): Promise<void> {
  if (!bench.wantsSome("sampler: ")) return;
  const maxTokens = smoke ? 8 : 32;
  await using sampler = await loadSampler(MODEL, { threads: 1, contextSize: 256 });
  const session = await sampler.session();
  const bare = await bareLoop();
  let seed = 0;
  const sample =
    (options: SampleOptions, prompt = PROMPT) =>
    () =>
      session.complete(prompt, { maxTokens, stop: [], seed: seed++, ...options });

  const lazy: GrammarOptions = { gbnf: 'root ::= "~~~~" [a-z]+', lazy: true, triggers: [{ word: "~~~~" }] };
  const call = await callPrompt(session);
  const rows: [string, number[], SampleOptions][] = [
    [NAMES.free, PROMPT, {}],
    [NAMES.dormant, PROMPT, { grammar: lazy }],
    [NAMES.awake, call, { grammar: CALL }],
  ];
  for (const [name, prompt, options] of rows) {
    for (const topK of [0, 20]) {
      for (const logprobs of [false, true])
        await bench.measure({
          name: `${name}${topK > 0 ? ", top 20" : ""}${logprobs ? ", with log-probabilities" : ""}`,
          run: sample({ ...options, topK, logprobs }, prompt),
          other: { name: BARE, run: () => bare(prompt, maxTokens, topK) },
        });
    }
  }
  await benchSwaps(bench, sample, maxTokens);
  await benchSideBySide(bench, maxTokens);
  await benchMemory(bench, smoke);
}

/** What generations leave behind, after garbage collection. */
async function benchMemory(bench: Bench, smoke: boolean): Promise<void> {
  const generations = smoke ? 40 : 2000;
  const name = `sampler: memory, growth per 1,000 of ${generations} generations`;
  if (!bench.wants(name)) return;
  const { slope } = await measureSamplerMemory(generations);
  bench.add({ name, ours: slope / 1e6, peer: null, peer_name: null, unit: "MB", ratio: null, runs: 1 });
}

/** Up to a call of the model's own, at whose beginning the grammar is awake. */
async function callPrompt(session: Session): Promise<number[]> {
  const { ids } = await session.complete(PROMPT, { temperature: 0, maxTokens: 64 });
  return [...PROMPT, ...ids.subarray(0, ids.indexOf(MARKER) + 1)];
}

async function bareLoop(): Promise<(prompt: number[], maxTokens: number, topK: number) => Promise<void>> {
  const llama = await getLlama({ gpu: false, build: "never", maxThreads: 0, logLevel: LlamaLogLevel.error });
  const model = await llama.loadModel({ modelPath: MODEL });
  const context = await model.createContext({ contextSize: 256, threads: 1 });
  const sequence = context.getSequence();
  let seed = 0;
  return async (prompt, maxTokens, topK) => {
    await sequence.adaptStateToTokens(prompt.slice(0, -1) as Token[], false);
    const options = { temperature: 1, topK, topP: 1, minP: 0, seed: seed++, yieldEogToken: true };
    let left = maxTokens;
    for await (const _ of sequence.evaluate(prompt.slice(-1) as Token[], options)) if (--left === 0) break;
  };
}

/** Every id is a marker, so that the samplers take turns; against the same without them. */
async function benchSwaps(
  bench: Bench,
  sample: (options: SampleOptions) => () => Promise<unknown>,
  maxTokens: number,
): Promise<void> {
  const name = "sampler: one greedy swap";
  if (!bench.wants(name)) return;
  const markers = { start: "<tool_call>", end: "<tool_call>" };
  const segments: SegmentPolicy = { toolCallMarkers: markers, greedy: "span" };
  const always = { logprobs: false, logitBias: { [MARKER]: 100 } };
  const runs = { swapped: sample({ ...always, segments }), plain: sample({ ...always, temperature: 0 }) };
  const times = { swapped: [] as number[], plain: [] as number[] };
  for (let run = 0; run < bench.effort.runs + 1; run++) {
    for (const kind of ["swapped", "plain"] as const) {
      const start = performance.now();
      await runs[kind]();
      if (run > 0) times[kind].push((performance.now() - start) / maxTokens);
    }
  }
  const ours = median(times.swapped) - median(times.plain);
  bench.add({ name, ours, peer: null, peer_name: null, unit: "ms", ratio: null, runs: bench.effort.runs });
}

/** An id of all sequences together against one of a single sequence. */
async function benchSideBySide(bench: Bench, maxTokens: number): Promise<void> {
  if (!bench.wantsSome(NAMES.sideBySide)) return;
  await using sampler = await loadSampler(MODEL, { threads: 1, contextSize: 256, sequences: SEQUENCES });
  const sessions = await Promise.all(Array.from({ length: SEQUENCES }, () => sampler.session()));
  for (const topK of [0, 20]) {
    const name = `${NAMES.sideBySide}${topK > 0 ? ", top 20" : ""}, an id`;
    if (!bench.wants(name)) continue;
    const times: Record<"one" | "all", number[]> = { one: [], all: [] };
    for (let run = 0; run < bench.effort.runs + 1; run++) {
      for (const kind of ["one", "all"] as const) {
        const some = kind === "one" ? sessions.slice(0, 1) : sessions;
        const start = performance.now();
        const options = (i: number) => ({ maxTokens, stop: [], topK, seed: run * SEQUENCES + i });
        await Promise.all(some.map((session, i) => session.complete(PROMPT, options(i))));
        if (run > 0) times[kind].push((performance.now() - start) / (maxTokens * some.length));
      }
    }
    const [ours, peer] = [median(times.all), median(times.one)];
    const against = { peer, peer_name: "one sequence", ratio: peer / ours };
    bench.add({ name, ours, ...against, unit: "ms wall", runs: bench.effort.runs });
  }
}
