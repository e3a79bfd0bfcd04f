export { jsonCallBody } from "./calls/json.ts";
export { isBlank } from "./edges.ts";
export type { CallBody, CallGrammar, CallReading, Marker, ReasoningGrammar, ResponseGrammar } from "./grammar.ts";
export { type MarkerTable, markerTable } from "./grammar.ts";
export { type ParserOptions, TokenParser } from "./parser.ts";
export type { ParserMode, ParserState } from "./parserState.ts";
export { beginsInReasoning } from "./promptState.ts";
export type {
  KnownTool,
  ParsedResponse,
  ParsedToolCall,
  ParserEvent,
  PromptContext,
  Reasoning,
  ToolCallStatus,
} from "./types.ts";
