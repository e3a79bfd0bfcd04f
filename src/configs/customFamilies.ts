import { TitoError } from "../errors.ts";
import type { FamilyConfig } from "./familyConfig.ts";
import { modelMap } from "./modelMap.ts";
import { families, variants } from "./rendererConfig.ts";

/** Model name → name of a family that a user has registered. */
export const customModels = new Map<string, string>();

/**
 * Makes a config known by its name, and the models that `auto` finds it by. Gives back what undoes it.
 *
 * @throws TitoError `invalid_config` if the name or a model is taken
 */
export function registerFamilyConfig(config: FamilyConfig, models: readonly string[] = []): () => void {
  if (variants.has(config.name)) throw taken(`The family "${config.name}"`);
  for (const model of models) {
    if (Object.hasOwn(modelMap, model) || customModels.has(model)) throw taken(`The model "${model}"`);
  }
  variants.set(config.name, config.schema);
  families.set(config.name, config);
  for (const model of models) customModels.set(model, config.name);
  return () => {
    variants.delete(config.name);
    families.delete(config.name);
    for (const model of models) customModels.delete(model);
  };
}

function taken(what: string): TitoError {
  return new TitoError("invalid_config", `${what} is known already. Register under another name.`);
}
