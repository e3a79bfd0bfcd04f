/*
 * DeepSeek V3: see deepseek.ts for the wire format.
 *
 * The generation prompt is a bare `<｜Assistant｜>`, or nothing after tool results. The format has no thinking: reasoning in
 * a message of its own is not written. A response that begins with `<think>` all the same is read as reasoning, whether the
 * vocabulary has the marker as a token or spells it.
 *
 * `patched`: reasoning that is read keeps its edge newlines, all but the format's own.
 */
import { type DeepseekV3Config, deepseekV3Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { deepseekFormat } from "./deepseek.ts";

export const deepseekV3: Family<DeepseekV3Config> = {
  config: deepseekV3Config,
  bind: (tokenizer, { patched }) =>
    deepseekFormat(tokenizer, { family: "deepseek-v3", prefill: "", said: ({ text }) => text, patched }),
};
