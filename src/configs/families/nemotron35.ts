import type { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { dropKnob } from "../impliedRetention.ts";
import { nemotron3Fields, nemotron3TemplateFields } from "./nemotron3Fields.ts";

const schema = familySchema("nemotron-3.5", {
  ...nemotron3Fields,
});

/** Config of Nemotron 3.5 as it is used: defaults filled in. */
export type Nemotron35Config = Readonly<z.output<typeof schema>>;

/** Config of Nemotron 3.5 as it is written. */
export type Nemotron35ConfigInput = Readonly<z.input<typeof schema>>;

export const nemotron35Config = defineFamilyConfig({
  name: "nemotron-3.5",
  schema,
  templateFields: nemotron3TemplateFields,
  impliedRetention: dropKnob("truncateHistoryThinking"),
  // Without thinking there is nothing to drop.
  templateRetention: (config) => (config.truncateHistoryThinking && config.enableThinking ? "tool_cycle" : "all"),
});
