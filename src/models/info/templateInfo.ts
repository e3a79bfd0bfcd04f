import { chatFormatOf } from "../../apply/chatFormat.ts";
import { analyze } from "../../autoparser/index.ts";
import {
  type ChatTemplates,
  capabilities,
  compileTemplate,
  FALLBACK_TEMPLATE,
  type TemplateCapabilities,
} from "../../template/index.ts";
import type { LlamaCaps, ModelInfo } from "./types.ts";

/** The template that decides about tools. */
export function templateForTools({ chatTemplates }: Pick<ChatTemplates, "chatTemplates">): string {
  return chatTemplates.get("tool_use") ?? chatTemplates.get("default") ?? FALLBACK_TEMPLATE;
}

/** @throws TitoError `template_syntax` */
export function templateInfo(
  source: string,
  specialTokens: ReadonlyMap<string, string>,
): Pick<ModelInfo, "supports_tools" | "caps" | "chat_format"> {
  const template = compileTemplate(source, { mutable: true });
  const caps = llamaCaps(capabilities(template));
  const shown = new Map([...specialTokens].filter(([, text]) => text !== ""));
  const { layout } = analyze(template, { specialTokens: shown });
  return { supports_tools: hasTools(caps), caps, chat_format: chatFormatOf(layout, false) };
}

/** Both halves of tool calling. */
export const hasTools = (caps: LlamaCaps): boolean => caps.supports_tools && caps.supports_tool_calls;

export function llamaCaps(found: TemplateCapabilities): LlamaCaps {
  return {
    supports_tools: found.supportsTools,
    supports_tool_calls: found.supportsToolCalls,
    supports_system_role: found.supportsSystemRole,
    supports_parallel_tool_calls: found.supportsParallelToolCalls,
    supports_preserve_reasoning: found.supportsPreserveReasoning,
    supports_reasoning_effort: found.supportsReasoningEffort,
    supports_string_content: found.supportsStringContent,
    supports_typed_content: found.supportsTypedContent,
    supports_object_arguments: found.supportsObjectArguments,
  };
}
