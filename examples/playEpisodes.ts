import { createRenderer, loadTokenizer, type ThinkingRetention, type Turn } from "../src/index.ts";
import { loadSampler } from "../src/sampler/index.ts";
import { embeddedModel } from "./embeddedModel.ts";
import type { Environment } from "./environment.ts";
import { type Played, play } from "./play.ts";
import { subSeed } from "./random.ts";
import { table } from "./table.ts";

/** What every environment's `main` takes. */
export interface EpisodesOptions {
  /** A GGUF model of the Qwen3 family. Default: the embedded one, which knows the calculator game only. */
  readonly model?: string;
  /** Default 3. */
  readonly episodes?: number;
  /** The same seed plays the same episodes. Default 1. */
  readonly seed?: number;
  readonly print?: (text: string) => void;
}

interface Limits {
  readonly maxTokens: number;
  readonly maxSequenceLength: number;
  /** `"all"` (default): one sequence, or an error. `"tool_cycle"`: as Qwen3's template; a user's turn breaks the sequence. */
  readonly thinkingRetention?: ThinkingRetention;
}

/** Plays episodes of any environment on a model, and prints what came of each. */
export async function playEpisodes(
  environment: Environment,
  { maxTokens, maxSequenceLength, thinkingRetention = "all" }: Limits,
  { model = embeddedModel, episodes = 3, seed = 1, print = console.log }: EpisodesOptions = {},
): Promise<readonly Played[]> {
  const renderer = createRenderer(await loadTokenizer(model), { name: "qwen3", thinkingRetention });
  await using sampler = await loadSampler(model, { threads: 1, contextSize: maxSequenceLength });
  const session = await sampler.session();
  const played: Played[] = [];
  for (let id = 0; id < episodes; id++) {
    const own = subSeed(seed, id);
    const episode = environment.start(own);
    const sampling = { temperature: 1, topK: 64 };
    const unbroken = thinkingRetention === "all";
    const limits = { maxTokens, maxSequenceLength, unbroken };
    played.push(await play({ id, seed: own, renderer, session, episode, sampling, ...limits }));
  }
  print(summary(played));
  return played;
}

function summary(played: readonly Played[]): string {
  const head = ["episode", "reward", "turns", "tokens", "tool calls", "samples", "breaks"];
  const rows = played.map(({ id, reward, rollout }) => {
    const total = (count: (turn: Turn) => number) => rollout.turns.reduce((sum, turn) => sum + count(turn), 0);
    return [
      id,
      reward.toFixed(2),
      rollout.turns.length,
      total(({ completionIds }) => completionIds.length),
      total(({ parsed }) => parsed.toolCalls.length),
      rollout.samples().length,
      rollout.breaks.length,
    ].map(String);
  });
  return table([head, ...rows]);
}
