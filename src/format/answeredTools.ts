import type { ConversationMessage } from "../messages/index.ts";
import type { ParsedResponse } from "../parse/index.ts";
import { type AnsweredCall, resultNames } from "./resultNames.ts";

/**
 * For each message the tool whose result it holds, as `resultNames` finds it among the calls of the turn before; null for
 * other messages and where nothing tells.
 *
 * @param response the turn before the messages, where they continue one
 */
export function answeredTools(
  messages: readonly ConversationMessage[],
  response?: (() => ParsedResponse) | undefined,
): (string | null)[] {
  const names = new Array<string | null>(messages.length).fill(null);
  let calls = (): readonly AnsweredCall[] => response?.().toolCalls ?? [];
  for (let at = 0; at < messages.length; at++) {
    const { role, toolCalls } = messages[at];
    if (role === "assistant") calls = () => toolCalls;
    if (role !== "tool") continue;
    const start = at;
    while (messages[at + 1]?.role === "tool") at++;
    const results = messages.slice(start, at + 1);
    // The turn is read again only for results that do not name themselves.
    const found = results.every(({ name }) => name) ? resultNames([], results) : resultNames(calls(), results);
    for (const [i, name] of found.entries()) names[start + i] = name ?? null;
  }
  return names;
}
