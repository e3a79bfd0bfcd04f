import { z } from "zod";
import { type AutoConfigInput, autoSchema, type DefaultConfig, defaultSchema } from "./defaultConfig.ts";
import { familyConfigs } from "./families/index.ts";
import type { FamilyConfig } from "./familyConfig.ts";
import { retentionConflict } from "./retentionConflict.ts";

type Families = typeof familyConfigs;

/** Names of the families. */
export type FamilyName = Families[number]["name"];

/** A resolved config of one of the families: defaults filled in. */
export type FamilyRendererConfig = Readonly<z.output<Families[number]["schema"]>>;

/**
 * Types of families that `registerFamily` has made known. Declare yours, and its configs check like any other:
 *
 * @example
 * declare module "tito-rl" {
 *   interface CustomFamilies { mine: { input: { name: "mine"; shout?: boolean }; output: z.output<typeof schema> } }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: for users to add to
export interface CustomFamilies {}

type Custom<Side extends "input" | "output", Types = CustomFamilies[keyof CustomFamilies]> = Types extends {
  readonly [S in Side]: infer Config;
}
  ? Config
  : never;

/** What `resolveConfig` gives: a family's config, or that of the default renderer. */
export type RendererConfig = FamilyRendererConfig | DefaultConfig | Custom<"output">;

/** A config as users write it, told apart by `name`. */
export type RendererConfigInput =
  | AutoConfigInput
  | Readonly<z.input<typeof defaultSchema>>
  | Readonly<z.input<Families[number]["schema"]>>
  | Custom<"input">;

/** Every variant by its name: `auto`, `default`, the families. They fill defaults in. */
export const variants: Map<string, z.ZodObject> = new Map<string, z.ZodObject>([
  ["auto", autoSchema],
  ["default", defaultSchema],
  ...familyConfigs.map((family): [string, z.ZodObject] => [family.name, family.schema]),
]);

export const families: Map<string, FamilyConfig> = new Map(
  familyConfigs.map((family): [string, FamilyConfig] => [family.name, family]),
);

export function familyConfig(name: string): FamilyConfig | undefined {
  return families.get(name);
}

type Members = [z.ZodObject, ...z.ZodObject[]];

/**
 * The union of all variants, told apart by `name`, to embed in another zod schema. It refuses unknown fields, wrong values
 * and contradictions. What it gives is what was written: defaults come in when a config is resolved, because they may depend
 * on the model, and because a knob that is left out contradicts nothing. Registered families are not in it: join their
 * schema with `z.union`.
 *
 * @example
 * const run = z.object({ model: z.string(), renderer: rendererConfigSchema });
 */
export const rendererConfigSchema: z.ZodType<RendererConfigInput, RendererConfigInput> = z
  .discriminatedUnion("name", [...variants.values()].map(asWritten) as Members)
  .superRefine((config, context) => {
    const family = familyConfig(String(config.name));
    const message = family && retentionConflict(family, config)?.message;
    if (message) context.addIssue({ code: "custom", path: ["thinkingRetention"], message });
  }) as unknown as z.ZodType<RendererConfigInput, RendererConfigInput>;

/**
 * The union as JSON Schema (draft 2020-12), to check configs in other languages. Defaults are there to be read and not to be
 * filled in, as with `rendererConfigSchema`; contradictions are found when a config is resolved.
 */
export function rendererConfigJsonSchema(): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(z.discriminatedUnion("name", [...variants.values()] as Members), { io: "input" });
}

/** The variant without its defaults: parsing adds nothing. */
function asWritten(variant: z.ZodObject): z.ZodObject {
  const fields = Object.entries(variant.shape).map(([name, field]) => [
    name,
    field instanceof z.ZodDefault ? z.optional(field.unwrap()) : field,
  ]);
  return z.strictObject(Object.fromEntries(fields));
}
