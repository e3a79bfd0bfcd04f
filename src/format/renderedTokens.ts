import { type Conversation, messageToolNames } from "../messages/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { encodeSpans, type RenderedTokens, type Span } from "../tokens/index.ts";

/** Encodes a conversation's spans and adds what is known of its messages. */
export function renderedTokens(
  spans: readonly Span[],
  { messages }: Conversation,
  tokenizer: Tokenizer,
): RenderedTokens {
  return {
    ...encodeSpans(spans, tokenizer),
    messageRoles: messages.map((message) => message.role),
    messageToolNames: messageToolNames(messages.map((message) => message.raw)),
  };
}
