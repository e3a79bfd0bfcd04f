import { TitoError } from "../errors.ts";
import type { FamilyConfig, TemplateRetention } from "./familyConfig.ts";
import { familyConfig, type RendererConfig } from "./rendererConfig.ts";
import type { ThinkingRetention } from "./sharedFields.ts";

/** @throws TitoError `invalid_config` when a template knob and an explicit `thinkingRetention` say different things. */
export function checkRetention(
  family: FamilyConfig,
  given: { readonly name: string; readonly thinkingRetention?: ThinkingRetention | undefined },
): void {
  const explicit = given.thinkingRetention;
  const implied = family.impliedRetention(given as Parameters<FamilyConfig["impliedRetention"]>[0]);
  if (explicit === undefined || implied === undefined || implied.retention === explicit) return;
  const value = JSON.stringify((given as Record<string, unknown>)[implied.knob]);
  throw new TitoError(
    "invalid_config",
    `Config "${family.name}": ${implied.knob}: ${value} means thinkingRetention "${implied.retention}", which contradicts ` +
      `the explicit "${explicit}". Leave one of the two out.`,
    { details: { variant: family.name, field: "thinkingRetention", expected: implied.retention, actual: explicit } },
  );
}

/**
 * What a bridge does with earlier turns' thinking: the explicit `thinkingRetention`, or else what the family's template
 * does under this config. `"template"`: the template rewrites earlier turns, so no bridge is possible.
 */
export function effectiveRetention(config: RendererConfig): TemplateRetention {
  return config.thinkingRetention ?? familyConfig(config.name)?.templateRetention(config) ?? "template";
}
