/**
 * Token-in, token-out sampling with llama.cpp, in this process. Needs the optional package node-llama-cpp.
 * @module
 */
export type { GrammarOptions, SamplerTrigger } from "./grammarOptions.ts";
export { groupSeed } from "./host/groupSeed.ts";
export type { SamplerHost } from "./host/samplerHost.ts";
export type {
  GroupCompletion,
  HostOptions,
  HostRequest,
  HostSession,
  HostStats,
  OpenSessionOptions,
  PrefillOptions,
  Prefix,
  PromptRequest,
  SessionRequest,
} from "./host/types.ts";
export { type LoadSamplerOptions, loadSampler } from "./load.ts";
export type { DryOptions, SampleOptions, SamplingOptions, XtcOptions } from "./options.ts";
export { checkSegmentPolicy } from "./policy/checkSegmentPolicy.ts";
export { type PayloadTracker, payloadTracker } from "./policy/payloadTracker.ts";
export { type SegmentPolicyOptions, segmentPolicy } from "./policy/segmentPolicy.ts";
export type {
  GreedyScope,
  JsonPayload,
  PayloadSyntax,
  ReasoningMarkers,
  SegmentPolicy,
  TagPayload,
  TagValue,
  ToolCallMarkers,
} from "./policy/types.ts";
export type { Sampler } from "./sampler.ts";
export type { SampleEvent, SegmentDelta } from "./segments/events.ts";
export type { ScoreOptions, Session } from "./session.ts";
export type {
  Completion,
  FinishReason,
  Gpu,
  GrammarOutcome,
  LogprobsMode,
  SampleEnd,
  SamplerModelInfo,
  SampleStep,
  Score,
  TokenLogprob,
} from "./types.ts";
