import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";

const schema = familySchema("laguna-xs-2.1", {
  /** True: every turn has its thinking block; false: turns open behind a closed one, and reasoning is not written. */
  enableThinking: z.boolean().default(false),
});

/** Config of Laguna XS-2.1 as it is used: defaults filled in. */
export type LagunaXs21Config = Readonly<z.output<typeof schema>>;

/** Config of Laguna XS-2.1 as it is written. */
export type LagunaXs21ConfigInput = Readonly<z.input<typeof schema>>;

export const lagunaXs21Config = defineFamilyConfig({
  name: "laguna-xs-2.1",
  schema,
  templateFields: { enable_thinking: "enableThinking" },
  impliedRetention: () => undefined,
  // No turn changes what the template writes for an earlier one.
  templateRetention: () => "all",
});
