/**
 * Token-in, token-out for reinforcement learning: messages to exact ids, sampled ids to messages, and from turn to turn
 * by appending only what is new.
 * @module
 */
export type { BridgeRefusalReason, BridgeRequest, BridgeResult } from "./bridge/index.ts";
export {
  type ChatTemplateKwargs,
  familyNames,
  modelMap,
  type Qwen3Config,
  type Qwen3ConfigInput,
  type RendererConfig,
  type RendererConfigInput,
  rendererConfigSchema,
  resolveConfig,
  type TemplateRetention,
  type ThinkingRetention,
} from "./configs/index.ts";
export { type ErrorCode, TitoError } from "./errors.ts";
export {
  type Content,
  type ContentPart,
  checkMessages,
  checkTools,
  equalJson,
  type JsonInput,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  type Message,
  messagesFromJson,
  messageToolNames,
  parseJson,
  pythonJson,
  type Role,
  type ToolCall,
  type ToolSpec,
  toolsFromJson,
  toPlain,
} from "./messages/index.ts";
export type {
  ParsedResponse,
  ParsedToolCall,
  ParserEvent,
  ParserState,
  PromptContext,
  Reasoning,
  TokenParser,
  ToolCallStatus,
} from "./parse/index.ts";
export {
  buildTrainingSample,
  buildTrajectory,
  type CreateRendererOptions,
  createRenderer,
  type FinishReason,
  type OpenAIAnswer,
  type ParseOptions,
  type Renderer,
  type RenderOptions,
  type SupervisedSample,
  type TrainingSampleOptions,
  toOpenAIMessage,
} from "./renderers/index.ts";
export {
  type Break,
  type Completion,
  Rollout,
  type RolloutEnd,
  type RolloutOptions,
  type TrainingSample,
  type Turn,
} from "./rollout/index.ts";
export * from "./tokenizer/index.ts";
export {
  attributeTextSegments,
  messageTokenSpans,
  type RenderedTokens,
  roleTokenSpans,
  type TextSegment,
  TokenSequence,
  tokensByRole,
  tokensPerMessage,
  Utf8Stream,
} from "./tokens/index.ts";
