import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { dropKnob } from "../impliedRetention.ts";

const schema = familySchema("deepseek-v4", {
  /** Thinking mode; false: chat mode. */
  enableThinking: z.boolean().default(false),
  /** Drop the thinking of turns before the last user query. With tools the encoder keeps all of it. */
  dropThinking: z.boolean().default(true),
  /** A prefix that asks for deeper thinking; `"low"` writes none. Without effect in chat mode. */
  reasoningEffort: z.enum(["low", "high", "max"]).default("low"),
});

/** Config of DeepSeek V4 as it is used: defaults filled in. */
export type DeepseekV4Config = Readonly<z.output<typeof schema>>;

/** Config of DeepSeek V4 as it is written. */
export type DeepseekV4ConfigInput = Readonly<z.input<typeof schema>>;

export const deepseekV4Config = defineFamilyConfig({
  name: "deepseek-v4",
  schema,
  templateFields: {
    enable_thinking: "enableThinking",
    drop_thinking: "dropThinking",
    reasoning_effort: "reasoningEffort",
  },
  impliedRetention: dropKnob("dropThinking"),
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.enableThinking && config.dropThinking ? "tool_cycle" : "all"),
});
