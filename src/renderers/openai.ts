import type { Message } from "../messages/index.ts";
import type { ParsedResponse } from "../parse/index.ts";

export type FinishReason = "stop" | "tool_calls" | "length";

export interface OpenAIAnswer {
  readonly message: Message & { readonly role: "assistant"; readonly content: string };
  readonly finishReason: FinishReason;
}

/**
 * A parsed response in the OpenAI shape. Arguments are the exact text that the model wrote. Calls that cannot be used
 * (no name, arguments that do not parse) are left out of `tool_calls`: they are in `parsed.toolCalls` with their status.
 *
 * `callId` mints ids for formats that carry none; the default is `call_0`, `call_1` …, which is unique within a message.
 */
export function toOpenAIMessage(
  parsed: ParsedResponse,
  options: { readonly callId?: (index: number) => string } = {},
): OpenAIAnswer {
  const callId = options.callId ?? ((index) => `call_${index}`);
  const calls = parsed.toolCalls.flatMap((call, index) =>
    (call.status === "ok" || call.status === "unknown_tool") && call.name !== null && call.argumentsText !== null
      ? [
          {
            id: call.id ?? callId(index),
            type: "function" as const,
            function: { name: call.name, arguments: call.argumentsText },
          },
        ]
      : [],
  );
  const message = {
    role: "assistant" as const,
    content: parsed.content,
    // Also when it is empty: a template that finds none looks for thinking inside the content.
    ...(parsed.reasoning ? { reasoning_content: parsed.reasoning.text } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const finishReason = parsed.stop.kind === "none" ? "length" : calls.length > 0 ? "tool_calls" : "stop";
  return { message, finishReason };
}
