import { pythonStrip } from "../../messages/index.ts";
import { parsePlainJson } from "../calls/json.ts";
import { knownStatus } from "../status.ts";
import type { ParsedToolCall, ToolCallStatus } from "../types.ts";
import { closedJson } from "./closedJson.ts";
import type { CallState } from "./layoutState.ts";
import { readCall } from "./readCall.ts";
import { type ResponseReader, spacesAhead, takeText, tokenAt } from "./responseReader.ts";
import { noCall } from "./settleCall.ts";
import { endTrialCall } from "./trial.ts";

/** False: more text must come. */
export function readOpenCall(reader: ResponseReader): boolean {
  const { state, calls } = reader;
  if (!calls || !state.call) return false;
  const { call } = state;
  if (call.firstId === -1 && state.buf !== "") {
    const space = spacesAhead(reader);
    if (space < state.buf.length) call.firstId = state.pos + space;
  }
  const outcome = readCall(calls);
  if (outcome === "more") return false;
  if (outcome === "fail") noCall(reader);
  else endCall(reader, true);
  return true;
}

/** The response is over inside a call. */
export function breakOff(reader: ResponseReader): void {
  const { call } = reader.state;
  if (call?.committed) {
    const { buf } = reader.state;
    if (buf !== "") {
      // What could not be read any more is raw text.
      call.raw += buf;
      reader.events.push({ kind: "toolCallDelta", index: reader.state.calls.length, text: buf });
      takeText(reader, buf.length);
    }
    endCall(reader, isComplete(reader, call));
    reader.state.mode = "over";
    return;
  }
  noCall(reader);
}

/** A damaged call of a format without closing marker is over with the response. */
function isComplete(reader: ResponseReader, call: CallState): boolean {
  const last = reader.layout.calls?.elements.at(-1);
  return call.lost && last?.kind !== "text";
}

function endCall(reader: ResponseReader, isClosed: boolean): void {
  const { state } = reader;
  const { call } = state;
  if (!call) return;
  const value = isClosed ? parsePlainJson(call.args) : undefined;
  const name = call.name ?? "";
  const status = isClosed ? closedStatus(reader, call, value) : "unclosed_block";
  const parsed: ParsedToolCall = {
    name,
    arguments: value === undefined ? null : value,
    argumentsText: value === undefined ? null : call.args,
    id: call.id,
    status,
    ...(isClosed || call.args === "" ? {} : { partialArguments: closedJson(call.args) }),
    raw: pythonStrip(call.raw),
    tokenSpan: [call.firstId, tokenAt(reader, Math.max(0, state.pos - 1)) + 1],
  };
  reader.events.push({ kind: "toolCallEnd", index: state.calls.length, call: parsed });
  state.calls.push(parsed);
  state.call = null;
  state.gap = "";
  state.trim = null;
  state.mode = state.inSection ? "between" : "outside";
  state.afterCalls = true;
  state.afterGlue = false;
  state.wrapped = false;
  endTrialCall(state, status);
}

function closedStatus({ options }: ResponseReader, call: CallState, value: unknown): ToolCallStatus {
  if (value === undefined) return "invalid_json";
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (call.lost || !isObject) return "malformed_structure";
  const known = knownStatus(call.name ?? "", options.tools);
  return known === "ok" ? call.status : known;
}
