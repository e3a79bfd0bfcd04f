import type { BridgeRefusalReason } from "../format/index.ts";
import type { MultimodalData } from "../images/index.ts";
import type { Message } from "../messages/index.ts";
import type { ParsedResponse } from "../parse/index.ts";
import type { Ids } from "../tokenizer/types.ts";

/** What an engine or a sampler returned for a prompt. */
export interface Completion {
  /** The sampled ids as they are, the stop included where one was sampled. */
  readonly ids: Ids;
  /** Log-probability of each id under the policy that sampled it. */
  readonly logprobs?: ArrayLike<number> | undefined;
  /** Why sampling ended, as the engine says it. */
  readonly finish?: string | undefined;
  /** 1 where the likeliest id was taken, whatever the temperature. */
  readonly greedyMask?: ArrayLike<number> | undefined;
  /** 1 where a grammar allowed no other id. */
  readonly forcedMask?: ArrayLike<number> | undefined;
  /** 1 where the id was put in and not drawn: it is context, out of the loss. */
  readonly insertedMask?: ArrayLike<number> | undefined;
}

/** One turn of the model. The arrays are views: written once, never changed. */
export interface Turn {
  readonly promptIds: Int32Array;
  readonly completionIds: Int32Array;
  /** NaN where the engine gave none. */
  readonly logprobs: Float64Array;
  readonly finish: string;
  readonly parsed: ParsedResponse;
  /** The turn as a message; its calls' ids are unique within the rollout. */
  readonly message: Message;
}

/** A turn whose prompt does not start with the previous prompt + completion: it splits the rollout into two samples. */
export interface Break {
  /** Index of the turn whose prompt broke the sequence. */
  readonly turn: number;
  readonly reason: BridgeRefusalReason | "history_rewritten";
  readonly message: string;
  /** For `history_rewritten`: the first message and field that differ from what was sampled or sent. */
  readonly at?: { readonly message: number; readonly field: string };
}

/** Ids, loss mask and log-probabilities of one unbroken sequence, equally long. */
export interface TrainingSample {
  readonly tokenIds: Int32Array;
  /**
   * 1 where the model sampled the id; prompts, bridges, synthesised closes and ids that were put in are 0, and with
   * `loss: { greedy: false }` or `{ forced: false }` so are those.
   */
  readonly lossMask: Uint8Array;
  /** As sampled where the mask is 1, 0 elsewhere; NaN where the engine gave none. */
  readonly logprobs: Float64Array;
  /** 1 where an id was sampled greedily. Present when a completion said so. */
  readonly greedyMask?: Uint8Array;
  /** 1 where a grammar left no choice. Present when a completion said so. */
  readonly forcedMask?: Uint8Array;
  /** The images among the ids, where there are any. */
  readonly multimodal?: MultimodalData;
}

/** Why a rollout can sample no more. */
export interface RolloutEnd {
  readonly reason: "max_sequence_length";
  /** Ids of the prompt that did not fit. */
  readonly promptTokens: number;
  readonly maxSequenceLength: number;
}
