import { pythonLstrip } from "../messages/index.ts";
import type { Ids, Tokenizer } from "../tokenizer/types.ts";
import type { TaggedGrammar } from "./grammar.ts";
import type { PromptContext } from "./types.ts";

/** Where a response begins. */
export interface TurnBeginning {
  readonly mode: "start" | "implied" | "reasoning";
  /** What the prompt has written of the text before the opening marker, where reasoning is implied; else `""`. */
  readonly written: string;
}

/** What the prompt has left open. Reads its ids from the end to the turn's start, no further. */
export function turnBeginning(grammar: TaggedGrammar, prompt: PromptContext, tokenizer: Tokenizer): TurnBeginning {
  const { reasoning } = grammar;
  if (!reasoning) return { mode: "start", written: "" };
  const { implied, whenUnknown } = reasoning;
  if ("reasoning" in prompt) {
    if (prompt.reasoning === "open") return { mode: "reasoning", written: "" };
    if (prompt.reasoning === "closed" || whenUnknown === "closed") return { mode: "start", written: "" };
    return { mode: implied === undefined ? "reasoning" : "implied", written: "" };
  }
  const { state, from } = promptReasoning(grammar, prompt, tokenizer);
  if (state === "open") return { mode: "reasoning", written: "" };
  if (state === "closed" || implied === undefined) return { mode: "start", written: "" };
  const after = implied === "" ? "" : tokenizer.decode(prompt.slice(from));
  return { mode: "implied", written: after === implied ? after : "" };
}

export const beginsInReasoning = (grammar: TaggedGrammar, prompt: PromptContext, tokenizer: Tokenizer): boolean =>
  turnBeginning(grammar, prompt, tokenizer).mode !== "start";

/** Which marker the prompt wrote last in its turn, which begins at `from`. */
function promptReasoning(
  { reasoning, turnStart, stops }: TaggedGrammar,
  prompt: Ids,
  tokenizer: Tokenizer,
): { readonly state: "open" | "closed" | "unwritten"; readonly from: number } {
  const unwritten = (from: number) => ({ state: "unwritten", from }) as const;
  if (!reasoning) return unwritten(0);
  const { open, close, opensAtTurnStart = false, label = "" } = reasoning;
  // As many ids as the label has characters spell all of it. A prompt may also end with the marker alone.
  const hasLabel = (from: number) =>
    label === "" ||
    from === prompt.length ||
    tokenizer.decode(prompt.slice(from, from + label.length)).startsWith(label);
  for (let i = prompt.length - 1; i >= 0; i--) {
    const id = prompt[i];
    if (id === open.id && !opensAtTurnStart && hasLabel(i + 1)) return { state: "open", from: i + 1 };
    if (id === close.id) return { state: "closed", from: i + 1 };
    if (id !== turnStart && !stops.includes(id)) continue;
    if (opensAtTurnStart && id !== turnStart) return unwritten(i + 1);
    if (!opensAtTurnStart && open.id !== undefined && close.id !== undefined) return unwritten(i + 1);
    const text = tokenizer.decode(prompt.slice(i + 1));
    if (opensAtTurnStart && !pythonLstrip(text).startsWith(open.text)) return unwritten(i + 1);
    if (!text.includes(open.text) && !text.includes(close.text)) return unwritten(i + 1);
    return { state: text.lastIndexOf(open.text) > text.lastIndexOf(close.text) ? "open" : "closed", from: i + 1 };
  }
  return unwritten(0);
}
