export { type NamedGrammarOptions, namedGrammar } from "./namedGrammar.ts";
export {
  parsersAreBuiltIn,
  reasoningParserNames,
  registerReasoningParser,
  registerToolParser,
  toolParserNames,
} from "./registry.ts";
export type {
  CallsFormat,
  ParserContext,
  ReasoningParserFactory,
  ResponseFormat,
  ToolFormat,
  ToolParserFactory,
} from "./types.ts";
