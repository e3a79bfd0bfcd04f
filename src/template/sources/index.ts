export { type ChosenTemplate, chooseTemplate, type TemplateRequest } from "./chooseTemplate.ts";
export { FALLBACK_TEMPLATE } from "./fallbackTemplate.ts";
export { type ReadTemplatesOptions, readTemplates, type TemplateFacts } from "./readTemplates.ts";
export { SPECIAL_TOKEN_NAMES } from "./specialTokens.ts";
export type { ChatTemplateOption, ChatTemplates, TemplateSource } from "./types.ts";
