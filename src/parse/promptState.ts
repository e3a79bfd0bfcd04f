import type { Ids } from "../tokenizer/types.ts";
import type { ResponseGrammar } from "./grammar.ts";
import type { PromptContext } from "./types.ts";

/** Does the completion begin inside the reasoning? Reads the prompt from its end to the turn's start, no further. */
export function beginsInReasoning(grammar: ResponseGrammar, prompt: PromptContext): boolean {
  const { reasoning } = grammar;
  if (!reasoning) return false;
  if ("reasoning" in prompt) {
    return (prompt.reasoning === "unknown" ? reasoning.whenUnknown : prompt.reasoning) === "open";
  }
  return isReasoningOpen(grammar, prompt);
}

function isReasoningOpen({ reasoning, turnStart, stops }: ResponseGrammar, prompt: Ids): boolean {
  for (let i = prompt.length - 1; i >= 0; i--) {
    const id = prompt[i];
    if (id === reasoning?.open.id) return true;
    if (id === reasoning?.close.id || id === turnStart || stops.includes(id)) return false;
  }
  return false;
}
