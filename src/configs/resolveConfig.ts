import { TitoError } from "../errors.ts";
import { checkConfig } from "./checkConfig.ts";
import { customModels } from "./customFamilies.ts";
import type { AutoConfigInput } from "./defaultConfig.ts";
import { familyNames } from "./familyNames.ts";
import { type ChatTemplateKwargs, mergeTemplateKwargs } from "./mergeTemplateKwargs.ts";
import { modelMap } from "./modelMap.ts";
import { multimodalModels } from "./multimodalModels.ts";
import { familyConfig, type RendererConfig, type RendererConfigInput } from "./rendererConfig.ts";

export interface ResolveConfigOptions {
  /** The model's name, matched exactly: `auto` finds the family by it, and a family the defaults in which its models differ. */
  readonly nameOrPath: string | undefined;
  /** Default `{ name: "auto" }`. */
  readonly config?: RendererConfigInput | undefined;
  /** Template variables, under the template's names, checked against the resolved family. They win over `config`. */
  readonly chatTemplateKwargs?: ChatTemplateKwargs | undefined;
}

/**
 * The config a renderer is built with: an explicit one as it is, `auto` by the model's exact name; with defaults filled in,
 * those of the exact model before those of its family.
 *
 * @throws TitoError `unknown_model`, `invalid_config`
 * @example
 * resolveConfig({ nameOrPath: "Qwen/Qwen3-8B", chatTemplateKwargs: { enable_thinking: false } });
 * // { name: "qwen3", enableThinking: false, contentSpecials: "text", validate: "strict", patched: false }
 */
export function resolveConfig(options: ResolveConfigOptions): RendererConfig {
  const written = options.config ?? { name: "auto" };
  // Also when merging replaces a field: a mistake in the config is a mistake still.
  checkConfig(written);
  const chosen = written.name === "auto" ? chosenByName(written, options) : written;
  const { config, labels } = mergeTemplateKwargs(chosen as RendererConfigInput, options.chatTemplateKwargs);
  const defaults = own(familyConfig(config.name)?.modelDefaults, options.nameOrPath);
  return checkConfig(config, { labels, ...(defaults && { defaults }) }) as RendererConfig;
}

/** A known model's family; else the default renderer, if nothing was asked for that it cannot do. */
function chosenByName(written: AutoConfigInput, options: ResolveConfigOptions): object {
  const { identify: _, ...shared } = written;
  const name = familyOfModel(options.nameOrPath);
  if (name !== undefined) return { ...shared, name };
  const blocked = blockedByDefault(options);
  if (blocked.length > 0) throw unknownModel(options, blocked);
  return { ...shared, name: "default" };
}

/** Name of the family that a model's exact name stands for. */
export function familyOfModel(nameOrPath: string | undefined): string | undefined {
  return own(modelMap, nameOrPath) ?? customModels.get(nameOrPath ?? "");
}

function blockedByDefault({ nameOrPath, config, chatTemplateKwargs = {} }: ResolveConfigOptions): string[] {
  return [
    ...(Object.keys(chatTemplateKwargs).length > 0 ? ["chatTemplateKwargs cannot be checked"] : []),
    ...(config?.thinkingRetention === undefined ? [] : ["thinkingRetention cannot be kept"]),
    ...([nameOrPath, ...similarModels(nameOrPath)].some((name) => own(multimodalModels, name))
      ? ["images cannot be placed"]
      : []),
  ];
}

function unknownModel({ nameOrPath }: ResolveConfigOptions, blocked: readonly string[]): TitoError {
  const similar = similarModels(nameOrPath);
  const subject =
    nameOrPath === undefined ? "The tokenizer names no model." : `No family is known for the model "${nameOrPath}".`;
  const hint = similar.length > 0 ? ` Names are matched exactly; known is ${similar.join(", ")}.` : "";
  const example = own(modelMap, similar[0]) ?? familyNames[0];
  return new TitoError(
    "unknown_model",
    `${subject}${hint} Without a family, ${blocked.join(", and ")}. Pass an explicit config, such as ` +
      `{ name: "${example}" } or { name: "default" } (available: ${familyNames.join(", ")}).`,
    { details: { nameOrPath, similar, blocked, available: familyNames } },
  );
}

/** The same name in another case, or from another owner or folder. */
function similarModels(model: string | undefined): string[] {
  if (model === undefined) return [];
  const last = (name: string) =>
    name
      .toLowerCase()
      .replace(/[\\/]+$/, "")
      .split(/[\\/]/)
      .at(-1);
  return Object.keys(modelMap).filter((name) => last(name) === last(model));
}

/** Only a table's own entry: names come from outside. */
function own<Value>(table: Readonly<Record<string, Value>> | undefined, name: string | undefined): Value | undefined {
  return table !== undefined && name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
