import type { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { qwen35Fields, qwen35TemplateFields } from "./qwen35Fields.ts";

const schema = familySchema("qwen3.5", {
  ...qwen35Fields,
});

/** Config of Qwen3.5 as it is used: defaults filled in. */
export type Qwen35Config = Readonly<z.output<typeof schema>>;

/** Config of Qwen3.5 as it is written. */
export type Qwen35ConfigInput = Readonly<z.input<typeof schema>>;

export const qwen35Config = defineFamilyConfig({
  name: "qwen3.5",
  schema,
  templateFields: qwen35TemplateFields,
  // The templates of the two small sizes are the others', with thinking off unless asked for.
  modelDefaults: {
    "Qwen/Qwen3.5-0.8B": { enableThinking: false },
    "Qwen/Qwen3.5-2B": { enableThinking: false },
  },
  impliedRetention: () => undefined,
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.enableThinking ? "tool_cycle" : "all"),
});
