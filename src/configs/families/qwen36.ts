import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { keepKnob } from "../impliedRetention.ts";
import { qwen35Fields, qwen35TemplateFields } from "./qwen35Fields.ts";

const schema = familySchema("qwen3.6", {
  ...qwen35Fields,
  /** Keep the thinking of turns before the last user query. */
  preserveThinking: z.boolean().default(false),
});

/** Config of Qwen3.6 as it is used: defaults filled in. */
export type Qwen36Config = Readonly<z.output<typeof schema>>;

/** Config of Qwen3.6 as it is written. */
export type Qwen36ConfigInput = Readonly<z.input<typeof schema>>;

export const qwen36Config = defineFamilyConfig({
  name: "qwen3.6",
  schema,
  templateFields: { ...qwen35TemplateFields, preserve_thinking: "preserveThinking" },
  impliedRetention: keepKnob("preserveThinking"),
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.preserveThinking || !config.enableThinking ? "all" : "tool_cycle"),
});
