/*
 * Laguna S-2.1: Laguna XS-2.1 (see lagunaXs21.ts), with thinking on unless asked otherwise. `preserveThinking` writes the
 * reasoning of earlier turns also where the generation prompt opens none.
 */
import { type LagunaS21Config, lagunaS21Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { bindLaguna, preferredReasoning } from "./laguna.ts";
import { lagunaHugging } from "./lagunaXs21.ts";

export const lagunaS21: Family<LagunaS21Config> = {
  config: lagunaS21Config,
  bind(tokenizer, config) {
    return bindLaguna(tokenizer, {
      ...lagunaHugging(config),
      hasBlock: () => config.enableThinking || config.preserveThinking,
      reasoningField: preferredReasoning,
    });
  },
};
