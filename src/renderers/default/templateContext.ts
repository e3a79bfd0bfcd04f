import type { Conversation, JsonInput } from "../../messages/index.ts";
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
  return new Map<string, JsonInput>([
    ...specialTokens,
    ["documents", null],
    ...(Object.entries(templateKwargs) as [string, JsonInput][]),
    ["messages", messages.map(({ raw }) => raw as unknown as JsonInput)],
    ["tools", (tools as unknown as JsonInput) ?? null],
    ["add_generation_prompt", addGenerationPrompt],
  ]);
}
