import type { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";

const schema = familySchema("deepseek-r1", {});

/** Config of DeepSeek R1 as it is used: defaults filled in. */
export type DeepseekR1Config = Readonly<z.output<typeof schema>>;

/** Config of DeepSeek R1 as it is written. */
export type DeepseekR1ConfigInput = Readonly<z.input<typeof schema>>;

export const deepseekR1Config = defineFamilyConfig({
  name: "deepseek-r1",
  schema,
  templateFields: {},
  impliedRetention: () => undefined,
  // The template takes the thinking out of a turn as soon as it is history.
  templateRetention: () => "template",
});
