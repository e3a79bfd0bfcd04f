export { type AnalyzeOptions, analyze, type TemplateAnalysis } from "./analyze.ts";
export type { CheckProbe } from "./check/checkProbes.ts";
export type { Limit, LimitCode } from "./check/limits.ts";
export type { CheckedProbe, SelfCheck } from "./check/selfCheck.ts";
export type { Hypothesis, Proposal } from "./findings/hypotheses.ts";
export type { LayoutOverrides } from "./findings/overrides.ts";
export type { TemplateView } from "./probe/view.ts";
export {
  type ReaderKind,
  type ResponseTextOptions,
  type ResponseTextParser,
  responseGrammar,
  responseTextParser,
} from "./readers.ts";
