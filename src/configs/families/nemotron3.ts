import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { dropKnob } from "../impliedRetention.ts";
import { nemotron3Fields, nemotron3TemplateFields } from "./nemotron3Fields.ts";

const schema = familySchema("nemotron-3", {
  ...nemotron3Fields,
  /** Ask for short reasoning in the last user message. Without effect unless the template reads it. */
  lowEffort: z.boolean().default(false),
  /**
   * The model's template reads `low_effort`: Super's does, Nano's does not. Unset: as the model's own template has it; false
   * where the model is not known.
   */
  readsLowEffort: z.boolean().default(false),
});

/** Config of Nemotron 3 Nano and Super as it is used: defaults filled in. */
export type Nemotron3Config = Readonly<z.output<typeof schema>>;

/** Config of Nemotron 3 Nano and Super as it is written. */
export type Nemotron3ConfigInput = Readonly<z.input<typeof schema>>;

export const nemotron3Config = defineFamilyConfig({
  name: "nemotron-3",
  schema,
  templateFields: { ...nemotron3TemplateFields, low_effort: "lowEffort" },
  modelDefaults: { "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16": { readsLowEffort: true } },
  impliedRetention: dropKnob("truncateHistoryThinking"),
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.truncateHistoryThinking && config.enableThinking ? "tool_cycle" : "all"),
});
