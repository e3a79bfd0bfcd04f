/*
 * Qwen3.6: the format of qwenXml.ts, with argument values as JSON.
 *
 * Thinking before the last user query is dropped, unless `preserveThinking` keeps it in every turn. With
 * `enableThinking: false` turns without thinking keep their empty block there, since it was in their prompt.
 *
 * Differs from the published template: as Qwen3.5 does, and by the empty blocks, which the template drops.
 */
import { type Qwen36Config, qwen36Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { qwen35Variant } from "./qwen35.ts";
import { type QwenXmlVariant, qwenXmlFormat } from "./qwenXml.ts";

const variant: QwenXmlVariant = { ...qwen35Variant, scalars: "json", keepsEmptyThinking: true };

export const qwen36: Family<Qwen36Config> = {
  config: qwen36Config,
  bind: (tokenizer, config) => qwenXmlFormat(tokenizer, config, variant),
};
