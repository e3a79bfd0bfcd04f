/// <reference lib="esnext.disposable" preserve="true" />
import { availableParallelism } from "node:os";
import type { RendererConfig } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import { chooseModelConfig } from "../models/info/chooseModelConfig.ts";
import { openModel } from "../models/info/openModel.ts";
import { isBuiltIn } from "../renderers/bindConfig.ts";
import { createRenderer } from "../renderers/createRenderer.ts";
import type { Tokenizer } from "../tokenizer/index.ts";
import { shareTables } from "../tokenizer/share.ts";
import { type WarningHandler, warn } from "../warnings.ts";
import { Host } from "./host.ts";
import { rendererPool } from "./rendererPool.ts";
import { SlotGroup } from "./slotGroup.ts";
import { type StartThread, threadStarter } from "./thread.ts";
import type { RendererPool, RendererPoolOptions } from "./types.ts";
import type { ThreadData } from "./wire.ts";

const MOST_DEFAULT_SLOTS = 4;
const DEFAULT_MAX_QUEUE = 1024;
/** Measured: see docs/pool.md. */
const DEFAULT_INLINE_BELOW = 1 << 14;

/**
 * For tests: another way to start threads.
 * @internal
 */
export interface PoolInternals {
  readonly startThread?: (data: ThreadData) => StartThread;
}

/**
 * Renderers on worker threads, for a tokenizer or a model's files, with the renderer that `createRenderer` makes of them. The
 * tokenizer's tables are shared; threads start when work waits for them.
 *
 * @throws TitoError `pool_option`, and what `loadTokenizer` and `createRenderer` throw
 * @example
 * await using pool = await createRendererPool("model.gguf", { size: 4 });
 * const rendered = await pool.renderBatch(conversations, { tools });
 */
export function createRendererPool(
  source: string | Tokenizer,
  options: RendererPoolOptions = {},
): Promise<RendererPool> {
  return openPool(source, options, {});
}

/** @internal */
export async function openPool(
  source: string | Tokenizer,
  options: RendererPoolOptions,
  { startThread = threadStarter }: PoolInternals,
): Promise<RendererPool> {
  checkOptions(options);
  const cores = availableParallelism();
  const { size = Math.min(cores, MOST_DEFAULT_SLOTS), maxQueue = DEFAULT_MAX_QUEUE, signal } = options;
  const { threads = Math.min(size, cores), onWarning = warn, inlineBelow = DEFAULT_INLINE_BELOW } = options;
  if (signal?.aborted) throw aborted(signal);
  const { tokenizer, config } =
    typeof source === "string" ? await open(source, options) : { tokenizer: source, config: options.config };
  const { chatTemplateKwargs, imageProcessor, verify } = options;
  const renderer = createRenderer(tokenizer, config, { chatTemplateKwargs, imageProcessor, verify, onWarning });
  const hasThreads = size > 0 && threads > 0 && threadsKnow(renderer.config, onWarning);
  const shared = hasThreads ? threadTokenizer(source, tokenizer, options, onWarning) : undefined;
  const group =
    shared &&
    new SlotGroup({
      threads,
      maxQueue,
      startThread: startThread({ config: renderer.config, tokenizer: shared }),
    });
  return rendererPool({
    host: new Host({ renderer, group, inlineBelow, maxQueue, keepsMedia: imageProcessor !== undefined }),
    size,
    onWarning,
  });
}

async function open(source: string, { tokenizer: loading, signal, config, chatTemplateKwargs }: RendererPoolOptions) {
  const { tokenizer, base } = await openModel(source, { ...loading, signal });
  return { tokenizer, config: chooseModelConfig(tokenizer, base, config, chatTemplateKwargs).config };
}

function threadsKnow(config: RendererConfig, onWarning: WarningHandler): boolean {
  if (isBuiltIn(config)) return true;
  onWarning({
    code: "pool_inline",
    message:
      `Threads do not know what has been registered here for "${config.name}", so the pool renders in this thread. ` +
      "Pass size: 0 to say that you know.",
  });
  return false;
}

/** How the threads get their tokenizer: over shared tables, else from the files, else not at all. */
function threadTokenizer(
  source: string | Tokenizer,
  tokenizer: Tokenizer,
  { tokenizer: options = {} }: RendererPoolOptions,
  onWarning: WarningHandler,
): ThreadData["tokenizer"] | undefined {
  try {
    return { kind: "shared", shared: shareTables(tokenizer) };
  } catch (error) {
    if (!(error instanceof TitoError) || error.code !== "tokenizer_unsupported") throw error;
  }
  if (typeof source === "string") {
    // Functions do not go to threads, and secrets need not: a hub's files are in the cache by now.
    const { onWarning: _warn, fetch: _fetch, token: _token, ...plain } = options;
    return { kind: "files", path: source, options: { ...plain, offline: true } };
  }
  onWarning({
    code: "pool_inline",
    message:
      "This tokenizer has no tables to share with threads, so the pool renders in this thread. Pass the path of its files " +
      "for threads that load it themselves, or size: 0 to say that you know.",
  });
  return undefined;
}

const OPTION_NAMES: readonly (keyof RendererPoolOptions)[] = [
  "size",
  "threads",
  "config",
  "chatTemplateKwargs",
  "verify",
  "imageProcessor",
  "tokenizer",
  "inlineBelow",
  "maxQueue",
  "onWarning",
  "signal",
];
const COUNTS = ["size", "threads", "maxQueue"] as const;

function checkOptions(options: RendererPoolOptions): void {
  for (const name of Object.keys(options)) {
    if (!(OPTION_NAMES as readonly string[]).includes(name))
      throw wrongOption(name, `no such option; they are ${OPTION_NAMES.join(", ")}`, options);
  }
  for (const name of COUNTS) {
    const value = options[name];
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 0))
      throw wrongOption(name, "expected a whole number from 0", options);
  }
  const { inlineBelow, onWarning } = options;
  if (inlineBelow !== undefined && !(inlineBelow >= 0))
    throw wrongOption("inlineBelow", "expected a number from 0", options);
  if (onWarning !== undefined && typeof onWarning !== "function")
    throw wrongOption("onWarning", "expected a function", options);
}

function wrongOption(option: string, fact: string, options: object): TitoError {
  const actual = (options as Record<string, unknown>)[option];
  return new TitoError("pool_option", `${option}: ${fact}, found ${String(actual)}. Correct it or leave it out.`, {
    details: { option, actual },
  });
}

function aborted(signal: AbortSignal): TitoError {
  return new TitoError("aborted", "Making the pool was aborted by its signal.", { cause: signal.reason });
}
