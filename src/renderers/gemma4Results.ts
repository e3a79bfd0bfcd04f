import { TitoError } from "../errors.ts";
import { type AnsweredCall, contentPieces, dropPart, resultNames, type WriteContext } from "../format/index.ts";
import type { ConversationMessage, JsonInput, Validation } from "../messages/index.ts";

/** The results that stand directly behind a message. */
export function resultsBehind(messages: readonly ConversationMessage[], at: number): readonly ConversationMessage[] {
  let end = at + 1;
  while (messages[end]?.role === "tool") end++;
  return messages.slice(at + 1, end);
}

/** Names of the tools that gave the results of a message's calls. */
export function namesOf(
  { toolCalls }: ConversationMessage,
  results: readonly ConversationMessage[],
  validate: Validation,
): (string | undefined)[] {
  if (validate === "strict") return resultNames(toolCalls, results);
  // The template compares ids that are not there, too.
  return results.map(({ toolCallId, name }) => {
    const called = toolCalls.findLast(({ id }) => id === toolCallId);
    return (called ? called.name : name) || undefined;
  });
}

/** Names for the results of calls that are known only by their ids. */
export function answeredNames(
  { response }: WriteContext,
  results: readonly ConversationMessage[],
): (string | undefined)[] {
  const calls: AnsweredCall[] = (response?.().toolCalls ?? []).filter(({ name }) => name !== null);
  return resultNames(calls, results);
}

/** A result's text, or its value where it is none, and its images. */
export function resultParts(result: ConversationMessage) {
  const { content } = result;
  if (!Array.isArray(content)) return { value: (content ?? null) as JsonInput, media: [] };
  const pieces = contentPieces(result, dropPart);
  const text = pieces.filter((piece) => typeof piece === "string").join("");
  return { value: text, media: pieces.filter((piece) => typeof piece !== "string") };
}

export function misplacedResult({ index }: ConversationMessage): TitoError {
  return new TitoError(
    "orphan_tool_result",
    `messages[${index}]: this format has results only in the turn of their calls. Put it behind the assistant message that made the call.`,
    { details: { message: index, field: "role", expected: "a call before the result", actual: "tool" } },
  );
}
