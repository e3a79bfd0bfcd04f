import type { DefaultConfig, RendererConfig } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { WarningHandler } from "../warnings.ts";
import { bindDefault } from "./default/defaultFamily.ts";
import { parsersAreBuiltIn } from "./namedParsers/index.ts";
import { familyByName } from "./registerFamily.ts";
import { families, familyIsBuilt } from "./registry.ts";
import { type BindOptions, bindRenderer, type Renderer } from "./renderer.ts";

export interface BindConfigOptions extends BindOptions {
  readonly onWarning?: WarningHandler | undefined;
}

/** A renderer for a config that has been resolved: checking it again would take its defaults for choices. */
export function bindConfig(tokenizer: Tokenizer, config: RendererConfig, options: BindConfigOptions = {}): Renderer {
  if (config.name === "default") {
    const format = bindDefault(tokenizer, config as DefaultConfig, options.onWarning);
    return bindRenderer(tokenizer, config, format, options);
  }
  const family = familyByName(config.name);
  if (family === undefined) {
    throw new TitoError(
      "family_not_available",
      `The ${config.name} renderer is not available here. Pass an explicit config: ${[...families.keys()].join(", ")}, default.`,
      { details: { family: config.name, available: [...families.keys(), "default"] } },
    );
  }
  return bindRenderer(tokenizer, config, family.bind(tokenizer, config), options);
}

/** Does every thread know what this config names? What has been registered, a family or a parser, lives in one thread. */
export function isBuiltIn(config: RendererConfig): boolean {
  return config.name === "default" ? parsersAreBuiltIn(config as DefaultConfig) : familyIsBuilt(config.name);
}
