import type { Ids } from "../tokenizer/types.ts";
import { Growable, TokenSequence } from "../tokens/index.ts";
import type { TrainingSample } from "./types.ts";

/** One unbroken sequence of a rollout: ids, loss mask and log-probabilities grow together, and nothing is rewritten. */
export class Segment {
  readonly #ids = new TokenSequence();
  readonly #mask = new Growable(new Uint8Array(64));
  readonly #logprobs = new Growable(new Float64Array(64));
  #sampledEnd = 0;

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
  appendContext(ids: Ids): void {
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
    };
  }
}
