import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { dropKnob } from "../impliedRetention.ts";
import { nemotron3Fields, nemotron3TemplateFields } from "./nemotron3Fields.ts";

const schema = familySchema("nemotron-3-ultra", {
  ...nemotron3Fields,
  /** Ask for efficient reasoning in the last user message. */
  mediumEffort: z.boolean().default(false),
});

/** Config of Nemotron 3 Ultra as it is used: defaults filled in. */
export type Nemotron3UltraConfig = Readonly<z.output<typeof schema>>;

/** Config of Nemotron 3 Ultra as it is written. */
export type Nemotron3UltraConfigInput = Readonly<z.input<typeof schema>>;

export const nemotron3UltraConfig = defineFamilyConfig({
  name: "nemotron-3-ultra",
  schema,
  templateFields: { ...nemotron3TemplateFields, medium_effort: "mediumEffort" },
  impliedRetention: dropKnob("truncateHistoryThinking"),
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.truncateHistoryThinking && config.enableThinking ? "tool_cycle" : "all"),
});
