import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { keepKnob } from "../impliedRetention.ts";
import { qwen35Fields, qwen35TemplateFields } from "./qwen35Fields.ts";

const schema = familySchema("qwen3.8", {
  ...qwen35Fields,
  /** Keep the thinking of turns before the last user query. */
  preserveThinking: z.boolean().default(true),
  /** A hint in the system prompt of how deeply to think; `"medium"` writes none. Without effect when thinking is off. */
  reasoningEffort: z.enum(["xhigh", "medium", "low"]).default("xhigh"),
});

/** Config of Qwen3.8 as it is used: defaults filled in. */
export type Qwen38Config = Readonly<z.output<typeof schema>>;

/** Config of Qwen3.8 as it is written. */
export type Qwen38ConfigInput = Readonly<z.input<typeof schema>>;

export const qwen38Config = defineFamilyConfig({
  name: "qwen3.8",
  schema,
  templateFields: {
    ...qwen35TemplateFields,
    preserve_thinking: "preserveThinking",
    reasoning_effort: "reasoningEffort",
  },
  impliedRetention: keepKnob("preserveThinking"),
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.preserveThinking || !config.enableThinking ? "all" : "tool_cycle"),
});
