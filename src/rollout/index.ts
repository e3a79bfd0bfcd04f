export { historyDifference } from "./historyDifference.ts";
export { Rollout, type RolloutOptions } from "./rollout.ts";
export type { LossOptions } from "./segment.ts";
export type { Break, Completion, RolloutEnd, TrainingSample, Turn } from "./types.ts";
