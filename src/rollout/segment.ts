import { joinMultimodal, type MultimodalData } from "../images/index.ts";
import type { Ids } from "../tokenizer/types.ts";
import { Growable, TokenSequence } from "../tokens/index.ts";
import type { TrainingSample } from "./types.ts";

/** One unbroken sequence of a rollout: ids, loss mask and log-probabilities grow together, and nothing is rewritten. */
export class Segment {
  readonly #ids = new TokenSequence();
  readonly #mask = new Growable(new Uint8Array(64));
  readonly #logprobs = new Growable(new Float64Array(64));
  #sampledEnd = 0;
  #multimodal: MultimodalData | undefined;

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
    this.#mask.fill(0, ids.length);
    this.#logprobs.fill(0, ids.length);
  }

  appendSampled(ids: Ids, logprobs: ArrayLike<number> | undefined): void {
    this.#ids.append(ids);
    this.#mask.fill(1, ids.length);
    if (logprobs) this.#logprobs.append(logprobs);
    else this.#logprobs.fill(Number.NaN, ids.length);
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
      ...this.#imagesBefore(end),
    };
  }

  #imagesBefore(end: number): Pick<TrainingSample, "multimodal"> {
    const images = this.#multimodal?.images.filter(({ offset }) => offset < end) ?? [];
    return images.length > 0 ? { multimodal: { images } } : {};
  }
}
