export { capabilities } from "./capabilities.ts";
export type { TemplateCapabilities } from "./types.ts";
