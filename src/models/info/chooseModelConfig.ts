import {
  type AutoConfigInput,
  type ChatTemplateKwargs,
  familyOfModel,
  type RendererConfigInput,
} from "../../configs/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import { identifyFamilies } from "../../verify/identifyFamilies.ts";
import type { RendererInfo } from "./types.ts";

export interface ChosenModelConfig {
  /** For `createRenderer`. */
  readonly config: RendererConfigInput | undefined;
  /** `"config"`: it was given. */
  readonly by: "config" | NonNullable<RendererInfo["by"]>;
}

/**
 * Which renderer a model's file gets: an explicit config's; that of a known name; that of its base model, if this family renders
 * the file's template, or there is none; the family that renders the template identically; else the template itself.
 */
export function chooseModelConfig(
  tokenizer: Tokenizer,
  base: string | undefined,
  config?: RendererConfigInput,
  chatTemplateKwargs?: ChatTemplateKwargs,
): ChosenModelConfig {
  if (config !== undefined && config.name !== "auto") return { config, by: "config" };
  if (familyOfModel(tokenizer.nameOrPath) !== undefined) return { config, by: "name" };
  const { identify = true, ...shared } = (config ?? { name: "auto" }) as AutoConfigInput;
  const asFamily = (match: RendererConfigInput) => ({ ...shared, ...match }) as RendererConfigInput;
  const candidates = identify || base !== undefined ? identifyFamilies(tokenizer) : [];

  const family = familyOfModel(base);
  if (family !== undefined) {
    const match = candidates.find((candidate) => candidate.family === family);
    if (match !== undefined) return { config: asFamily(match.config), by: "name" };
    if (tokenizer.chatTemplates.size === 0)
      return { config: asFamily({ name: family } as RendererConfigInput), by: "name" };
  }
  const [best] = candidates;
  if (identify && best !== undefined && best.otherVariables.length === 0) {
    // Identified again by createRenderer, which remembers it and says so.
    return { config: { ...shared, name: "auto", identify: true }, by: "template" };
  }
  // Where nothing is asked for that needs a family, a model with images by its name is one of text here.
  const isPlain = config === undefined && Object.keys(chatTemplateKwargs ?? {}).length === 0;
  return { config: isPlain ? { name: "default" } : { ...shared, name: "auto" }, by: "default" };
}
