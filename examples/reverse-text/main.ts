/*
 * Reverse text: a single turn, scored by how much of it is right.
 *
 *   npx tsx examples/reverse-text/main.ts
 *
 * The embedded model has never heard of it, and earns nothing: what is to be seen is the loop.
 */
import { type EpisodesOptions, playEpisodes } from "../playEpisodes.ts";
import { reverseText } from "./environment.ts";

export const main = (options: EpisodesOptions = {}) =>
  playEpisodes(reverseText(), { maxTokens: 64, maxSequenceLength: 512 }, options);

if (process.argv[1] === import.meta.filename) await main();
