import { type LastTurn, probeId, thought } from "../../bridge/certificate/index.ts";
import { resultNames } from "../../format/index.ts";
import type { Conversation, Message } from "../../messages/index.ts";
import type { ParsedResponse } from "../../parse/index.ts";

/** An assistant's turn that stands for the sampled one, whose words play no part in what follows them. */
export interface StubTurn {
  readonly turn: Message;
  /** Other turns that might as well have stood there, and what is not known if the text behind them differs. */
  readonly others: readonly { readonly turn: Message; readonly unknown: "name" | "order" }[];
}

export function stubTurn(
  messages: Conversation["messages"],
  { toolCalls, reasoning }: ParsedResponse,
  { thinks, last }: { readonly thinks: boolean; readonly last: LastTurn },
): StubTurn {
  const thoughts = thought({ thinking: thinks && reasoning !== null, count: 9 });
  const leading = messages.findIndex(({ role }) => role !== "tool");
  const results = messages.slice(0, leading < 0 ? undefined : leading);
  if (results.length === 0 || last === "answer") {
    const words: Message = { role: "assistant", ...thoughts, content: "Answer" };
    return { turn: words, others: [] };
  }
  const names = resultNames(toolCalls, results);
  const ids = results.map(({ toolCallId }, at) => toolCallId ?? probeId(0, at));
  const unanswered = toolCalls.slice(results.length).map(({ name }, at) => ({
    id: probeId(1, at),
    name: name ?? "tool",
  }));
  const turnOf = (missing: string, isReversed = false): Message => {
    const calls = [...ids.map((id, at) => ({ id, name: names[at] ?? missing })), ...unanswered];
    if (isReversed) calls.reverse();
    return {
      role: "assistant",
      ...thoughts,
      content: "",
      tool_calls: calls.map(({ id, name }) => ({ id, type: "function", function: { name, arguments: {} } })),
    };
  };
  const isOrdered = results.every(({ toolCallId }) => toolCalls.some(({ id }) => id !== null && id === toolCallId));
  return {
    turn: turnOf("tool"),
    others: [
      ...(names.includes(undefined) ? [{ turn: turnOf("other_tool"), unknown: "name" as const }] : []),
      ...(results.length > 1 && !isOrdered ? [{ turn: turnOf("tool", true), unknown: "order" as const }] : []),
    ],
  };
}
