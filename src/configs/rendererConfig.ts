import { z } from "zod";
import { type AutoConfigInput, autoSchema, type DefaultConfig, defaultSchema } from "./defaultConfig.ts";
import { familyConfigs } from "./families/index.ts";
import type { FamilyConfig } from "./familyConfig.ts";

type Families = typeof familyConfigs;
type SchemasOf<T extends readonly { readonly schema: unknown }[]> = { -readonly [K in keyof T]: T[K]["schema"] };

/** Names of the families that this version renders. */
export type FamilyName = Families[number]["name"];

/** A resolved config of one of the families: defaults filled in. */
export type FamilyRendererConfig = Readonly<z.output<Families[number]["schema"]>>;

/** What `resolveConfig` gives: a family's config, or that of the default renderer. */
export type RendererConfig = FamilyRendererConfig | DefaultConfig;

/** A config as users write it, told apart by `name`. */
export type RendererConfigInput =
  | AutoConfigInput
  | Readonly<z.input<typeof defaultSchema>>
  | Readonly<z.input<Families[number]["schema"]>>;

/** The discriminated union of all variants, to embed in another zod schema. It checks shapes; contradictions are found when a config is resolved. */
export const rendererConfigSchema = z.discriminatedUnion("name", [
  autoSchema,
  defaultSchema,
  ...(familyConfigs.map((family) => family.schema) as unknown as SchemasOf<Families>),
]);

const byName: ReadonlyMap<string, FamilyConfig> = new Map(
  familyConfigs.map((family): [string, FamilyConfig] => [family.name, family]),
);

export function familyConfig(name: string): FamilyConfig | undefined {
  return byName.get(name);
}
