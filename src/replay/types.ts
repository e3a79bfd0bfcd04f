import type { Ids } from "../tokenizer/types.ts";

/** Whose ids they are: a call is replayed only by a renderer of the same family on the same vocabulary. */
export interface RendererIdentity {
  /** The name of the renderer's config. */
  readonly family: string;
  /** See `vocabularyId`. */
  readonly vocabulary: string;
}

/** A sampled call as it is stored under its id. */
export interface StoredCall extends RendererIdentity {
  readonly name: string;
  /** JSON text. */
  readonly argumentsText: string;
  /** The id that the wire format itself carries (`functions.search:0`); null where it has none. */
  readonly wireId: string | null;
  /** The text between the call's markers; null where the host stored the call itself and did not say. */
  readonly raw: string | null;
  /** Exactly as sampled, the call's markers included. */
  readonly ids: Int32Array;
  /** The bytes of `ids`. */
  readonly bytes: Uint8Array;
  /** How many bytes of the first and of the last id are not the call's, but of the text around it. */
  readonly head: number;
  readonly tail: number;
  /** The completion that the call is from; null where only the call was stored. */
  readonly turn: StoredTurn | null;
}

/** Where a call stands in its completion. */
export interface StoredTurn {
  /** The same for all calls of one completion, and for no other. */
  readonly key: string;
  /** Which of the completion's calls it is, and how many there are; those that cannot be read are counted, too. */
  readonly index: number;
  readonly calls: number;
  /** Index in the completion of the call's first id. */
  readonly start: number;
  /** The completion itself: stored with the first of its calls that is stored, null with the others. */
  readonly completion: StoredCompletion | null;
}

export interface StoredCompletion {
  /** From the first sampled id to the stop. */
  readonly ids: Int32Array;
  /** The prompt's ids from the assistant's turn on, where the prompt was known. */
  readonly opening: Int32Array | null;
  /** Null if the completion has none. */
  readonly reasoning: string | null;
}

/** A call that a host stores by itself: of what is optional, nothing is known. */
export interface NewCall extends RendererIdentity {
  readonly name: string;
  readonly argumentsText: string;
  readonly ids: Ids;
  readonly bytes: Uint8Array;
  readonly wireId?: string | null | undefined;
  readonly raw?: string | null | undefined;
  readonly head?: number | undefined;
  readonly tail?: number | undefined;
  readonly turn?: StoredTurn | null | undefined;
}

/** Sampled calls by their ids: a `ToolCallStore`, a `Map`, or anything else that is asked at once. */
export interface ReplaySource {
  get(id: string): StoredCall | undefined;
}

export interface ReplayOptions {
  readonly store: ReplaySource;
  /**
   * What stands for the reasoning of a message that comes back without `reasoning_content`, as from clients that do not know
   * the field: `"recorded"` takes what was sampled, where the calls are known. Default `"sent"`: nothing.
   */
  readonly reasoning?: "sent" | "recorded" | undefined;
}

/**
 * Why a call was rendered anew:
 * - `no_id`: the message gives it none
 * - `unknown_id`: the store does not have it (any more)
 * - `other_tokenizer`, `other_family`: its ids are another model's
 * - `changed`: the client sent another name or other arguments under this id
 * - `not_placed`: no exchange keeps the text around the call as it is, to the letter
 */
export type NotReplayedReason = "no_id" | "unknown_id" | "other_tokenizer" | "other_family" | "changed" | "not_placed";

/** A call of a message: `messages[message].tool_calls[call]`. */
export interface ReplayedCall {
  readonly message: number;
  readonly call: number;
  readonly id: string;
  /** Half-open range of the rendered ids that are the sampled ones. */
  readonly tokenSpan: readonly [start: number, end: number];
}

export interface NotReplayedCall {
  readonly message: number;
  readonly call: number;
  readonly id: string | null;
  readonly reason: NotReplayedReason;
}

export interface ReplayedTurn {
  readonly message: number;
  /** Half-open range of the rendered ids that are the completion's. */
  readonly tokenSpan: readonly [start: number, end: number];
}

/** What a render took from the store. Every call of the messages is in one of the first two lists. */
export interface ReplayReport {
  readonly replayed: readonly ReplayedCall[];
  readonly notReplayed: readonly NotReplayedCall[];
  /** Messages whose whole turn is as it was sampled: reasoning, content and calls. */
  readonly turns: readonly ReplayedTurn[];
}
