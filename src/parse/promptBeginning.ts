import type { Tokenizer } from "../tokenizer/types.ts";
import { framedOpening } from "./framed/opening.ts";
import type { ResponseGrammar } from "./grammar.ts";
import { beginningOf } from "./layout/beginningOf.ts";
import type { LayoutBeginning } from "./layout/layout.ts";
import { layoutBeginning } from "./layout/layoutParserFactory.ts";
import { turnBeginning } from "./promptState.ts";
import { responseLayout } from "./responseLayout.ts";
import type { PromptContext } from "./types.ts";

/** Where a response begins behind this prompt, as the grammar's parser sees it. */
export function promptBeginning(
  grammar: ResponseGrammar,
  prompt: PromptContext,
  tokenizer: Tokenizer,
): LayoutBeginning {
  if (grammar.kind === "bare") return { in: "start", closed: false };
  if (grammar.kind === "layout") return layoutBeginning(grammar, prompt, tokenizer);
  if (grammar.kind === "framed") {
    const { mode, part } = framedOpening(grammar, prompt, tokenizer);
    if (mode === "body") return { in: part === "reasoning" ? "reasoning" : "content" };
    return mode === "header" ? { in: "glue" } : { in: "start", closed: false };
  }
  if (turnBeginning(grammar, prompt, tokenizer).mode !== "start") return { in: "reasoning" };
  if ("reasoning" in prompt) return { in: "start", closed: prompt.reasoning === "closed" };
  const turn = prompt.slice(prompt.lastIndexOf(grammar.turnStart) + 1);
  const beginning = beginningOf(responseLayout(grammar)!, tokenizer.decode(turn.slice(-maxOpening)));
  return { in: "start", closed: beginning.in === "start" && beginning.closed };
}

/** What a prompt writes behind a turn's start is short. */
const maxOpening = 64;
