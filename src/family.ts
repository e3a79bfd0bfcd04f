/**
 * What a model family of your own is written with: its config, its wire format, its response grammar. See
 * `docs/new-family.md`.
 * @module
 */
export {
  defineFamilyConfig,
  type FamilyConfig,
  familySchema,
  type ImpliedRetention,
  type RetentionRequest,
  type TemplateRetention,
} from "./configs/index.ts";
export * from "./format/index.ts";
export type { Conversation, ConversationMessage, ConversationToolCall } from "./messages/index.ts";
export {
  pythonJson,
  pythonLstrip,
  pythonRepr,
  pythonRstrip,
  pythonStr,
  pythonStrip,
} from "./messages/index.ts";
export * from "./parse/index.ts";
export { type ContentSpecials, type Span, SpanWriter } from "./tokens/index.ts";
