import type { ConversationMessage } from "../messages/index.ts";
import type { SpanWriter } from "../tokens/index.ts";
import type { Chatml } from "./chatml.ts";

/**
 * A tool's result on lines of its own; neighbouring results share one user turn:
 * `<|im_start|>user⏎<tool_response>⏎{result}⏎</tool_response>⏎<tool_response>⏎ … </tool_response>⏎<|im_end|>⏎`
 */
export function writeToolResponse(
  out: SpanWriter,
  chat: Chatml,
  messages: readonly ConversationMessage[],
  index: number,
  writeBody: (out: SpanWriter) => void,
): void {
  if (messages[index - 1]?.role !== "tool") chat.open(out, "user");
  writeBody(out.scaffold("<tool_response>\n"));
  out.scaffold("\n</tool_response>\n");
  if (messages[index + 1]?.role !== "tool") chat.close(out);
}
