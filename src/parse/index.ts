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
  CallGrammar,
  CallList,
  CallReading,
  CallText,
  FramedGrammar,
  FramedPart,
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
export { beginsInReasoning } from "./promptState.ts";
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
  TokenParser,
  ToolCallStatus,
} from "./types.ts";
