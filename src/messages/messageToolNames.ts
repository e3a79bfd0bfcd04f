import type { Message } from "./types.ts";

/**
 * For each message the tool whose result it holds: the message's own `name`, or else the name in the latest earlier call
 * with its `tool_call_id`; null for other messages and where neither is known.
 */
export function messageToolNames(messages: readonly Message[]): (string | null)[] {
  let names: Map<string, string> | undefined;
  return messages.map((message) => {
    if (message.role === "tool") return message.name || names?.get(message.tool_call_id ?? "") || null;
    if (message.role !== "assistant") return null;
    for (const call of message.tool_calls ?? []) {
      const name = (call.function ?? call).name;
      if (!call.id || !name) continue;
      names ??= new Map();
      names.set(call.id, name);
    }
    return null;
  });
}
