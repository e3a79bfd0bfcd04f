import { registerFamilyConfig } from "../configs/index.ts";
import type { Family } from "../format/index.ts";
import { type AnyFamily, families } from "./registry.ts";

const registered = new Map<string, AnyFamily>();

/**
 * Makes a family of your own known: `createRenderer(tokenizer, { name: "mine" })` binds it, its config is checked by its
 * schema, and with `models` `auto` finds it by a model's exact name. Gives back a function that undoes it.
 *
 * Known in this thread only: a pool's workers know a family that they have not registered themselves as little as another
 * process does.
 *
 * @throws TitoError `invalid_config` if the name or a model is taken
 */
export function registerFamily<Config>(
  family: Family<Config>,
  options: { readonly models?: readonly string[] | undefined } = {},
): () => void {
  const forget = registerFamilyConfig(family.config, options.models);
  registered.set(family.config.name, family);
  return () => {
    forget();
    registered.delete(family.config.name);
  };
}

export function familyByName(name: string): AnyFamily | undefined {
  return registered.get(name) ?? families.get(name);
}
