import { type ChatTemplateKwargs, type RendererConfigInput, resolveConfig } from "../configs/index.ts";
import type { ImageProcessor } from "../images/index.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import type { WarningHandler } from "../warnings.ts";
import { bindConfig } from "./bindConfig.ts";
import type { Renderer } from "./renderer.ts";

export interface CreateRendererOptions {
  /** Template variables by the template's names (`{ enable_thinking: false }`), checked against the resolved family. */
  readonly chatTemplateKwargs?: ChatTemplateKwargs | undefined;
  /** Says how many tokens the model has for an image. Default: the family's own rule, where it is published. */
  readonly imageProcessor?: ImageProcessor | undefined;
  /** Takes warnings (`template_fallback`, `tools_not_described` …), each code once. Default: the process's own. */
  readonly onWarning?: WarningHandler | undefined;
}

/**
 * A renderer for a tokenizer: by the model's exact name, or by an explicit config. A model of another name is rendered by its
 * own chat template (`{ name: "default" }`).
 *
 * @throws TitoError `unknown_model`, `family_not_available`, `invalid_config`, `token_missing`, `template_syntax`,
 *   `template_missing`, `unknown_template`, `unknown_parser`
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
  return bindConfig(tokenizer, resolved, options);
}
