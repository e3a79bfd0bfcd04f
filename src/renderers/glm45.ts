/*
 * GLM-4.5: see glm.ts for the format that all GLM share. Parts stand in lines of their own:
 *
 *   <|user|>⏎{text}[/nothink]<|assistant|>⏎<think>{reasoning}</think>⏎{content}⏎<tool_call>{name}⏎…</tool_call>
 *
 * The generation prompt is a bare `<|assistant|>`: the model opens its thinking itself, and what it says without a marker
 * is thinking. With `enableThinking: false` user messages end with `/nothink`, and the generation prompt closes an empty block.
 */
import { type Glm45Config, glm45Config } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { bindGlm, givenToolSpec } from "./glm.ts";

const EMPTY_THINKING = "\n<think></think>";

export const glm45: Family<Glm45Config> = {
  config: glm45Config,
  bind(tokenizer, { enableThinking, patched }) {
    return bindGlm(tokenizer, {
      family: "glm-4.5",
      line: "\n",
      userSuffix: enableThinking ? undefined : "/nothink",
      thinks: enableThinking,
      clearsThinking: true,
      prefill: enableThinking ? "" : EMPTY_THINKING,
      scaffolds: enableThinking ? ["\n"] : [EMPTY_THINKING, "\n"],
      emptyBlocks: "all",
      exactReasoning: false,
      noContent: { null: "None", missing: "None" },
      badArguments: "none",
      toolSpec: givenToolSpec,
      patched,
    });
  },
};
