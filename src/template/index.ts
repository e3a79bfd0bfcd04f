export {
  type Adaptation,
  type AdaptedMessages,
  adaptations,
  adaptMessages,
  type MessageChange,
} from "./adapt/index.ts";
export { capabilities, type TemplateCapabilities } from "./capabilities/index.ts";
export type { TracePiece } from "./compile/output.ts";
export type { TemplateContext } from "./compile/run.ts";
export { defaultLimits, type TemplateLimits } from "./limits.ts";
export * from "./sources/index.ts";
export {
  type ChatTemplate,
  type CompileOptions,
  compileTemplate,
  type TemplateRenderOptions,
  type TemplateTrace,
} from "./template.ts";
export type { Source } from "./values/source.ts";
