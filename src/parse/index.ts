export { endsInJsonString, jsonArguments, jsonCallBody } from "./calls/json.ts";
export { jsonMembers } from "./calls/jsonMembers.ts";
export { readTaggedCall, type TaggedArgumentsOptions } from "./calls/taggedArguments.ts";
export { type ParserFactory, parserFactory } from "./createParser.ts";
export { isBlank } from "./edges.ts";
export type { FramedState } from "./framed/framedState.ts";
export type {
  Atom,
  BareGrammar,
  CallBody,
  CallForm,
  CallGrammar,
  CallList,
  CallReading,
  CallText,
  FramedGrammar,
  FramedPart,
  LayoutGrammar,
  ListedCall,
  Marker,
  ReasoningGrammar,
  ResponseGrammar,
  SectionGrammar,
  SpokenCall,
  SpokenResponse,
  TaggedGrammar,
  TokenMarker,
} from "./grammar.ts";
export { beginningOf } from "./layout/beginningOf.ts";
export type {
  CallElement,
  CallsLayout,
  ContentLayout,
  JsonStyle,
  JsonType,
  LayoutBeginning,
  ObjectElement,
  ReasoningLayout,
  ResponseLayout,
  TaggedElement,
  TextFence,
  ValueForm,
  ValueWriting,
} from "./layout/layout.ts";
export { LayoutReader, type LayoutReaderOptions, type LayoutReading, layoutReader } from "./layout/layoutReader.ts";
export { spellResponse } from "./layout/spellResponse.ts";
export { type TextParser, type TextParserOptions, type TextParserState, textParser } from "./layout/textParser.ts";
export { promptBeginning } from "./promptBeginning.ts";
export { beginsInReasoning } from "./promptState.ts";
export { responseLayout } from "./responseLayout.ts";
export { knownStatus } from "./status.ts";
export { markerTable } from "./tagged/markerTable.ts";
export type {
  KnownTool,
  ParsedResponse,
  ParsedToolCall,
  ParserEvent,
  ParserState,
  PromptContext,
  Reasoning,
  StrayMarker,
  TokenParser,
  ToolCallStatus,
} from "./types.ts";
