import { availableParallelism } from "node:os";
import type * as nodeLlamaCpp from "node-llama-cpp";
import type { Llama, LlamaModel } from "node-llama-cpp";
import { TitoError } from "../errors.ts";
import type { Gpu } from "./types.ts";

export type NativeModule = typeof nodeLlamaCpp;

/** A started llama.cpp, and the lines of its error log since the last look. */
export interface NativeRuntime {
  readonly module: NativeModule;
  readonly llama: Llama;
  readonly takeErrorLog: () => readonly string[];
}

const installCommand = "npm install node-llama-cpp@^3.22.1";
const logLines = 20;

/**
 * The only place that loads node-llama-cpp: the package is an optional peer, 0.8 s to load, and ESM only.
 * @throws TitoError `sampler_missing` with the command that installs it.
 */
export async function importNative(
  load: () => Promise<NativeModule> = () => import("node-llama-cpp"),
): Promise<NativeModule> {
  try {
    return await load();
  } catch (cause) {
    const code = (cause as { code?: unknown }).code;
    const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
    const what = missing ? "is not installed" : "is installed but could not be loaded";
    throw new TitoError(
      "sampler_missing",
      `The native sampler needs the package node-llama-cpp, which ${what}. Run \`${installCommand}\`.`,
      { details: { command: installCommand }, cause },
    );
  }
}

const runtimes = new Map<Gpu, Promise<NativeRuntime>>();

/**
 * llama.cpp, started from a prebuilt binary; nothing is downloaded or compiled. Started once and kept: disposing one instance of
 * node-llama-cpp takes the logger and the backend from every other one of the process.
 * @throws TitoError `sampler_missing`.
 */
export function startNative(gpu: Gpu): Promise<NativeRuntime> {
  const running = runtimes.get(gpu);
  if (running !== undefined) return running;
  const starting = start(gpu);
  runtimes.set(gpu, starting);
  starting.catch(() => runtimes.delete(gpu));
  return starting;
}

async function start(gpu: Gpu): Promise<NativeRuntime> {
  const module = await importNative();
  const lines: string[] = [];
  try {
    const llama = await module.getLlama({
      gpu,
      build: "never",
      skipDownload: true,
      progressLogs: false,
      // No common limit: every context says how many threads it takes.
      maxThreads: 0,
      logLevel: module.LlamaLogLevel.error,
      logger: (_level, message) => {
        lines.push(message.trim());
        if (lines.length > logLines) lines.shift();
      },
    });
    return { module, llama, takeErrorLog: () => lines.splice(0) };
  } catch (cause) {
    if (!(cause instanceof module.NoBinaryFoundError)) throw cause;
    throw new TitoError(
      "sampler_missing",
      `node-llama-cpp has no prebuilt binary for ${process.platform}-${process.arch} with gpu: ${JSON.stringify(gpu)}. ` +
        `Its binaries are optional dependencies: run \`${installCommand}\` without --omit=optional, or load with gpu: false.`,
      { details: { command: installCommand, gpu }, cause },
    );
  }
}

/** More threads than cores make evaluation slower by orders of magnitude: llama.cpp's threads spin while they wait for each other. */
export function defaultThreads(llama: Llama): number {
  return Math.max(1, Math.min(llama.cpuMathCores, availableParallelism()));
}

/** Ids of the model that llama.cpp treats as an end of generation. */
export function eogIdsOf(model: LlamaModel): number[] {
  const ids: number[] = [];
  for (const token of model.iterateAllTokens()) if (model.isEogToken(token)) ids.push(token);
  return ids;
}
