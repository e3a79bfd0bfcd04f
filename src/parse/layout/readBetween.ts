import { newCall } from "./openCall.ts";
import { afterSpace, MORE, matchAt, NO } from "./pieces.ts";
import { type ResponseReader, takeText } from "./responseReader.ts";

/** In the section, behind a call. */
export function readBetween(reader: ResponseReader): boolean {
  const { state } = reader;
  const calls = reader.layout.calls;
  if (!calls?.section) return false;
  const start = afterSpace(state, 0);
  if (start === MORE || state.buf.length === start) return false;
  const close = calls.section.close.pieces.length > 0 ? matchAt(state, 0, calls.section.close) : NO;
  if (close >= 0) {
    takeText(reader, close);
    leaveSection(reader);
    return true;
  }
  const separated = calls.separator.pieces.length > 0 ? matchAt(state, 0, calls.separator) : NO;
  const first = calls.first.pieces.length > 0 ? matchAt(state, 0, calls.first) : NO;
  if (close === MORE || separated === MORE || (first === MORE && separated < 0)) return false;
  const begins = separated >= 0 ? separated : first >= 0 ? 0 : NO;
  const isBare = calls.first.pieces.length === 0 && calls.separator.pieces.length === 0;
  const opens = calls.elements[0]?.kind === "name" ? /[\p{L}_]/u : /[{[]/;
  if (begins === NO && !(isBare && opens.test(state.buf[start]))) {
    leaveSection(reader);
    return true;
  }
  const from = state.pos;
  const past = takeText(reader, Math.max(begins, 0));
  state.mode = "call";
  state.call = newCall({
    from,
    past,
    markerLength: past.length,
    resume: "between",
    element: 0,
    start: -1,
    isLate: false,
    isLimited: false,
  });
  return true;
}

function leaveSection(reader: ResponseReader): void {
  const { state } = reader;
  state.inSection = false;
  state.mode = "outside";
  state.gap = "";
}
