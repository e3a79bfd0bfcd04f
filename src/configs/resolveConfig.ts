import { TitoError } from "../errors.ts";
import { checkConfig, familyNotAvailable } from "./checkConfig.ts";
import { familyNames } from "./familyNames.ts";
import { type ChatTemplateKwargs, mergeTemplateKwargs } from "./mergeTemplateKwargs.ts";
import { modelMap } from "./modelMap.ts";
import { familyConfig, type RendererConfig, type RendererConfigInput } from "./rendererConfig.ts";

export interface ResolveConfigOptions {
  /** The model's name, the key of `modelMap`; matched exactly. Only `auto` reads it. */
  readonly nameOrPath: string | undefined;
  /** Default `{ name: "auto" }`. */
  readonly config?: RendererConfigInput | undefined;
  /** Template variables, under the template's names, checked against the resolved family. They win over `config`. */
  readonly chatTemplateKwargs?: ChatTemplateKwargs | undefined;
}

/**
 * The config a renderer is built with: an explicit one as it is, `auto` by the model's exact name; with defaults filled in.
 *
 * @throws TitoError `unknown_model`, `family_not_available`, `invalid_config`
 * @example
 * resolveConfig({ nameOrPath: "Qwen/Qwen3-8B", chatTemplateKwargs: { enable_thinking: false } });
 * // { name: "qwen3", enableThinking: false, contentSpecials: "text", validate: "strict" }
 */
export function resolveConfig(options: ResolveConfigOptions): RendererConfig {
  const written = options.config ?? { name: "auto" };
  // Also when merging replaces a field: a mistake in the config is a mistake still.
  checkConfig(written);
  const chosen = written.name === "auto" ? { ...written, name: familyOf(options.nameOrPath) } : written;
  const { config, labels } = mergeTemplateKwargs(chosen as RendererConfigInput, options.chatTemplateKwargs);
  return checkConfig(config, { labels }) as RendererConfig;
}

function familyOf(model: string | undefined): string {
  const name = model === undefined || !Object.hasOwn(modelMap, model) ? undefined : modelMap[model];
  if (name === undefined) throw unknownModel(model);
  if (familyConfig(name) === undefined) throw familyNotAvailable(name, model);
  return name;
}

function unknownModel(model: string | undefined): TitoError {
  const available = familyNames.filter((name) => familyConfig(name) !== undefined);
  const known = model === undefined ? [] : similarModels(model);
  const subject =
    model === undefined ? "The tokenizer names no model." : `No family is known for the model "${model}".`;
  const hint = known.length > 0 ? ` Names are matched exactly; known is ${known.join(", ")}.` : "";
  return new TitoError(
    "unknown_model",
    `${subject}${hint} Pass an explicit config, such as { name: "${available[0]}" } (available: ${available.join(", ")}).`,
    { details: { nameOrPath: model, similar: known, available } },
  );
}

/** The same name in another case, or from another owner or folder. */
function similarModels(model: string): string[] {
  const last = (name: string) =>
    name
      .toLowerCase()
      .replace(/[\\/]+$/, "")
      .split(/[\\/]/)
      .at(-1);
  return Object.keys(modelMap).filter((name) => last(name) === last(model));
}
