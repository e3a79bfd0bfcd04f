export { type CheckedConfig, checkConfig } from "./checkConfig.ts";
export type { AutoConfigInput, DefaultConfig } from "./defaultConfig.ts";
export { type Qwen3Config, type Qwen3ConfigInput, qwen3Config } from "./families/qwen3.ts";
export {
  defineFamilyConfig,
  type FamilyConfig,
  familySchema,
  type ImpliedRetention,
  type TemplateRetention,
} from "./familyConfig.ts";
export { familyNames } from "./familyNames.ts";
export { type ChatTemplateKwargs, mergeTemplateKwargs } from "./mergeTemplateKwargs.ts";
export { modelMap } from "./modelMap.ts";
export { type Modality, multimodalModels } from "./multimodalModels.ts";
export {
  type FamilyName,
  type FamilyRendererConfig,
  familyConfig,
  type RendererConfig,
  type RendererConfigInput,
  rendererConfigSchema,
} from "./rendererConfig.ts";
export { type ResolveConfigOptions, resolveConfig } from "./resolveConfig.ts";
export { effectiveRetention } from "./retention.ts";
export type { ThinkingRetention } from "./sharedFields.ts";
