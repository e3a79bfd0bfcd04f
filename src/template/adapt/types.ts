import type { Message } from "../../messages/index.ts";

/** What can be changed: the form of content, the form of a call's arguments, the place of system messages. */
export const adaptations = ["content", "arguments", "system"] as const;

export type Adaptation = (typeof adaptations)[number];

/** What was done to a message so that a template can write it. */
export interface MessageChange {
  /** Index of the message among those that were passed. */
  readonly messageIndex: number;
  readonly field: "role" | "content" | "tool_calls";
  /** In words, with the place: `messages[0].content: a string became a list of one text part`. */
  readonly message: string;
}

export interface AdaptedMessages {
  /** A message that needed no change is the one that was passed; without any change so is the array. */
  readonly messages: readonly Message[];
  /** For each of `messages` its index among those that were passed: folding leaves some out. */
  readonly messageIndices: readonly number[];
  readonly changes: readonly MessageChange[];
}

/** A message and its index among those that were passed. */
export interface PlacedMessage {
  readonly message: Message;
  readonly index: number;
}

/** Takes down a change of the message with this index: at which place in it, and what. */
export type Note = (messageIndex: number, field: MessageChange["field"], at: string, what: string) => void;
