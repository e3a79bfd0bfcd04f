import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";

const schema = familySchema("llama-3", {
  /** The date of the system block. The default is what the template falls back to. */
  dateString: z.string().default("26 Jul 2024"),
  /** Tools stand in the first user message; false: in the system block. */
  toolsInUserMessage: z.boolean().default(true),
});

/** Config of Llama 3 as it is used: defaults filled in. */
export type Llama3Config = Readonly<z.output<typeof schema>>;

/** Config of Llama 3 as it is written. */
export type Llama3ConfigInput = Readonly<z.input<typeof schema>>;

export const llama3Config = defineFamilyConfig({
  name: "llama-3",
  schema,
  templateFields: { date_string: "dateString", tools_in_user_message: "toolsInUserMessage" },
  impliedRetention: () => undefined,
  // The format has no reasoning to drop.
  templateRetention: () => "all",
});
