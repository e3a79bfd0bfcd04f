import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";

const schema = familySchema("kimi-k2", {
  /** Without effect: the template has no thinking. */
  enableThinking: z.boolean().default(true),
});

/** Config of Kimi K2 as it is used: defaults filled in. */
export type KimiK2Config = Readonly<z.output<typeof schema>>;

/** Config of Kimi K2 as it is written. */
export type KimiK2ConfigInput = Readonly<z.input<typeof schema>>;

export const kimiK2Config = defineFamilyConfig({
  name: "kimi-k2",
  schema,
  templateFields: {},
  impliedRetention: () => undefined,
  // The format has no reasoning to drop.
  templateRetention: () => "all",
});
