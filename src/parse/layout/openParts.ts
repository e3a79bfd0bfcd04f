import { openCall } from "./openCall.ts";
import type { PlacedMarker } from "./partMarkers.ts";
import { type ResponseReader, takeText } from "./responseReader.ts";
import { failTrial } from "./trial.ts";

export function openPart(reader: ResponseReader, { marker, start, end }: PlacedMarker): void {
  const { state } = reader;
  const { kind, pattern } = marker;
  if (kind === "call" || kind === "lateCall") {
    openCall(reader, { start, end, marker });
    return;
  }
  takeText(reader, end);
  state.afterGlue = false;
  if (kind === "reasoning") openReasoning(reader, pattern.trail);
  else if (kind === "content") {
    state.gap = "";
    openContent(reader, true, pattern.trail);
  } else {
    state.mode = "outside";
    state.gap = "";
    if (kind === "glue") state.afterGlue = true;
    else {
      state.trim = pattern.trail;
      if (kind === "strayClose") state.reasoned = true;
    }
    if (kind === "contentClose") state.wrapped = false;
  }
}

export function openReasoning(reader: ResponseReader, trim: string | null): void {
  const { state } = reader;
  if (failTrial(state)) return;
  state.mode = "reasoning";
  state.reasoned = true;
  state.gap = "";
  state.trim = trim;
  state.wrapped = false;
  if (!state.reasoning) state.reasoning = { text: "", complete: false };
  else state.reasoning.complete = false;
}

/** White space before it is in the gap. */
export function openContent(reader: ResponseReader, isWrapped: boolean, trim: string | null): void {
  const { state } = reader;
  if (failTrial(state)) return;
  state.mode = "content";
  state.wrapped = isWrapped;
  state.afterGlue = false;
  state.trim = trim === "" ? null : trim;
  // Behind calls white space separates, unless content belongs there.
  if (state.afterCalls && !isWrapped && !reader.layout.layout.content.afterCalls) state.gap = "";
  state.afterCalls = false;
}
