import type { SpokenResponse } from "./grammar.ts";
import type { ParsedResponse } from "./types.ts";

/** What was read, as a family would write it; a call that could not be read has no text of its own. */
export function spokenResponse({
  content,
  reasoning,
  toolCalls,
}: Pick<ParsedResponse, "content" | "reasoning" | "toolCalls">): SpokenResponse {
  return {
    content,
    reasoning: reasoning?.text ?? null,
    toolCalls: toolCalls.map(({ name, argumentsText, id }) => ({
      name: name ?? "",
      argumentsText: argumentsText ?? "",
      id: id ?? undefined,
    })),
  };
}
