/**
 * Token-in, token-out sampling with llama.cpp, in this process. Needs the optional package node-llama-cpp.
 * @module
 */
export type { GrammarOptions } from "./grammarOptions.ts";
export { type LoadSamplerOptions, loadSampler } from "./load.ts";
export type { DryOptions, SampleOptions, SamplingOptions, XtcOptions } from "./options.ts";
export type { Sampler } from "./sampler.ts";
export type { ScoreOptions, Session } from "./session.ts";
export type {
  Completion,
  FinishReason,
  Gpu,
  SampleEnd,
  SamplerModelInfo,
  SampleStep,
  Score,
  TokenLogprob,
} from "./types.ts";
