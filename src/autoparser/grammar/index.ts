export { layoutGrammar } from "./layoutGrammar.ts";
export type { GrammarTrigger, LayoutGrammarOptions, ResponseFormat, ToolChoice, ToolGrammar } from "./types.ts";
