import type { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { visionFields } from "./visionFields.ts";

const schema = familySchema("qwen3-vl", {
  ...visionFields,
});

/** Config of Qwen3-VL as it is used: defaults filled in. */
export type Qwen3VlConfig = Readonly<z.output<typeof schema>>;

/** Config of Qwen3-VL as it is written. */
export type Qwen3VlConfigInput = Readonly<z.input<typeof schema>>;

export const qwen3VlConfig = defineFamilyConfig({
  name: "qwen3-vl",
  schema,
  templateFields: { add_vision_id: "addVisionId" },
  impliedRetention: () => undefined,
  // The format has no reasoning to drop.
  templateRetention: () => "all",
});
