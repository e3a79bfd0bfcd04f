import type { BridgeRequest, BridgeResult } from "../bridge/index.ts";
import type { ChatTemplateKwargs, RendererConfigInput } from "../configs/index.ts";
import type { ImageProcessor } from "../images/index.ts";
import type { Message } from "../messages/index.ts";
import type { ParsedResponse, ParserEvent, ParserState } from "../parse/index.ts";
import type { CreateRendererOptions, ParseOptions, Renderer, RenderOptions } from "../renderers/index.ts";
import type { Ids, LoadTokenizerOptions } from "../tokenizer/index.ts";
import type { RenderedTokens } from "../tokens/index.ts";
import type { TitoWarning, WarningHandler } from "../warnings.ts";

/** What every call of a pool takes beside its own options. */
export interface CallOptions {
  /**
   * Ends the wait with an `aborted` error, at once. A job that runs in a thread already cannot be interrupted: its result
   * is dropped.
   */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the call to its result, waiting included; then it fails with `pool_timeout`. Default: no limit. */
  readonly timeoutMs?: number | undefined;
}

type Methods = "render" | "renderIds" | "parseResponse" | "parser" | "bridgeToNextTurn";

/**
 * The interface of `Renderer` with promises. What is passed in must not be changed before the promise settles.
 *
 * Every call may fail with `pool_closed`, `pool_queue_full`, `pool_slot_crashed`, `pool_timeout` or `aborted`, and with
 * what the renderer's own method throws.
 */
export interface AsyncRenderer extends Omit<Renderer, Methods> {
  render(messages: readonly Message[], options?: RenderOptions & CallOptions): Promise<RenderedTokens>;
  renderIds(messages: readonly Message[], options?: RenderOptions & CallOptions): Promise<Int32Array>;
  parseResponse(ids: Ids, options: ParseOptions & CallOptions): Promise<ParsedResponse>;
  parser(options: ParseOptions & ParserStart & CallOptions): Promise<AsyncParser>;
  bridgeToNextTurn(request: BridgeRequest & CallOptions): Promise<BridgeResult>;
}

export interface ParserStart {
  /** Goes on from where another parser stood. */
  readonly state?: ParserState | undefined;
}

/** A `TokenParser` that lets the event loop breathe. It runs in this thread; calls take effect in the order they are made. */
export interface AsyncParser {
  /** A copy of all that is known so far, as plain JSON. */
  readonly state: ParserState;
  push(ids: Ids, options?: CallOptions): Promise<ParserEvent[]>;
  end(options?: CallOptions): Promise<{ readonly events: ParserEvent[]; readonly response: ParsedResponse }>;
}

/** A renderer out of the pool, to be given back with `await using` or `release`. */
export interface PooledRenderer extends AsyncRenderer, AsyncDisposable {
  /** Gives it back. Calls under way finish; later ones fail with `checkout_released`. */
  release(): void;
}

/** A completion to be read, with what its prompt opened. */
export interface ParseRequest extends ParseOptions {
  readonly ids: Ids;
}

/** Renderers on worker threads. Its own methods run on any thread that is free; `checkout` reserves a renderer. */
export interface RendererPool extends AsyncRenderer, AsyncDisposable {
  /** How many renderers can be checked out at once; 0: any number, all in this thread. */
  readonly size: number;
  /** Worker threads at most; 0 when everything runs in this thread. */
  readonly threads: number;
  /**
   * A renderer of one's own: waits while `size` are out. It keeps to the thread that it used last, if that is free,
   * because that one's caches know the conversation.
   *
   * @throws TitoError `pool_closed`, `pool_queue_full`, `pool_timeout`, `aborted`
   * @example
   * await using renderer = await pool.checkout({ timeoutMs: 1000 });
   * const ids = await renderer.renderIds(messages, { addGenerationPrompt: true });
   */
  checkout(options?: CallOptions): Promise<PooledRenderer>;
  /**
   * Many conversations with the same options; results in their order. Small ones share a job, and a batch never has more
   * jobs waiting than threads can take, however long it is.
   *
   * @throws TitoError of the first conversation that cannot be rendered; `details.item` is its index
   */
  renderBatch(
    conversations: readonly (readonly Message[])[],
    options?: RenderOptions & CallOptions,
  ): Promise<RenderedTokens[]>;
  /** Many completions, each with its own prompt; results in their order. */
  parseBatch(requests: readonly ParseRequest[], options?: CallOptions): Promise<ParsedResponse[]>;
  /** Starts all threads, which otherwise start when work waits for them. */
  ready(options?: CallOptions): Promise<void>;
  /**
   * Takes no more calls, finishes those it has taken, ends the threads. Where `signal` or `timeoutMs` ends the wait, the
   * threads end at once, and what they had not finished fails with `pool_closed`.
   */
  close(options?: CallOptions): Promise<void>;
}

/** A warning of a pool: `pool_checkout_abandoned`, `pool_inline`, or one of its renderers. */
export type PoolWarning = TitoWarning;

export interface RendererPoolOptions {
  /** How many renderers can be checked out at once. 0 runs everything in this thread. Default: the cores, at most 4. */
  readonly size?: number | undefined;
  /** Worker threads at most. Default: `size`, but no more than there are cores, because more render nothing faster. */
  readonly threads?: number | undefined;
  /** As for `createRenderer`. */
  readonly config?: RendererConfigInput | undefined;
  readonly chatTemplateKwargs?: ChatTemplateKwargs | undefined;
  /** As in `createRenderer`: once, in the calling thread. */
  readonly verify?: CreateRendererOptions["verify"];
  /** As for `createRenderer`. Conversations with images are then rendered in this thread, as those with `images` are. */
  readonly imageProcessor?: ImageProcessor | undefined;
  /** How files are read, or got from a hub, when the pool loads the tokenizer itself. */
  readonly tokenizer?: Omit<LoadTokenizerOptions, "signal"> | undefined;
  /**
   * Jobs lighter than this run in this thread, where they are done before a worker has heard of them. The weight is about
   * the length of the text that is rendered, in UTF-16 units. Default 16384; 0 sends everything to the workers.
   */
  readonly inlineBelow?: number | undefined;
  /** Calls that may wait, apart from those that run; likewise checkouts. The next fails with `pool_queue_full`. Default 1024. */
  readonly maxQueue?: number | undefined;
  /** Default: `process.emitWarning`, with the code. */
  readonly onWarning?: WarningHandler | undefined;
  /** Ends loading with an `aborted` error. */
  readonly signal?: AbortSignal | undefined;
}
