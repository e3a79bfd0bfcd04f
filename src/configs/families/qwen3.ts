import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";

const schema = familySchema("qwen3", {
  /** False: the generation prompt closes an empty thinking block. */
  enableThinking: z.boolean().default(true),
});

/** Config of Qwen3 as it is used: defaults filled in. */
export type Qwen3Config = Readonly<z.output<typeof schema>>;

/** Config of Qwen3 as it is written. */
export type Qwen3ConfigInput = Readonly<z.input<typeof schema>>;

export const qwen3Config = defineFamilyConfig({
  name: "qwen3",
  schema,
  templateFields: { enable_thinking: "enableThinking" },
  // The template drops earlier thinking whatever this knob says, so it contradicts no explicit retention.
  impliedRetention: () => undefined,
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.enableThinking ? "tool_cycle" : "all"),
});
