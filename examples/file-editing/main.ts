/*
 * File editing: a task with three tools, many calls, and a checker.
 *
 *   npx tsx examples/file-editing/main.ts
 *
 * The embedded model calls a calculator that is not there, is told so, and gives up. What another model does with the files is up
 * to it.
 */
import { type EpisodesOptions, playEpisodes } from "../playEpisodes.ts";
import { fileEditing } from "./environment.ts";

export const main = (options: EpisodesOptions = {}) =>
  playEpisodes(fileEditing({ turns: 6 }), { maxTokens: 96, maxSequenceLength: 2048 }, options);

if (process.argv[1] === import.meta.filename) await main();
