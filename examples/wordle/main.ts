/*
 * Wordle: several turns, and every answer of the world is a user's message.
 *
 *   npx tsx examples/wordle/main.ts
 *
 * Qwen3's template drops earlier thinking when a user speaks. So a rollout that keeps to it (thinkingRetention "tool_cycle") breaks
 * at every guess, and falls apart into as many training samples; with "all" it stays one sequence of what was sampled.
 */
import { type EpisodesOptions, playEpisodes } from "../playEpisodes.ts";
import { wordle } from "./environment.ts";

const limits = { maxTokens: 48, maxSequenceLength: 1024 };

export async function main(options: EpisodesOptions = {}) {
  const { print = console.log } = options;
  const environment = wordle({ guesses: 4 });
  print('thinkingRetention: "all"');
  const whole = await playEpisodes(environment, { ...limits, thinkingRetention: "all" }, options);
  print('\nthinkingRetention: "tool_cycle"');
  const broken = await playEpisodes(environment, { ...limits, thinkingRetention: "tool_cycle" }, options);
  const first = broken.flatMap(({ rollout }) => rollout.breaks)[0];
  if (first) print(`${first.reason}: ${first.message}`);
  return { whole, broken };
}

if (process.argv[1] === import.meta.filename) await main();
