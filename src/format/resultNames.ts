import type { ConversationMessage } from "../messages/index.ts";

/** A call, as far as its answer needs it. */
export interface AnsweredCall {
  readonly id?: string | null | undefined;
  readonly name: string | null;
}

/**
 * For each result the name of the tool that gave it: by the call's id, or the result's own name, or else by its place, where
 * there is one call or as many calls as results. Undefined where nothing tells.
 */
export function resultNames(
  calls: readonly AnsweredCall[],
  results: readonly Pick<ConversationMessage, "toolCallId" | "name">[],
): (string | undefined)[] {
  return results.map(({ toolCallId, name }, at) => {
    const called = toolCallId === undefined ? undefined : calls.findLast(({ id }) => id === toolCallId);
    const inPlace = calls.length === 1 ? calls[0] : calls.length === results.length ? calls[at] : undefined;
    return called?.name || name || inPlace?.name || undefined;
  });
}
