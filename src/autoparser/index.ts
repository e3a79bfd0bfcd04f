/**
 * What a chat template's renders tell: how responses are written and read, and the grammar that holds them.
 * @module
 */

export type {
  CallElement,
  CallsLayout,
  ContentLayout,
  LayoutBeginning,
  ReasoningLayout,
  ResponseLayout,
} from "../parse/index.ts";
export { spellResponse, textParser } from "../parse/index.ts";
export { type AnalyzeOptions, analyze, type TemplateAnalysis } from "./analyze.ts";
export type { CheckProbe } from "./check/checkProbes.ts";
export type { Limit, LimitCode } from "./check/limits.ts";
export type { CheckedProbe, SelfCheck } from "./check/selfCheck.ts";
export type { Hypothesis, Proposal } from "./findings/hypothesis.ts";
export type { LayoutOverrides } from "./findings/overrides.ts";
export { registerHypothesis } from "./findings/registry.ts";
export { type GrammarTrigger, type LayoutGrammarOptions, layoutGrammar, type ToolGrammar } from "./grammar/index.ts";
export type { TemplateView } from "./probe/view.ts";
export {
  type ReaderKind,
  type ResponseTextOptions,
  type ResponseTextParser,
  type ResponseTextState,
  readerFor,
  responseGrammar,
  responseTextParser,
} from "./readers.ts";
export {
  type Evidence,
  type EvidencePiece,
  type ProbeRenders,
  type ProbeVariant,
  probeRenders,
} from "./report/evidence.ts";
export { type LlamaFields, llamaFields } from "./report/llamaFields.ts";
export { type AnalysisSummary, compareFields, type FieldComparison, summary } from "./report/report.ts";
