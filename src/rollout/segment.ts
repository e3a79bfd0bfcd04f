import { joinMultimodal, type MultimodalData } from "../images/index.ts";
import type { Ids } from "../tokenizer/types.ts";
import { Growable, TokenSequence } from "../tokens/index.ts";
import type { Completion, TrainingSample } from "./types.ts";

/** Whether ids that carry no gradient are in the loss. */
export interface LossOptions {
  /** Ids that were sampled greedily. Default true. */
  readonly greedy?: boolean;
  /** Ids without an alternative. Default true. */
  readonly forced?: boolean;
}

/** One unbroken sequence of a rollout: ids, loss mask and log-probabilities grow together, and nothing is rewritten. */
export class Segment {
  readonly #ids = new TokenSequence();
  readonly #mask = new Growable(new Uint8Array(64));
  readonly #logprobs = new Growable(new Float64Array(64));
  readonly #greedy = new Growable(new Uint8Array(64));
  readonly #forced = new Growable(new Uint8Array(64));
  readonly #loss: LossOptions;
  #toldGreedy = false;
  #toldForced = false;
  #sampledEnd = 0;
  #multimodal: MultimodalData | undefined;

  constructor(loss: LossOptions = {}) {
    this.#loss = loss;
  }

  /** The images of the ids so far. */
  get multimodal(): MultimodalData | undefined {
    return this.#multimodal;
  }

  get length(): number {
    return this.#ids.length;
  }

  get ids(): Int32Array {
    return this.#ids.ids;
  }

  isPrefixOf(ids: Ids): boolean {
    return this.#ids.isPrefixOf(ids);
  }

  logprobs(start: number, end: number): Float64Array {
    return this.#logprobs.view(start, end);
  }

  /** Prompts, bridges, closes that were synthesised: context, never trained on. */
  appendContext(
    ids: Ids,
    images?: { readonly multimodal?: MultimodalData | undefined; readonly messages: number },
  ): void {
    const before = { tokens: this.length, messages: images?.messages ?? 0 };
    this.#multimodal = joinMultimodal(this.#multimodal, images?.multimodal, before);
    this.#ids.append(ids);
    for (const column of [this.#mask, this.#logprobs, this.#greedy, this.#forced]) column.fill(0, ids.length);
  }

  appendSampled({ ids, logprobs, greedyMask, forcedMask, insertedMask }: Completion): void {
    const { greedy = true, forced = true } = this.#loss;
    const isOut = (i: number): boolean =>
      insertedMask?.[i] === 1 || (!greedy && greedyMask?.[i] === 1) || (!forced && forcedMask?.[i] === 1);
    const mask = Uint8Array.from(ids, (_, i) => (isOut(i) ? 0 : 1));
    this.#ids.append(ids);
    this.#mask.append(mask);
    // Out of the loss there is no log-probability.
    if (logprobs) this.#logprobs.append(Float64Array.from(logprobs, (logprob, i) => (mask[i] === 1 ? logprob : 0)));
    else this.#logprobs.append(Float64Array.from(mask, (inLoss) => (inLoss === 1 ? Number.NaN : 0)));
    this.#greedy.append(greedyMask ?? new Uint8Array(ids.length));
    this.#forced.append(forcedMask ?? new Uint8Array(ids.length));
    this.#toldGreedy ||= greedyMask !== undefined;
    this.#toldForced ||= forcedMask !== undefined;
    if (ids.length > 0) this.#sampledEnd = this.#ids.length;
  }

  /** The sequence up to the last sampled id; null when nothing was sampled. */
  sample(): TrainingSample | null {
    const end = this.#sampledEnd;
    if (end === 0) return null;
    return {
      tokenIds: this.#ids.ids.slice(0, end),
      lossMask: this.#mask.view(0, end).slice(),
      logprobs: this.#logprobs.view(0, end).slice(),
      ...(this.#toldGreedy && { greedyMask: this.#greedy.view(0, end).slice() }),
      ...(this.#toldForced && { forcedMask: this.#forced.view(0, end).slice() }),
      ...this.#imagesBefore(end),
    };
  }

  #imagesBefore(end: number): Pick<TrainingSample, "multimodal"> {
    const images = this.#multimodal?.images.filter(({ offset }) => offset < end) ?? [];
    return images.length > 0 ? { multimodal: { images } } : {};
  }
}
