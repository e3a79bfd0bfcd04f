import { contentText } from "./contentText.ts";
import type { Content, Message, ToolArguments, ToolCall, ToolSpec } from "./types.ts";

/** What a family renders: messages whose variants of spelling are resolved, next to the messages as they came. */
export interface Conversation {
  readonly messages: readonly ConversationMessage[];
  /** As given: templates tell an empty list from none. */
  readonly tools: readonly ToolSpec[] | undefined;
  /** The messages follow a history that is known only as ids. */
  readonly continues: boolean;
}

export interface ConversationMessage {
  readonly index: number;
  readonly role: string;
  /** As given: `undefined` if the field is missing, which some templates print otherwise than null. */
  readonly content: Content | undefined;
  /** `contentText` of the message. */
  readonly text: string;
  /** `reasoning_content`, or else `reasoning`; null if there is neither. */
  readonly reasoning: string | null;
  readonly toolCalls: readonly ConversationToolCall[];
  readonly toolCallId: string | undefined;
  readonly name: string | undefined;
  /** The message as it came. */
  readonly raw: Message;
}

export interface ConversationToolCall {
  readonly id: string | undefined;
  /** `""` if the call has none (`validate: "template"`). */
  readonly name: string;
  /** JSON text or a value, as given; `undefined` if the call has none (`validate: "template"`). */
  readonly arguments: ToolArguments | undefined;
  readonly raw: ToolCall;
}

/** Expects messages that `checkMessages` has let pass, with either validation. Nothing is copied but the outer shape. */
export function normalise(
  messages: readonly Message[],
  options: { readonly tools?: readonly ToolSpec[] | null | undefined; readonly continues?: boolean } = {},
): Conversation {
  return {
    messages: messages.map(normaliseMessage),
    tools: options.tools ?? undefined,
    continues: options.continues ?? false,
  };
}

const noCalls: readonly ConversationToolCall[] = [];

function normaliseMessage(raw: Message, index: number): ConversationMessage {
  const calls = raw.tool_calls;
  return {
    index,
    role: raw.role,
    content: raw.content,
    text: contentText(raw),
    reasoning: asString(raw.reasoning_content) ?? asString(raw.reasoning) ?? null,
    toolCalls: calls?.length ? calls.map(normaliseCall) : noCalls,
    toolCallId: asString(raw.tool_call_id),
    name: asString(raw.name),
    raw,
  };
}

function normaliseCall(raw: ToolCall): ConversationToolCall {
  const fn = raw.function ?? raw;
  return { id: asString(raw.id), name: asString(fn.name) ?? "", arguments: fn.arguments, raw };
}

function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
