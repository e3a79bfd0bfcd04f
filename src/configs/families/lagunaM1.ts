import type { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { lagunaFields, lagunaTemplateFields } from "./lagunaFields.ts";

const schema = familySchema("laguna-m.1", {
  ...lagunaFields,
});

/** Config of Laguna M.1 as it is used: defaults filled in. */
export type LagunaM1Config = Readonly<z.output<typeof schema>>;

/** Config of Laguna M.1 as it is written. */
export type LagunaM1ConfigInput = Readonly<z.input<typeof schema>>;

export const lagunaM1Config = defineFamilyConfig({
  name: "laguna-m.1",
  schema,
  templateFields: lagunaTemplateFields,
  impliedRetention: () => undefined,
  // No turn changes what the template writes for an earlier one.
  templateRetention: () => "all",
});
