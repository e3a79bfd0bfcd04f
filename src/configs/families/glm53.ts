import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { dropKnob } from "../impliedRetention.ts";

const schema = familySchema("glm-5.3", {
  /** Drop the thinking of turns before the last user query. */
  clearThinking: z.boolean().default(false),
  /** The reasoning effort that the system preamble names. */
  reasoningEffort: z.enum(["low", "high", "max"]).default("max"),
});

/** Config of GLM-5.3 as it is used: defaults filled in. */
export type Glm53Config = Readonly<z.output<typeof schema>>;

/** Config of GLM-5.3 as it is written. */
export type Glm53ConfigInput = Readonly<z.input<typeof schema>>;

export const glm53Config = defineFamilyConfig({
  name: "glm-5.3",
  schema,
  templateFields: { clear_thinking: "clearThinking", reasoning_effort: "reasoningEffort" },
  impliedRetention: dropKnob("clearThinking"),
  templateRetention: (config) => (config.clearThinking ? "tool_cycle" : "all"),
});
