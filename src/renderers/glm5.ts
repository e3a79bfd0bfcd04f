/*
 * GLM-5: see glm.ts for the format that all GLM share. Nothing stands between the parts:
 *
 *   <|user|>{text}<|assistant|><think>{reasoning}</think>{content}<tool_call>{name}<arg_key>…</arg_value></tool_call>
 *   <|user|>{text}<|assistant|></think>{content}
 *
 * The generation prompt opens thinking, or with `enableThinking: false` writes a lone `</think>`, which also stands in each
 * turn whose thinking is dropped or empty.
 */
import { type Glm5Config, type Glm51Config, glm5Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { bindGlm, type GlmVariant, givenToolSpec } from "./glm.ts";

/** What GLM-5 and GLM-5.1 have in common. */
export function glm5Variant(config: Glm5Config | Glm51Config): Omit<GlmVariant, "emptyBlocks" | "toolSpec"> {
  return {
    family: config.name,
    line: "",
    thinks: config.enableThinking,
    clearsThinking: config.clearThinking,
    prefill: config.enableThinking ? "<think>" : "</think>",
    scaffolds: ["<think>", "</think>"],
    exactReasoning: false,
    noContent: { null: "None", missing: "None" },
    badArguments: "none",
    patched: config.patched,
  };
}

export const glm5: Family<Glm5Config> = {
  config: glm5Config,
  bind(tokenizer, config) {
    return bindGlm(tokenizer, {
      ...glm5Variant(config),
      emptyBlocks: "none",
      noContent: { null: "None", missing: "" },
      toolSpec: givenToolSpec,
    });
  },
};
