export { type CheckedConfig, checkConfig } from "./checkConfig.ts";
export { registerFamilyConfig } from "./customFamilies.ts";
export type { AutoConfig, AutoConfigInput, DefaultConfig } from "./defaultConfig.ts";
export { type DeepseekR1Config, type DeepseekR1ConfigInput, deepseekR1Config } from "./families/deepseekR1.ts";
export { type DeepseekV3Config, type DeepseekV3ConfigInput, deepseekV3Config } from "./families/deepseekV3.ts";
export { type DeepseekV4Config, type DeepseekV4ConfigInput, deepseekV4Config } from "./families/deepseekV4.ts";
export { type Gemma4Config, type Gemma4ConfigInput, gemma4Config } from "./families/gemma4.ts";
export { type Glm5Config, type Glm5ConfigInput, glm5Config } from "./families/glm5.ts";
export { type Glm45Config, type Glm45ConfigInput, glm45Config } from "./families/glm45.ts";
export { type Glm51Config, type Glm51ConfigInput, glm51Config } from "./families/glm51.ts";
export { type Glm53Config, type Glm53ConfigInput, glm53Config } from "./families/glm53.ts";
export { type GptOssConfig, type GptOssConfigInput, gptOssConfig } from "./families/gptOss.ts";
export { type Hy3Config, type Hy3ConfigInput, hy3Config } from "./families/hy3.ts";
export { type InklingConfig, type InklingConfigInput, inklingConfig, inklingEfforts } from "./families/inkling.ts";
export { type KimiK2Config, type KimiK2ConfigInput, kimiK2Config } from "./families/kimiK2.ts";
export { type KimiK25Config, type KimiK25ConfigInput, kimiK25Config } from "./families/kimiK25.ts";
export { type LagunaM1Config, type LagunaM1ConfigInput, lagunaM1Config } from "./families/lagunaM1.ts";
export { type LagunaS21Config, type LagunaS21ConfigInput, lagunaS21Config } from "./families/lagunaS21.ts";
export { type LagunaXs2Config, type LagunaXs2ConfigInput, lagunaXs2Config } from "./families/lagunaXs2.ts";
export { type LagunaXs21Config, type LagunaXs21ConfigInput, lagunaXs21Config } from "./families/lagunaXs21.ts";
export { type Llama3Config, type Llama3ConfigInput, llama3Config } from "./families/llama3.ts";
export { type MinimaxM2Config, type MinimaxM2ConfigInput, minimaxM2Config } from "./families/minimaxM2.ts";
export { type Nemotron3Config, type Nemotron3ConfigInput, nemotron3Config } from "./families/nemotron3.ts";
export {
  type Nemotron3UltraConfig,
  type Nemotron3UltraConfigInput,
  nemotron3UltraConfig,
} from "./families/nemotron3Ultra.ts";
export { type Nemotron35Config, type Nemotron35ConfigInput, nemotron35Config } from "./families/nemotron35.ts";
export { type PrimeQwen3Config, type PrimeQwen3ConfigInput, primeQwen3Config } from "./families/primeQwen3.ts";
export { type Qwen3Config, type Qwen3ConfigInput, qwen3Config } from "./families/qwen3.ts";
export { type Qwen3VlConfig, type Qwen3VlConfigInput, qwen3VlConfig } from "./families/qwen3Vl.ts";
export { type Qwen35Config, type Qwen35ConfigInput, qwen35Config } from "./families/qwen35.ts";
export { type Qwen36Config, type Qwen36ConfigInput, qwen36Config } from "./families/qwen36.ts";
export { type Qwen38Config, type Qwen38ConfigInput, qwen38Config } from "./families/qwen38.ts";
export {
  defineFamilyConfig,
  type FamilyConfig,
  familySchema,
  type ImpliedRetention,
  type RetentionRequest,
  type TemplateRetention,
} from "./familyConfig.ts";
export { familyNames } from "./familyNames.ts";
export { type ChatTemplateKwargs, mergeTemplateKwargs } from "./mergeTemplateKwargs.ts";
export { modelMap } from "./modelMap.ts";
export { type Modality, multimodalModels } from "./multimodalModels.ts";
export {
  type CustomFamilies,
  type FamilyName,
  type FamilyRendererConfig,
  familyConfig,
  type RendererConfig,
  type RendererConfigInput,
  rendererConfigJsonSchema,
  rendererConfigSchema,
} from "./rendererConfig.ts";
export { familyOfModel, type ResolveConfigOptions, resolveConfig } from "./resolveConfig.ts";
export { effectiveRetention } from "./retention.ts";
export { type FamilyRetention, type RetentionRow, retentionTable } from "./retentionTable.ts";
export type { ThinkingRetention } from "./sharedFields.ts";
