export { type AnalyzeOptions, analyze, type TemplateAnalysis } from "./analyze.ts";
export type { CheckProbe } from "./checkProbes.ts";
export type { Hypothesis, Proposal } from "./hypotheses.ts";
export type { Limit, LimitCode } from "./limits.ts";
export type { LayoutOverrides } from "./overrides.ts";
export {
  type ReaderKind,
  type ResponseTextOptions,
  type ResponseTextParser,
  responseGrammar,
  responseTextParser,
} from "./readers.ts";
export type { CheckedProbe, SelfCheck } from "./selfCheck.ts";
export type { TemplateView } from "./view.ts";
