import type { Conversation } from "../../messages/index.ts";
import type { TemplateContext } from "../../template/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";

export interface TemplateVariables {
  /** The model's special tokens by the names that templates know (`bos_token`). */
  readonly specialTokens: Tokenizer["specialTokens"];
  /** The template's own variables; they win over special tokens. */
  readonly templateKwargs: Readonly<Record<string, unknown>>;
}

/**
 * The variables of a render, as transformers' `apply_chat_template` passes them: tools and documents that are not given are
 * None and not undefined.
 */
export function templateContext(
  { messages, tools }: Pick<Conversation, "messages" | "tools">,
  { specialTokens, templateKwargs }: TemplateVariables,
  addGenerationPrompt: boolean,
): TemplateContext {
  return new Map<string, unknown>([
    ...specialTokens,
    ["documents", null],
    ...Object.entries(templateKwargs),
    ["messages", messages.map(({ raw }) => raw)],
    ["tools", tools ?? null],
    ["add_generation_prompt", addGenerationPrompt],
  ]);
}
