import {
  contentText,
  equalJson,
  type JsonInput,
  type Message,
  type ToolCall,
  tryParseJson,
} from "../messages/index.ts";

/**
 * The first message and field in which a list of messages differs from what was sampled and sent; null if there is none.
 * Arguments are compared as JSON values, missing content as empty; reasoning that a client does not carry is no difference.
 */
export function historyDifference(
  sent: readonly Message[],
  given: readonly Message[],
): { readonly message: number; readonly field: string } | null {
  for (const [message, ours] of sent.entries()) {
    const theirs = given[message];
    if (theirs === undefined) return { message, field: "message" };
    const field = differingField(ours, theirs);
    if (field) return { message, field };
  }
  return null;
}

function differingField(ours: Message, theirs: Message): string | null {
  if (ours.role !== theirs.role) return "role";
  if (contentText(ours) !== contentText(theirs)) return "content";
  const thinking = theirs.reasoning_content ?? theirs.reasoning;
  if (thinking && thinking !== (ours.reasoning_content ?? ours.reasoning ?? "")) return "reasoning_content";
  for (const field of ["tool_call_id", "name"] as const)
    if ((ours[field] ?? null) !== (theirs[field] ?? null)) return field;
  const calls = ours.tool_calls ?? [];
  const theirCalls = theirs.tool_calls ?? [];
  if (calls.length !== theirCalls.length) return "tool_calls";
  const index = calls.findIndex((call, i) => !sameCall(call, theirCalls[i]));
  return index < 0 ? null : `tool_calls[${index}]`;
}

function sameCall(ours: ToolCall, theirs: ToolCall): boolean {
  const [a, b] = [ours.function ?? ours, theirs.function ?? theirs];
  return (
    (ours.id ?? null) === (theirs.id ?? null) &&
    a.name === b.name &&
    equalJson(argumentValue(a.arguments), argumentValue(b.arguments))
  );
}

/** JSON text as its value, so that a client that parsed and printed it again is not blamed for white space. */
function argumentValue(args: ToolCall["arguments"]): JsonInput {
  if (typeof args !== "string") return args ?? {};
  const read = tryParseJson(args);
  return read.ok ? read.value : args;
}
