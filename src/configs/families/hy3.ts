import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { keepKnob } from "../impliedRetention.ts";

const schema = familySchema("hy3", {
  /** `"no_think"`: the generation prompt closes an empty thinking block; the others open one. */
  reasoningEffort: z.enum(["no_think", "low", "high"]).default("no_think"),
  /** Keep the thinking of turns before the last user query. Unset: only if tools are given. */
  preservedThinking: z.boolean().optional(),
  /** Write the thinking of every turn, and end the last one. */
  isTraining: z.boolean().default(false),
  /** Write a last assistant message as plain text that is to be continued: no thinking block, no end of turn. */
  rawLastAssistant: z.boolean().default(false),
  /** `"reasoning_toolcall_retry"`: as `reasoningEffort: "high"`, and never a generation prompt. */
  fallbackStrategy: z.enum(["reasoning_toolcall_retry"]).optional(),
});

/** Config of Hy3 as it is used: defaults filled in. */
export type Hy3Config = Readonly<z.output<typeof schema>>;

/** Config of Hy3 as it is written. */
export type Hy3ConfigInput = Readonly<z.input<typeof schema>>;

export const hy3Config = defineFamilyConfig({
  name: "hy3",
  schema,
  templateFields: {
    reasoning_effort: "reasoningEffort",
    preserved_thinking: "preservedThinking",
    is_training: "isTraining",
    raw_last_assistant: "rawLastAssistant",
    fallback_strategy: "fallbackStrategy",
  },
  impliedRetention: keepKnob("preservedThinking"),
  templateRetention: (config, { tools }) => ((config.preservedThinking ?? tools) ? "all" : "tool_cycle"),
});
