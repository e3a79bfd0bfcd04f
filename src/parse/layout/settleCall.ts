import { addContent, endContent } from "./addContent.ts";
import { speak } from "./heldSpace.ts";
import { openContent } from "./openParts.ts";
import { type ResponseReader, tokenAt } from "./responseReader.ts";
import { failTrial } from "./trial.ts";

/** The call is certain. */
export function commitCall(reader: ResponseReader): void {
  const { state } = reader;
  const { call } = state;
  if (!call || call.committed) return;
  call.committed = true;
  call.past = "";
  const { lead } = reader.layout;
  if (call.resume === "implied") {
    const { held } = state;
    state.held = "";
    if (held.trim() !== "" || state.gap.trim() !== "") addContent(reader, held);
    else state.gap = "";
  }
  if (call.resume === "content" || call.resume === "implied") {
    if (state.content === "" && state.trim === null && state.fence === "none") state.gap = "";
    endContent(reader, lead.pieces.length === 0 ? lead.text : lead.lead);
  }
  state.gap = "";
  state.trim = null;
  state.said = true;
  state.reasoned = true;
  const index = state.calls.length;
  call.firstId = tokenAt(reader, call.firstId < 0 ? call.from : call.firstId);
  reader.events.push({ kind: "toolCallStart", index });
  if (call.unreported !== "") reader.events.push({ kind: "toolCallDelta", index, text: call.unreported });
  reader.events.push({ kind: "toolCallName", index, name: call.name ?? "" });
  if (call.unreportedArgs !== "") reader.events.push({ kind: "toolCallArguments", index, text: call.unreportedArgs });
  call.unreported = "";
  call.unreportedArgs = "";
  state.inSection = reader.layout.calls?.section != null && !call.isLate;
}

/** What began like a call is none: its marker is content, and so is what follows, unless another call begins there. */
export function noCall(reader: ResponseReader): void {
  const { state } = reader;
  const { call } = state;
  if (!call || failTrial(state)) return;
  const whole = call.past.slice(0, call.markerLength).trim();
  // Its first character alone: a marker may begin with the end of what looked like one (`>` and `>>>`).
  const marker = String.fromCodePoint(call.past.codePointAt(0) ?? 0).slice(0, call.markerLength);
  const rest = call.past.slice(marker.length);
  state.buf = rest + state.buf;
  state.pos = call.from + marker.length;
  state.reread += rest.length;
  state.call = null;
  if (whole !== "") {
    const end = call.from + call.markerLength;
    const [first, last] = [tokenAt(reader, call.from), tokenAt(reader, Math.max(call.from, end - 1))];
    state.strays.push({
      marker: whole,
      tokenSpan: [first, last + 1],
      reason: call.name !== null && reader.options.tools?.has(call.name) === false ? "unknown_tool" : "no_call",
    });
  }
  if (call.resume === "implied") {
    state.mode = "implied";
    state.held += state.gap + marker;
    state.gap = "";
    return;
  }
  if (call.resume !== "content") openContent(reader, false, call.resume === "between" ? null : state.trim);
  state.mode = "content";
  state.inSection = false;
  speak(reader, marker, addContent);
}
