import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { imageFields } from "./visionFields.ts";

const schema = familySchema("kimi-k2.5", {
  /** False: the generation prompt closes an empty thinking block. */
  thinking: z.boolean().default(true),
  ...imageFields,
});

/** Config of Kimi K2.5 as it is used: defaults filled in. */
export type KimiK25Config = Readonly<z.output<typeof schema>>;

/** Config of Kimi K2.5 as it is written. */
export type KimiK25ConfigInput = Readonly<z.input<typeof schema>>;

export const kimiK25Config = defineFamilyConfig({
  name: "kimi-k2.5",
  schema,
  templateFields: { thinking: "thinking" },
  // The template drops earlier thinking whatever this knob says, so it contradicts no explicit retention.
  impliedRetention: () => undefined,
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.thinking ? "tool_cycle" : "all"),
});
