/*
 * Laguna XS-2.1: see laguna.ts for the format that all Laguna share. Nothing stands between the parts:
 *
 *   <system>{system}⏎⏎### Tools … </available_tools></system>⏎<user>{text}</user>⏎
 *   <assistant><think>{reasoning}</think>{content}<tool_call>{name}<arg_key>…</arg_value></tool_call></assistant>⏎
 *
 * With `enableThinking` every turn has a thinking block, also an empty one, and the system block stands even if it is empty;
 * without it none has, and reasoning is not written.
 */
import { type LagunaS21Config, type LagunaXs21Config, lagunaXs21Config } from "../configs/index.ts";
import { type Family, templateReasoning } from "../format/index.ts";
import { bindLaguna, type LagunaVariant, POOLSIDE_SYSTEM } from "./laguna.ts";

/** What Laguna XS-2.1 and S-2.1 have in common. */
export function lagunaHugging(
  config: LagunaXs21Config | LagunaS21Config,
): Omit<LagunaVariant, "hasBlock" | "reasoningField"> {
  return {
    family: config.name,
    line: "",
    defaultSystem: POOLSIDE_SYSTEM,
    keepsEmptySystem: config.enableThinking,
    toolsTail: "",
    thinks: config.enableThinking,
    thinkingParts: true,
    inlineThinking: false,
    raw: false,
    newlineAfterTurn: true,
    patched: config.patched,
  };
}

export const lagunaXs21: Family<LagunaXs21Config> = {
  config: lagunaXs21Config,
  bind(tokenizer, config) {
    return bindLaguna(tokenizer, {
      ...lagunaHugging(config),
      hasBlock: () => config.enableThinking,
      reasoningField: (message) => templateReasoning(message, config.validate),
    });
  },
};
