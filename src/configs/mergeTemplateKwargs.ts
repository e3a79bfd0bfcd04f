import { TitoError } from "../errors.ts";
import { familyConfigs } from "./families/index.ts";
import { familyConfig, type RendererConfigInput } from "./rendererConfig.ts";

/** A template's own variables, under the template's names (`enable_thinking`). */
export type ChatTemplateKwargs = Readonly<Record<string, unknown>>;

export interface MergedConfig {
  readonly config: RendererConfigInput;
  /** Field → how the user wrote it. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Sets a config's fields from template variables; these win over the config's own. Values are checked with the config.
 *
 * @throws TitoError `invalid_config` for a variable that the family's template does not have.
 */
export function mergeTemplateKwargs(config: RendererConfigInput, kwargs: ChatTemplateKwargs = {}): MergedConfig {
  const given = Object.entries(kwargs).filter(([, value]) => value !== undefined);
  if (given.length === 0) return { config, labels: {} };
  const family = familyConfig(config.name);
  if (family === undefined) {
    // The default renderer hands every variable to its template.
    const own = "templateKwargs" in config ? config.templateKwargs : {};
    return { config: { ...config, templateKwargs: { ...own, ...kwargs } } as RendererConfigInput, labels: {} };
  }
  const allowed = Object.keys(family.templateFields).sort();
  const unsupported = given.map(([name]) => name).filter((name) => !allowed.includes(name));
  if (unsupported.length > 0) {
    throw new TitoError(
      "invalid_config",
      `Unsupported chatTemplateKwargs for "${family.name}": ${unsupported.join(", ")}. ` +
        `Allowed: ${allowed.join(", ") || "none"}.${elsewhere(unsupported)} Pass the renderer's own options through config.`,
      { details: { variant: family.name, field: `chatTemplateKwargs.${unsupported[0]}`, unsupported, allowed } },
    );
  }
  const fields = given.map(([name, value]) => ({ name, field: family.templateFields[name]!, value }));
  return {
    config: {
      ...config,
      ...Object.fromEntries(fields.map(({ field, value }) => [field, value])),
    } as RendererConfigInput,
    labels: Object.fromEntries(fields.map(({ name, field }) => [field, `chatTemplateKwargs.${name}`])),
  };
}

function elsewhere(variables: readonly string[]): string {
  const hints = variables.map((name) => {
    const families = familyConfigs.filter(({ templateFields }) => Object.hasOwn(templateFields, name));
    return families.length > 0 ? ` ${name} exists for: ${families.map((family) => family.name).join(", ")}.` : "";
  });
  return hints.join("");
}
