import { argumentPrefix, readKey } from "./argumentKey.ts";
import { readFence, readUntil, readWritten } from "./argumentValue.ts";
import { addArguments, type CallReader, callOf, type Progress, take } from "./callReader.ts";
import type { CompiledTagged } from "./compile.ts";
import type { TaggedArgumentsState } from "./layoutState.ts";
import { afterSpace, MORE, matchAt, NO } from "./pieces.ts";

export function readTagged(reader: CallReader, element: CompiledTagged): Progress {
  const { state } = reader;
  const call = callOf(reader);
  call.tagged ??= {
    phase: "open",
    count: 0,
    key: "",
    form: 0,
    reading: "raw",
    held: "",
    fence: "none",
    value: null,
    lead: "",
  };
  const { tagged } = call;
  for (;;) {
    if (tagged.phase === "open") {
      const end = matchAt(state, 0, element.open);
      if (end < 0) return end === MORE ? "more" : "fail";
      take(reader, end);
      addArguments(reader, "{");
      tagged.phase = "argument";
    } else if (tagged.phase === "argument") {
      const progress = readArgumentOpen(reader, element, tagged);
      if (progress !== "argument") return progress;
    } else if (tagged.phase === "key") {
      const progress = readKey(reader, element, tagged);
      if (progress !== "next") return progress;
    } else if (tagged.phase === "value") {
      if (tagged.lead !== "") {
        if (state.buf.length < tagged.lead.length && !state.eof && tagged.lead.startsWith(state.buf)) return "more";
        if (state.buf.startsWith(tagged.lead)) take(reader, tagged.lead.length);
        tagged.lead = "";
      }
      if (tagged.fence === "unknown" && !readFence(reader, element, tagged)) return "more";
      const progress =
        tagged.reading === "json" ? readWritten(reader, element, tagged) : readUntil(reader, element, tagged);
      if (progress !== "next") return progress;
    } else {
      const end = matchAt(state, 0, element.forms[tagged.form].suffix(tagged.key));
      if (end < 0) return end === MORE ? "more" : "fail";
      take(reader, end);
      tagged.phase = "argument";
    }
  }
}

function readArgumentOpen(
  reader: CallReader,
  element: CompiledTagged,
  tagged: TaggedArgumentsState,
): Progress | "argument" {
  const { state } = reader;
  const { close, rest, prefix } = element;
  const isClosed = close.pieces.length > 0;
  const over = isClosed ? matchAt(state, 0, close) : rest.pieces.length > 0 ? matchAt(state, 0, rest) : NO;
  if (over >= 0) {
    if (isClosed) take(reader, over);
    addArguments(reader, "}");
    return "next";
  }
  const begins = argumentPrefix(element, tagged.count);
  const start = begins.pieces.length > 0 ? matchAt(state, 0, begins) : afterSpace(state, 0);
  if (over === MORE || start === MORE) return "more";
  if (start >= 0) {
    take(reader, start);
    tagged.phase = "key";
    return "argument";
  }
  if (rest.pieces.length > 0 || prefix.pieces.length === 0) return "fail";
  addArguments(reader, "}");
  return "next";
}
