/*
 * GLM-5.1: as GLM-5 (see glm5.ts), but turns after the last user message have an empty `<think></think>` where they have no
 * thinking, and tools are printed without their envelope.
 */
import { type Glm51Config, glm51Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { bindGlm, innerToolSpec } from "./glm.ts";
import { glm5Variant } from "./glm5.ts";

export const glm51: Family<Glm51Config> = {
  config: glm51Config,
  bind(tokenizer, config) {
    return bindGlm(tokenizer, { ...glm5Variant(config), emptyBlocks: "afterLastUser", toolSpec: innerToolSpec });
  },
};
