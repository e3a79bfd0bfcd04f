import { type ConversationMessage, pythonLstrip, pythonRstrip, type Validation } from "../messages/index.ts";

/** An assistant's words, told apart. */
export interface Thinking {
  readonly reasoning: string;
  readonly content: string;
}

/**
 * Thinking stands in its own field, or else inside the content: before the first closing marker, after the last opening
 * one there; the content is what follows the last closing marker. Newlines around both go. So do the templates of Qwen and GLM.
 */
export function splitThinking(
  message: Pick<ConversationMessage, "reasoning" | "text">,
  open = "<think>",
  close = "</think>",
): Thinking {
  const content = message.text;
  if (message.reasoning !== null) return { reasoning: message.reasoning, content };
  if (!content.includes(close)) return { reasoning: "", content };
  const parts = content.split(close);
  const thinking = pythonRstrip(parts[0], "\n").split(open).at(-1) ?? "";
  return { reasoning: pythonLstrip(thinking, "\n"), content: pythonLstrip(parts.at(-1) ?? "", "\n") };
}

/** The one field that templates read thinking from; messages that are checked strictly may call it `reasoning`. */
export function templateReasoning(
  { reasoning, raw }: Pick<ConversationMessage, "reasoning" | "raw">,
  validate: Validation,
): string | null {
  if (validate === "strict") return reasoning;
  return typeof raw.reasoning_content === "string" ? raw.reasoning_content : null;
}

/**
 * Index of the last message that starts a user query, after which turns keep their thinking; without one `none`, which
 * templates choose differently: the last message (no turn keeps it), or -1 (all do).
 */
export function lastQueryIndex(
  messages: readonly ConversationMessage[],
  startsQuery: (message: ConversationMessage) => boolean,
  none: number,
): number {
  const index = messages.findLastIndex(startsQuery);
  return index < 0 ? none : index;
}

/** A user message that is nothing but a tool's response belongs to the query before it. So do the templates of Qwen. */
export function startsChatmlQuery({ role, text }: Pick<ConversationMessage, "role" | "text">): boolean {
  return role === "user" && !(text.startsWith("<tool_response>") && text.endsWith("</tool_response>"));
}
