import type { Ids, Tokenizer } from "../../tokenizer/types.ts";
import type { FramedGrammar, FramedPart } from "../grammar.ts";
import type { PromptContext } from "../types.ts";

/** What a prompt has opened: a header with its text so far, a body, no message at all, or nothing that is known. */
export interface FramedOpening {
  readonly mode: "header" | "body" | "between" | "plain";
  readonly header: string;
  readonly part: FramedPart;
}

const HEADER: FramedOpening = { mode: "header", header: "", part: "content" };
const BETWEEN: FramedOpening = { ...HEADER, mode: "between" };
const PLAIN: FramedOpening = { ...HEADER, mode: "plain" };
const REASONING: FramedOpening = { mode: "body", header: "", part: "reasoning" };

/** Reads the prompt from its end to the last message's start, no further. */
export function framedOpening(grammar: FramedGrammar, prompt: PromptContext, tokenizer: Tokenizer): FramedOpening {
  if ("reasoning" in prompt) {
    if (prompt.reasoning === "open") return REASONING;
    return prompt.reasoning === "unknown" && grammar.whenUnknown === "plain" ? PLAIN : HEADER;
  }
  const start = lastIndexOf(prompt, grammar.starts);
  if (start < 0) return HEADER;
  const tail = Array.from(prompt.slice(start + 1));
  if (tail.some((id) => grammar.ends.includes(id) || grammar.stops.includes(id))) return BETWEEN;
  const body = tail.findIndex((id) => grammar.bodies.includes(id));
  const header = tokenizer.decode(body < 0 ? tail : tail.slice(0, body));
  return body < 0
    ? { mode: "header", header, part: "content" }
    : { mode: "body", header, part: grammar.classify(header, tail[body]) };
}

function lastIndexOf(ids: Ids, wanted: readonly number[]): number {
  for (let i = ids.length - 1; i >= 0; i--) if (wanted.includes(ids[i])) return i;
  return -1;
}
