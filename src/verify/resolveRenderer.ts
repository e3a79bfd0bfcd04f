import {
  type AutoConfigInput,
  type ChatTemplateKwargs,
  familyOfModel,
  type RendererConfig,
  type RendererConfigInput,
  resolveConfig,
} from "../configs/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { identifyFamilies } from "./identifyFamilies.ts";
import type { FamilyMatch, RendererResolution } from "./types.ts";

export interface ResolveRendererOptions {
  /** Template variables, checked against the family that is found; as for `createRenderer`. */
  readonly chatTemplateKwargs?: ChatTemplateKwargs | undefined;
}

/**
 * Which renderer a tokenizer gets with a config, and which families render its chat template identically, whatever the name
 * of the model is: a fine-tune with its base model's template has that model's family.
 *
 * @throws TitoError `unknown_model`, `invalid_config`
 * @example
 * const { identical } = resolveRenderer(tokenizer);
 * const renderer = createRenderer(tokenizer, identical?.config);
 */
export function resolveRenderer(
  tokenizer: Tokenizer,
  config?: RendererConfigInput,
  options: ResolveRendererOptions = {},
): RendererResolution {
  const candidates = identifyFamilies(tokenizer);
  const { match: _, ...chosen } = chooseConfig(tokenizer, config, options);
  return { ...chosen, identical: identicalFamily(candidates), candidates };
}

/** The best match, unless one of its variables does something else in the template. */
function identicalFamily([best]: readonly FamilyMatch[]): FamilyMatch | null {
  return best !== undefined && best.otherVariables.length === 0 ? best : null;
}

export interface ChosenConfig extends Pick<RendererResolution, "config" | "by"> {
  /** Set where the family was identified. */
  readonly match: FamilyMatch | null;
}

/** The config as `createRenderer` takes it: families are tried only where that is asked for and the name is unknown. */
export function chooseConfig(
  tokenizer: Tokenizer,
  config: RendererConfigInput | undefined,
  { chatTemplateKwargs }: ResolveRendererOptions,
): ChosenConfig {
  const { nameOrPath } = tokenizer;
  const resolve = (chosen: RendererConfigInput | undefined): RendererConfig =>
    resolveConfig({ nameOrPath, config: chosen, chatTemplateKwargs });
  if (config !== undefined && config.name !== "auto") return { config: resolve(config), by: "config", match: null };
  if (familyOfModel(nameOrPath) !== undefined) return { config: resolve(config), by: "model", match: null };
  const { identify = false, ...shared } = (config ?? { name: "auto" }) as AutoConfigInput;
  const match = identify ? identicalFamily(identifyFamilies(tokenizer)) : null;
  if (match === null) return { config: resolve(config), by: "default", match };
  return { config: resolve({ ...shared, ...match.config } as RendererConfigInput), by: "identified", match };
}
