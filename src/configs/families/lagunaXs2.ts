import type { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";
import { lagunaFields, lagunaTemplateFields } from "./lagunaFields.ts";

const schema = familySchema("laguna-xs.2", {
  ...lagunaFields,
});

/** Config of Laguna XS.2 as it is used: defaults filled in. */
export type LagunaXs2Config = Readonly<z.output<typeof schema>>;

/** Config of Laguna XS.2 as it is written. */
export type LagunaXs2ConfigInput = Readonly<z.input<typeof schema>>;

export const lagunaXs2Config = defineFamilyConfig({
  name: "laguna-xs.2",
  schema,
  templateFields: lagunaTemplateFields,
  impliedRetention: () => undefined,
  // No turn changes what the template writes for an earlier one.
  templateRetention: () => "all",
});
