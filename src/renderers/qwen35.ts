/*
 * Qwen3.5: the format of qwenXml.ts, with argument values as Python prints them (`True`, `None`; objects and arrays as JSON).
 *
 * Thinking before the last user query is dropped.
 *
 * Differs from the published template: without a user query no turn has thinking (the template raises); a message with
 * images keeps its edge white space; images in an assistant's message are refused; a tool's result that begins the
 * conversation opens its user turn; arguments that are no JSON object are left out with `validate: "template"`.
 */
import { type Qwen35Config, qwen35Config } from "../configs/index.ts";
import { type Family, refusePart } from "../format/index.ts";
import { type QwenXmlVariant, qwenXmlFormat } from "./qwenXml.ts";

/** What Qwen3.6 has of it, too. */
export const qwen35Variant: QwenXmlVariant = {
  scalars: "python",
  inlineThinking: true,
  keepsEmptyThinking: false,
  otherParts: refusePart,
  instructions: "",
  omitsEmptySystem: false,
  needsQuery: false,
};

export const qwen35: Family<Qwen35Config> = {
  config: qwen35Config,
  bind: (tokenizer, config) => qwenXmlFormat(tokenizer, config, qwen35Variant),
};
