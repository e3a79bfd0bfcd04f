import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";

const schema = familySchema("glm-4.5", {
  /** False: the generation prompt closes an empty thinking block. */
  enableThinking: z.boolean().default(true),
});

/** Config of GLM-4.5 as it is used: defaults filled in. */
export type Glm45Config = Readonly<z.output<typeof schema>>;

/** Config of GLM-4.5 as it is written. */
export type Glm45ConfigInput = Readonly<z.input<typeof schema>>;

export const glm45Config = defineFamilyConfig({
  name: "glm-4.5",
  schema,
  templateFields: { enable_thinking: "enableThinking" },
  // The template drops earlier thinking whatever this knob says, so it contradicts no explicit retention.
  impliedRetention: () => undefined,
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.enableThinking ? "tool_cycle" : "all"),
});
