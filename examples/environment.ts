import type { Message, ToolSpec, Turn } from "tito-rl";

/** A task for a model: conversations to have, and what they are worth. */
export interface Environment {
  /** One episode; the same seed gives the same one. */
  start(seed: number): Episode;
}

/** One conversation with the world's side of it. */
export interface Episode {
  /** None: the model has nothing to call. */
  readonly tools: readonly ToolSpec[];
  /** What stands before the model's first turn. */
  readonly opening: readonly Message[];
  /**
   * The world's answer to a turn of the model: tool results, the next question, or null when it is over. A turn may be cut off, or
   * hold anything at all: what is wrong with it is answered in words.
   */
  answer(turn: Turn): readonly Message[] | null;
  /** What the episode was worth so far, 0 to 1. */
  reward(): number;
}
