import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";

const schema = familySchema("laguna-s-2.1", {
  /** True: every turn has its thinking block; false: turns open behind a closed one. */
  enableThinking: z.boolean().default(true),
  /** Write the reasoning of earlier turns even while `enableThinking` is false. */
  preserveThinking: z.boolean().default(false),
});

/** Config of Laguna S-2.1 as it is used: defaults filled in. */
export type LagunaS21Config = Readonly<z.output<typeof schema>>;

/** Config of Laguna S-2.1 as it is written. */
export type LagunaS21ConfigInput = Readonly<z.input<typeof schema>>;

export const lagunaS21Config = defineFamilyConfig({
  name: "laguna-s-2.1",
  schema,
  templateFields: { enable_thinking: "enableThinking", preserve_thinking: "preserveThinking" },
  // Reasoning is shown or hidden in all turns alike, so this knob contradicts no explicit retention.
  impliedRetention: () => undefined,
  // No turn changes what the template writes for an earlier one.
  templateRetention: () => "all",
});
