import { type ChatTemplateKwargs, type RendererConfigInput, resolveConfig } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import type { ImageProcessor } from "../images/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { familyByName } from "./registerFamily.ts";
import { families } from "./registry.ts";
import { bindRenderer, type Renderer } from "./renderer.ts";

export interface CreateRendererOptions {
  /** Template variables by the template's names (`{ enable_thinking: false }`), checked against the resolved family. */
  readonly chatTemplateKwargs?: ChatTemplateKwargs | undefined;
  /** Says how many tokens the model has for an image. Default: the family's own rule, where it is published. */
  readonly imageProcessor?: ImageProcessor | undefined;
}

/**
 * A renderer for a tokenizer: by the model's exact name, or by an explicit config.
 *
 * @throws TitoError `unknown_model`, `family_not_available`, `invalid_config`, `token_missing`
 * @example
 * const renderer = createRenderer(await loadTokenizer("model.gguf"), { name: "qwen3" });
 * const prompt = renderer.renderIds([{ role: "user", content: "hi" }], { addGenerationPrompt: true });
 */
export function createRenderer(
  tokenizer: Tokenizer,
  config?: RendererConfigInput,
  options: CreateRendererOptions = {},
): Renderer {
  const resolved = resolveConfig({ nameOrPath: tokenizer.nameOrPath, config, ...options });
  const family = familyByName(resolved.name);
  if (family === undefined) {
    throw new TitoError(
      "family_not_available",
      `The ${resolved.name} renderer is not available yet. Pass an explicit config: ${[...families.keys()].join(", ")}.`,
      { details: { family: resolved.name, available: [...families.keys()] } },
    );
  }
  return bindRenderer(tokenizer, resolved, family.bind(tokenizer, resolved), options);
}
