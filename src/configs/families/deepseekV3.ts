import type { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";

const schema = familySchema("deepseek-v3", {});

/** Config of DeepSeek V3 as it is used: defaults filled in. */
export type DeepseekV3Config = Readonly<z.output<typeof schema>>;

/** Config of DeepSeek V3 as it is written. */
export type DeepseekV3ConfigInput = Readonly<z.input<typeof schema>>;

export const deepseekV3Config = defineFamilyConfig({
  name: "deepseek-v3",
  schema,
  templateFields: {},
  impliedRetention: () => undefined,
  // The format has no reasoning to drop.
  templateRetention: () => "all",
});
