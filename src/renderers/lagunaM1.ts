/*
 * Laguna M.1: Laguna XS.2 (see lagunaXs2.ts) without a default system text; thinking parts of the content are left out.
 */
import { type LagunaM1Config, lagunaM1Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { bindLaguna } from "./laguna.ts";
import { lagunaLines } from "./lagunaXs2.ts";

export const lagunaM1: Family<LagunaM1Config> = {
  config: lagunaM1Config,
  bind(tokenizer, config) {
    return bindLaguna(tokenizer, { ...lagunaLines(config), defaultSystem: "", thinkingParts: false });
  },
};
