import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { keepKnob } from "../impliedRetention.ts";
import { imageFields } from "./visionFields.ts";

const schema = familySchema("gemma4", {
  /** Ask for thinking in the system turn. */
  enableThinking: z.boolean().default(false),
  /** Keep the thinking of earlier turns that called tools. */
  preserveThinking: z.boolean().default(false),
  /**
   * Without thinking, the generation prompt opens and closes an empty thought channel, as the templates of the 26B and 31B
   * models do. Unset: as the model's own template has it; false where the model is not known.
   */
  prefillEmptyThought: z.boolean().default(false),
  ...imageFields,
});

/** Config of Gemma 4 as it is used: defaults filled in. */
export type Gemma4Config = Readonly<z.output<typeof schema>>;

/** Config of Gemma 4 as it is written. */
export type Gemma4ConfigInput = Readonly<z.input<typeof schema>>;

export const gemma4Config = defineFamilyConfig({
  name: "gemma4",
  schema,
  templateFields: { enable_thinking: "enableThinking", preserve_thinking: "preserveThinking" },
  modelDefaults: {
    "google/gemma-4-26B-A4B-it": { prefillEmptyThought: true },
    "google/gemma-4-31B-it": { prefillEmptyThought: true },
  },
  impliedRetention: keepKnob("preserveThinking"),
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.preserveThinking || !config.enableThinking ? "all" : "tool_cycle"),
});
