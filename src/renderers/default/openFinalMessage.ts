import { TitoError } from "../../errors.ts";
import type { Conversation } from "../../messages/index.ts";
import type { TemplateTrace } from "../../template/index.ts";

/**
 * The trace up to the end of what the last message says: its content, or its reasoning where it has no content. A model then
 * goes on in the middle of that message.
 */
export function openFinalMessage(trace: TemplateTrace, messages: Conversation["messages"]): TemplateTrace {
  const index = messages.length - 1;
  const message = messages[index]!;
  if (message.role !== "assistant" || message.toolCalls.length > 0) {
    const what = message.role === "assistant" ? "makes tool calls" : `is a message of "${message.role}"`;
    throw refusal(index, `the last message ${what}, and only an assistant's words can go on`);
  }
  const fields = message.text === "" ? ["reasoning_content", "reasoning", "thinking", "content"] : ["content"];
  const last = trace.pieces.findLastIndex(
    ({ source }) => source !== null && source.message === index && fields.includes(String(source.path()[2])),
  );
  if (last < 0) throw refusal(index, "the template does not write what the last message says");
  const pieces = trace.pieces.slice(0, last + 1);
  return { ...trace, pieces, text: pieces.map((piece) => piece.text).join("") };
}

function refusal(index: number, fact: string): TitoError {
  return new TitoError(
    "invalid_message",
    `messages[${index}]: ${fact}. Leave continueFinalMessage out, or end with an assistant message that has content or reasoning.`,
    { details: { message: index } },
  );
}
