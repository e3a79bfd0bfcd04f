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
export {
  argumentEntries,
  argumentTexts,
  type BridgeObjection,
  type BridgeRefusalReason,
  type BridgeView,
  type Chatml,
  callArguments,
  chatml,
  chatmlMarkers,
  contentPieces,
  type Family,
  type ImageFormat,
  lastQueryIndex,
  markers,
  splitThinking,
  spokenCall,
  type TurnEnd,
  type TurnFraming,
  textMarker,
  toolValue,
  type WireFormat,
  type WriteContext,
} from "./format/index.ts";
export type { Conversation, ConversationMessage, ConversationToolCall } from "./messages/index.ts";
export {
  pythonJson,
  pythonLstrip,
  pythonRepr,
  pythonRstrip,
  pythonStr,
  pythonStrip,
} from "./messages/index.ts";
export {
  type BareGrammar,
  type CallBody,
  type CallGrammar,
  type CallReading,
  type CallText,
  endsInJsonString,
  type FramedGrammar,
  jsonArguments,
  jsonCallBody,
  type KnownTool,
  knownStatus,
  type Marker,
  type ReasoningGrammar,
  type ResponseGrammar,
  readTaggedCall,
  type SpokenCall,
  type SpokenResponse,
  type TaggedGrammar,
  type TokenMarker,
} from "./parse/index.ts";
export { type ContentSpecials, type Span, SpanWriter } from "./tokens/index.ts";
