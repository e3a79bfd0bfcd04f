import type { Ids, Tokenizer } from "../tokenizer/types.ts";
import type { TaggedGrammar } from "./grammar.ts";
import type { PromptContext } from "./types.ts";

/** Does the completion begin inside the reasoning? Reads the prompt from its end to the turn's start, no further. */
export function beginsInReasoning(grammar: TaggedGrammar, prompt: PromptContext, tokenizer: Tokenizer): boolean {
  const { reasoning } = grammar;
  if (!reasoning) return false;
  if ("reasoning" in prompt) {
    return (prompt.reasoning === "unknown" ? reasoning.whenUnknown : prompt.reasoning) === "open";
  }
  return isReasoningOpen(grammar, prompt, tokenizer);
}

function isReasoningOpen({ reasoning, turnStart, stops }: TaggedGrammar, prompt: Ids, tokenizer: Tokenizer): boolean {
  if (!reasoning) return false;
  const { open, close } = reasoning;
  for (let i = prompt.length - 1; i >= 0; i--) {
    const id = prompt[i];
    if (id === open.id) return true;
    if (id === close.id) return false;
    if (id !== turnStart && !stops.includes(id)) continue;
    if (open.id !== undefined && close.id !== undefined) return false;
    const text = tokenizer.decode(prompt.slice(i + 1));
    return text.lastIndexOf(open.text) > text.lastIndexOf(close.text);
  }
  return false;
}
