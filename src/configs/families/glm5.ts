import type { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { dropKnob } from "../impliedRetention.ts";
import { glm5Fields, glm5TemplateFields } from "./glm5Fields.ts";

const schema = familySchema("glm-5", {
  ...glm5Fields,
});

/** Config of GLM-5 as it is used: defaults filled in. */
export type Glm5Config = Readonly<z.output<typeof schema>>;

/** Config of GLM-5 as it is written. */
export type Glm5ConfigInput = Readonly<z.input<typeof schema>>;

export const glm5Config = defineFamilyConfig({
  name: "glm-5",
  schema,
  templateFields: glm5TemplateFields,
  impliedRetention: dropKnob("clearThinking"),
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.clearThinking && config.enableThinking ? "tool_cycle" : "all"),
});
