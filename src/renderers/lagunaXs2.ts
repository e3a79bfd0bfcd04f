/*
 * Laguna XS.2: see laguna.ts for the format that all Laguna share. Parts stand in lines of their own:
 *
 *   <system>⏎⏎{system}⏎⏎### Tools … </available_tools>⏎⏎{instructions}⏎</system>⏎<user>⏎{text}⏎</user>⏎
 *   <assistant>⏎<think>⏎{reasoning}⏎</think>⏎{content}⏎<tool_call>{name}⏎…</tool_call>⏎</assistant>⏎
 *
 * Turns have a thinking block where reasoning is not empty, whatever `enableThinking` says: that decides what the generation
 * prompt opens, and what the instructions ask for. With `renderAssistantMessagesRaw` an assistant's message is its content
 * alone, without calls and the reasoning field.
 */
import { type LagunaM1Config, type LagunaXs2Config, lagunaXs2Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { bindLaguna, type LagunaVariant, POOLSIDE_SYSTEM, preferredReasoning } from "./laguna.ts";

const EXAMPLE =
  "<tool_call>function-name\n<arg_key>argument-key</arg_key>\n<arg_value>value-of-argument-key</arg_value>\n</tool_call>";
const CALLS =
  "or each function call, return an unescaped XML-like object with function name and arguments " +
  "within '<tool_call>' and '</tool_call>' tags, like here:\n";

/** What Laguna XS.2 and M.1 have in common. */
export function lagunaLines(
  config: LagunaXs2Config | LagunaM1Config,
): Omit<LagunaVariant, "defaultSystem" | "thinkingParts"> {
  const { enableThinking, patched } = config;
  return {
    family: config.name,
    line: "\n",
    keepsEmptySystem: false,
    toolsTail: enableThinking
      ? `\n\nWrap your thinking in '<think>', '</think>' tags, followed by a function call. F${CALLS}` +
        `<think> your thoughts here </think>\n${EXAMPLE}`
      : `\n\nF${CALLS}${EXAMPLE}`,
    thinks: enableThinking,
    hasBlock: (reasoning) => reasoning !== null && (patched || reasoning !== ""),
    reasoningField: preferredReasoning,
    inlineThinking: true,
    raw: config.renderAssistantMessagesRaw,
    newlineAfterTurn: config.newlineAfterTurn,
    patched,
  };
}

export const lagunaXs2: Family<LagunaXs2Config> = {
  config: lagunaXs2Config,
  bind(tokenizer, config) {
    return bindLaguna(tokenizer, { ...lagunaLines(config), defaultSystem: POOLSIDE_SYSTEM, thinkingParts: true });
  },
};
