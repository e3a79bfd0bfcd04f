import { setTimeout } from "node:timers/promises";
import type { LlamaContext, LlamaContextOptions, LlamaModel, Token } from "node-llama-cpp";
import { TitoError } from "../errors.ts";
import { requireToolsOfFile, type ToolRequirement, toolRequirements } from "../models/info/requireTools.ts";
import { type AllIds, nativeTopK } from "./chain.ts";
import { checkModelFile } from "./modelFile.ts";
import { defaultThreads, eogIdsOf, type NativeRuntime, startNative } from "./native.ts";
import { refuse } from "./refuse.ts";
import { Sampler } from "./sampler.ts";
import type { Gpu, SamplerModelInfo } from "./types.ts";

export interface LoadSamplerOptions {
  /**
   * Threads that evaluate. Default: the cores that are good at arithmetic. llama.cpp's threads spin while they wait for each other, so
   * that on a machine with other work fewer are much faster.
   */
  readonly threads?: number;
  /**
   * How many ids prompt and completion of a session may have together, rounded up to a multiple of 256. At most what the model was
   * trained on. Default: that, or 8192 if it is more. Every sequence has a cache of this size.
   */
  readonly contextSize?: number;
  /** How many sessions can be open at the same time, 1 to 256. Default 1. */
  readonly sequences?: number;
  /** How many ids are evaluated at once, at least `sequences`. Default 512, or less if the context is smaller. */
  readonly batchSize?: number;
  /**
   * `"shared"` (default): sessions that run side by side are evaluated in one batch, which is what makes them fast. With F16 or F32
   * weights llama.cpp's logits depend a little on the size of the batch (up to about 4e-3), so that a seed may give other ids beside
   * other sessions than alone; with quantised weights they do not.
   * `"apart"`: every session is evaluated in batches of its own, and gives the same ids alone and beside others, whatever the weights.
   */
  readonly batching?: "shared" | "apart";
  /**
   * The same seed, ids and settings give the same ids, alone and beside others, whatever the weights: the name for `batching: "apart"`,
   * in which a host also takes nothing from the cache that the call did not name (its session, its parent). Default `false`.
   */
  readonly deterministic?: boolean;
  /** Default `false`: the CPU. Another value takes a prebuilt binary of node-llama-cpp for it; nothing is downloaded or compiled. */
  readonly gpu?: Gpu;
  /**
   * Refuses a model whose chat template has no tools, by the file's header and before llama.cpp is started. `"both"`: it describes tools
   * and writes calls; `"describe"`: it describes tools. Default `"none"`: nothing is asked.
   */
  readonly requireTools?: ToolRequirement;
  /** Ends loading with an `aborted` error. */
  readonly signal?: AbortSignal;
}

const optionNames = [
  "threads",
  "contextSize",
  "sequences",
  "batchSize",
  "batching",
  "deterministic",
  "gpu",
  "requireTools",
  "signal",
];
const defaultContextSize = 8192;
const mostSequences = 256;

/**
 * Loads a GGUF model for sampling.
 *
 * llama.cpp comes with the optional package node-llama-cpp, which only this call loads.
 * @throws TitoError `file_not_found`; `model_load_failed` with the reason for a file that is damaged or no model, or when memory is
 * short; `sampler_missing` with the command that installs node-llama-cpp; `sampler_option`; `aborted`; with `requireTools` also
 * `tools_unsupported`, `invalid_gguf` and `template_syntax`.
 * @example
 * await using sampler = await loadSampler("model.gguf", { sequences: 4, threads: 4 });
 * await using session = await sampler.session();
 * const completion = await session.complete(promptIds, { maxTokens: 64, seed: 7 });
 */
export async function loadSampler(modelPath: string, options: LoadSamplerOptions = {}): Promise<Sampler> {
  checkOptions(options);
  const { signal } = options;
  if (signal?.aborted) throw aborted(signal);
  await checkModelFile(modelPath);
  requireToolsOfFile(modelPath, options.requireTools ?? "none");
  const runtime = await startNative(options.gpu ?? false);
  runtime.takeErrorLog();
  let model: LlamaModel | undefined;
  try {
    model = await loadModel(runtime, modelPath, signal);
    const context = await createContext(runtime, model, options);
    const info = infoOf(model);
    return new Sampler({
      runtime,
      model,
      context,
      info,
      allIds: await keepAllIds(context, info),
      deterministic: apart(options),
    });
  } catch (cause) {
    await model?.dispose();
    if (signal?.aborted) throw aborted(signal);
    throw cause;
  }
}

async function loadModel(runtime: NativeRuntime, modelPath: string, loadSignal?: AbortSignal): Promise<LlamaModel> {
  try {
    return await runtime.llama.loadModel({ modelPath, ...(loadSignal && { loadSignal }) });
  } catch (cause) {
    throw await loadFailure(
      runtime,
      cause,
      `${modelPath} could not be loaded`,
      "The file is damaged or incomplete, or of an architecture that this llama.cpp does not know: get it again, or update node-llama-cpp.",
    );
  }
}

async function createContext(
  runtime: NativeRuntime,
  model: LlamaModel,
  options: LoadSamplerOptions,
): Promise<LlamaContext> {
  const { sequences = 1, batchSize, signal } = options;
  const contextSize = options.contextSize ?? Math.min(model.trainContextSize, defaultContextSize);
  // A far too large cache is no error that llama.cpp can report: the kernel kills the process.
  if (contextSize > model.trainContextSize)
    refuse("contextSize", contextSize, `at most what the model was trained on, ${model.trainContextSize}`);
  try {
    return await model.createContext({
      contextSize,
      sequences,
      threads: options.threads ?? defaultThreads(runtime.llama),
      ...(batchSize !== undefined && { batchSize }),
      ...(apart(options) && { batching: oneSequenceAtATime }),
      ...(signal && { createSignal: signal }),
    });
  } catch (cause) {
    throw await loadFailure(
      runtime,
      cause,
      `No context of ${sequences} × ${contextSize} ids could be created`,
      "Take a smaller contextSize or fewer sequences.",
    );
  }
}

const apart = ({ batching, deterministic }: LoadSamplerOptions): boolean => deterministic ?? batching === "apart";

const oneSequenceAtATime: NonNullable<LlamaContextOptions["batching"]> = {
  itemPrioritizationStrategy: ({ items, size }) =>
    items.slice(0, 1).map((item) => ({ item, processAmount: Math.min(size, item.tokens.length) })),
};

/** Whether this llama.cpp keeps all ids without a top-k: it is asked for more than the 40 that node-llama-cpp keeps by itself. */
async function keepAllIds(context: LlamaContext, { vocabSize }: SamplerModelInfo): Promise<AllIds> {
  const wanted = Math.min(vocabSize, 64);
  const sequence = context.getSequence();
  try {
    const options = { temperature: 1, topK: nativeTopK(0, null), topP: 1, minP: 0 };
    const logits = { filter: { tokens: [], includeTop: wanted } };
    const [output] = await sequence.controlledEvaluate([[0 as Token, { generateNext: { logits, options } }]]);
    return output?.next.logits?.size === wanted ? null : 0;
  } finally {
    sequence.dispose();
  }
}

async function loadFailure(runtime: NativeRuntime, cause: unknown, what: string, remedy: string): Promise<TitoError> {
  // llama.cpp's own words arrive on another thread, a moment after the failure itself.
  await setTimeout(50);
  const log = runtime.takeErrorLog();
  const said = log[0]?.replace(/^\w+: (error loading model: )?/, "");
  const reason = said ?? (cause instanceof Error ? cause.message : String(cause));
  return new TitoError("model_load_failed", `${what}: ${reason}. ${remedy}`, { details: { reason, log }, cause });
}

function infoOf(model: LlamaModel): SamplerModelInfo {
  const { general, tokenizer } = model.fileInfo.metadata;
  return {
    name: general?.name,
    architecture: general.architecture,
    vocabSize: tokenizer?.ggml?.tokens?.length ?? 0,
    trainContextSize: model.trainContextSize,
    bosId: model.tokens.bos ?? undefined,
    eosId: model.tokens.eos ?? undefined,
    eogIds: eogIdsOf(model),
    chatTemplate: tokenizer?.chat_template,
  };
}

function checkOptions(options: LoadSamplerOptions): void {
  for (const key of Object.keys(options))
    if (!optionNames.includes(key))
      throw new TitoError("sampler_option", `${key}: no such option. The options are ${optionNames.join(", ")}.`, {
        details: { option: key },
      });
  for (const key of ["threads", "contextSize", "sequences", "batchSize"] as const) {
    const value = options[key];
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) refuse(key, value, "a whole number from 1");
  }
  const { sequences = 1, batching = "shared", gpu = false, requireTools = "none" } = options;
  if (sequences > mostSequences) refuse("sequences", sequences, `at most ${mostSequences}, llama.cpp's limit`);
  if (!["shared", "apart"].includes(batching)) refuse("batching", batching, `"shared" or "apart"`);
  const { deterministic } = options;
  if (deterministic !== undefined && typeof deterministic !== "boolean")
    refuse("deterministic", deterministic, "true or false");
  if (deterministic !== undefined && options.batching !== undefined && deterministic !== (batching === "apart"))
    refuse("deterministic", deterministic, `left out, or ${batching === "apart"}, beside batching: "${batching}"`);
  if (![false, "auto", "metal", "cuda", "vulkan"].includes(gpu))
    refuse("gpu", gpu, `false, "auto", "metal", "cuda" or "vulkan"`);
  if (!toolRequirements.includes(requireTools)) refuse("requireTools", requireTools, `"both", "describe" or "none"`);
}

function aborted(signal: AbortSignal): TitoError {
  return new TitoError("aborted", "Loading the model was aborted. Call loadSampler again.", { cause: signal.reason });
}
