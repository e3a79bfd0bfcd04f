import type { ToolCallStatus } from "../types.ts";
import type { ReadingState } from "./layoutState.ts";

/** In a trial: what was read is no call. */
export function failTrial(state: ReadingState): boolean {
  if (!state.trial) return false;
  state.mode = "over";
  return true;
}

/** In a trial: a call is over. */
export function endTrialCall(state: ReadingState, status: ToolCallStatus): void {
  if (!state.trial) return;
  if (status === "ok" || status === "ambiguous_arguments") state.trial.end = state.pos;
  else state.mode = "over";
}
