/*
 * Qwen3.8: the format of qwenXml.ts, with argument values as JSON and, when thinking is on, a sentence at the system
 * block's beginning that says how deeply to think (`reasoningEffort`; none for `"medium"`).
 *
 * Every turn keeps its thinking, unless `preserveThinking` is off: then as in Qwen3.6. Thinking stands in its own field only:
 * `<think>` inside the content is content. Parts that are neither text nor images are left out, and a conversation without
 * a user query is an error.
 *
 * Differs from the published template: images in an assistant's message are refused.
 */
import { type Qwen38Config, qwen38Config } from "../configs/index.ts";
import { dropPart, type Family } from "../format/index.ts";
import { type QwenXmlVariant, qwenXmlFormat } from "./qwenXml.ts";

const INSTRUCTIONS: Readonly<Record<Qwen38Config["reasoningEffort"], string>> = {
  xhigh:
    "Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, consider " +
    "plausible alternatives, and prioritize correctness, consistency, and clarity in the final answer.",
  medium: "",
  low:
    "Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion without " +
    "unnecessary elaboration.",
};

const variant: QwenXmlVariant = {
  scalars: "json",
  inlineThinking: false,
  keepsEmptyThinking: true,
  otherParts: dropPart,
  instructions: "",
  omitsEmptySystem: true,
  needsQuery: true,
};

export const qwen38: Family<Qwen38Config> = {
  config: qwen38Config,
  bind(tokenizer, config) {
    const instructions = config.enableThinking ? INSTRUCTIONS[config.reasoningEffort] : "";
    return qwenXmlFormat(tokenizer, config, { ...variant, instructions });
  },
};
