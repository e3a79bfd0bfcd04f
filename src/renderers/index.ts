export { type CreateModelRendererOptions, type CreateRendererOptions, createRenderer } from "./createRenderer.ts";
export { type FinishReason, type OpenAIAnswer, toOpenAIMessage } from "./openai.ts";
export { registerFamily } from "./registerFamily.ts";
export { familyIsBuilt } from "./registry.ts";
export type { ParseOptions, Renderer, RenderOptions } from "./renderer.ts";
export { buildTrainingSample, type SupervisedSample, type TrainingSampleOptions } from "./trainingSample.ts";
export { buildTrajectory } from "./trajectory.ts";
