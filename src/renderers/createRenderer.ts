import type { ChatTemplateKwargs, RendererConfigInput } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import type { ImageProcessor } from "../images/index.ts";
import { chooseModelConfig } from "../models/info/chooseModelConfig.ts";
import { openModel } from "../models/info/openModel.ts";
import type { LoadTokenizerOptions } from "../tokenizer/loaders/files.ts";
import type { Tokenizer } from "../tokenizer/types.ts";
import { requireIdentical } from "../verify/requireIdentical.ts";
import { chooseConfig } from "../verify/resolveRenderer.ts";
import type { FamilyMatch, VerifyLevel } from "../verify/types.ts";
import { type WarningHandler, warn } from "../warnings.ts";
import { bindConfig } from "./bindConfig.ts";
import type { Renderer } from "./renderer.ts";

export interface CreateRendererOptions {
  /** Template variables by the template's names (`{ enable_thinking: false }`), checked against the resolved family. */
  readonly chatTemplateKwargs?: ChatTemplateKwargs | undefined;
  /** Says how many tokens the model has for an image. Default: the family's own rule, where it is published. */
  readonly imageProcessor?: ImageProcessor | undefined;
  /**
   * Hold the renderer against the model's own chat template, on some ten conversations (`"quick"`) or sixty (`"full"`): other ids
   * are an error. The same tokenizer and config are verified once in a process. Default `"off"`.
   */
  readonly verify?: "off" | VerifyLevel | undefined;
  /** Takes warnings (`template_fallback`, `tools_not_described` …), each code once. Default: the process's own. */
  readonly onWarning?: WarningHandler | undefined;
}

export interface CreateModelRendererOptions extends CreateRendererOptions {
  /** How the tokenizer is loaded; as for `loadTokenizer`. */
  readonly tokenizer?: LoadTokenizerOptions | undefined;
  /** Ends loading with an `aborted` error. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A renderer for a tokenizer: by the model's exact name, or by an explicit config. A model of another name is rendered by its
 * own chat template (`{ name: "default" }`); with `{ name: "auto", identify: true }` by the family that renders this template
 * identically, if there is one.
 *
 * For a model's files, a `.gguf` that needs nothing beside it, or whatever else `loadTokenizer` takes, there is a promise of a
 * renderer. Without a config it is that of the known model which the file names as itself, or as its base model if that
 * family renders the file's template; else of the family that renders the template identically
 * (`{ name: "auto", identify: false }` turns this off); else of the template.
 *
 * @throws TitoError `unknown_model`, `family_not_available`, `invalid_config`, `token_missing`, `template_syntax`,
 *   `template_missing`, `template_mismatch`, `unknown_template`, `unknown_parser`; for files also what `loadTokenizer` throws
 * @example
 * const renderer = await createRenderer("model.gguf");
 * const prompt = renderer.renderIds([{ role: "user", content: "hi" }], { addGenerationPrompt: true });
 */
export function createRenderer(
  model: string,
  config?: RendererConfigInput,
  options?: CreateModelRendererOptions,
): Promise<Renderer>;
export function createRenderer(
  tokenizer: Tokenizer,
  config?: RendererConfigInput,
  options?: CreateRendererOptions,
): Renderer;
export function createRenderer(
  source: Tokenizer | string,
  config?: RendererConfigInput,
  options: CreateModelRendererOptions = {},
): Renderer | Promise<Renderer> {
  return typeof source === "string"
    ? modelRenderer(source, config, options)
    : tokenizerRenderer(source, config, options);
}

async function modelRenderer(
  model: string,
  config: RendererConfigInput | undefined,
  { tokenizer: loading, signal, ...options }: CreateModelRendererOptions,
): Promise<Renderer> {
  checkVerify(options.verify ?? "off");
  const { tokenizer, base } = await openModel(model, { ...loading, ...(signal && { signal }) });
  const chosen = chooseModelConfig(tokenizer, base, config, options.chatTemplateKwargs);
  return tokenizerRenderer(tokenizer, chosen.config, options);
}

function tokenizerRenderer(
  tokenizer: Tokenizer,
  config: RendererConfigInput | undefined,
  options: CreateRendererOptions,
): Renderer {
  const { verify = "off" } = options;
  checkVerify(verify);
  const { config: resolved, match } = chooseConfig(tokenizer, config, options);
  if (match !== null) warnOfMatch(tokenizer, match, options.onWarning);
  const renderer = bindConfig(tokenizer, resolved, options);
  if (verify !== "off") requireIdentical(renderer, verify);
  return renderer;
}

/** A word that is not known must not pass for "off". */
function checkVerify(verify: string): void {
  if (["off", "quick", "full"].includes(verify)) return;
  throw new TitoError("invalid_config", `verify: expected "off", "quick" or "full", found ${JSON.stringify(verify)}.`, {
    details: { field: "verify", expected: ["off", "quick", "full"], actual: verify },
  });
}

function warnOfMatch({ nameOrPath }: Tokenizer, match: FamilyMatch, onWarning: WarningHandler | undefined): void {
  const model = nameOrPath === undefined ? "The tokenizer names no model" : `The model "${nameOrPath}" is not known`;
  const message =
    `${model}, and the ${match.family} family renders its chat template identically, so it is used. ` +
    `Pass ${JSON.stringify(match.config)} as config to choose it yourself.`;
  warn({ code: "family_identified", message, details: { nameOrPath, match } }, onWarning);
}
