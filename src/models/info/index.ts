export { type ModelInfoOptions, modelInfo } from "./modelInfo.ts";
export { requireTools, type ToolRequirement } from "./requireTools.ts";
export type { LlamaCaps, ModelInfo, RendererInfo, TokenizerInfo } from "./types.ts";
