import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { cacheBound, imageFields } from "./visionFields.ts";

/** What each label of `reasoningEffort` stands for. */
export const inklingEfforts = { none: 0, minimal: 0.1, low: 0.2, medium: 0.7, high: 0.9, max: 0.99 } as const;

type Effort = keyof typeof inklingEfforts;
const labels = Object.keys(inklingEfforts) as [Effort, ...Effort[]];
const effort = `${labels.map((label) => JSON.stringify(label)).join(", ")} or a number from 0 to 0.99`;

const schema = familySchema("inkling", {
  /** How deeply to think: a label of `inklingEfforts`, or a number from 0 to 0.99. */
  reasoningEffort: z.union([z.enum(labels), z.number().min(0, effort).max(0.99, effort)], effort).default(0.9),
  ...imageFields,
  /** How many processed sounds a renderer keeps; the oldest one goes first. 0 keeps none. */
  audioCacheMax: cacheBound,
});

/** Config of Inkling as it is used: defaults filled in. */
export type InklingConfig = Readonly<z.output<typeof schema>>;

/** Config of Inkling as it is written. */
export type InklingConfigInput = Readonly<z.input<typeof schema>>;

export const inklingConfig = defineFamilyConfig({
  name: "inkling",
  schema,
  templateFields: { reasoning_effort: "reasoningEffort" },
  impliedRetention: () => undefined,
  // The template writes the reasoning of every turn.
  templateRetention: () => "all",
});
