import type { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";

const schema = familySchema("prime-qwen3", {});

/** Config of PrimeIntellect's Qwen3 as it is used: defaults filled in. */
export type PrimeQwen3Config = Readonly<z.output<typeof schema>>;

/** Config of PrimeIntellect's Qwen3 as it is written. */
export type PrimeQwen3ConfigInput = Readonly<z.input<typeof schema>>;

export const primeQwen3Config = defineFamilyConfig({
  name: "prime-qwen3",
  schema,
  templateFields: {},
  impliedRetention: () => undefined,
  // The template writes the reasoning of every turn.
  templateRetention: () => "all",
});
