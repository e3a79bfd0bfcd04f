import { addArguments, type CallReader, callOf, type Progress, take } from "./callReader.ts";
import type { CompiledElement } from "./compile.ts";
import { findClose } from "./findClose.ts";
import { newValue, writeValue } from "./jsonWriter.ts";
import { afterSpace, MORE, matchAt, NO, type Pattern } from "./pieces.ts";
import { readId, readName } from "./readName.ts";
import { readObject } from "./readObject.ts";
import { readTagged } from "./readTagged.ts";

const limitedLength = 1024;

/** Reads on in the call. `done`: it is over; `fail`: it is none. */
export function readCall(reader: CallReader): "more" | "fail" | "done" {
  const { calls } = reader;
  const call = callOf(reader);
  while (!call.lost && call.element < calls.elements.length) {
    const progress = readElement(reader, calls.elements[call.element]);
    if (call.isLimited && !call.committed && call.past.length > limitedLength) return "fail";
    if (progress === "more") return "more";
    if (progress === "next") call.element++;
    else if (call.committed) call.lost = true;
    else return "fail";
  }
  if (call.lost) return findClose(reader) ? "done" : "more";
  if (call.name === null || (call.isLate && !call.committed)) return "fail";
  if (!call.committed) reader.commit();
  return "done";
}

function readElement(reader: CallReader, element: CompiledElement): Progress {
  const { state } = reader;
  switch (element.kind) {
    case "text":
      return readText(reader, element.pattern);
    case "name":
      return readName(reader);
    case "id":
      return readId(reader, element.namesFunction);
    case "index": {
      const start = afterSpace(state, 0);
      if (start === MORE) return "more";
      let end = start;
      while (end < state.buf.length && /[0-9]/.test(state.buf[end])) end++;
      if (end === state.buf.length && !state.eof && end - start < 20) return "more";
      take(reader, end);
      return "next";
    }
    case "json":
      return readJson(reader);
    case "object":
      return readObject(reader, element);
    default:
      return readTagged(reader, element);
  }
}

function readText(reader: CallReader, pattern: Pattern): Progress {
  const { state, calls } = reader;
  const { element } = callOf(reader);
  const end = matchAt(state, 0, pattern);
  if (end === MORE) return "more";
  if (end === NO) return "fail";
  take(reader, end, element > 0 && element < calls.elements.length - 1);
  if (element === 0) callOf(reader).markerLength = callOf(reader).past.length;
  return "next";
}

function readJson(reader: CallReader): Progress {
  const { state } = reader;
  const call = callOf(reader);
  if (!call.value) {
    const start = afterSpace(state, 0);
    if (start === MORE) return "more";
    if (start >= state.buf.length) return "more";
    take(reader, start);
    call.value = newValue();
  }
  const { to, out, isBad } = writeValue(call.value, state, 0);
  take(reader, to);
  addArguments(reader, out);
  if (isBad) return "fail";
  return call.value.phase === "done" ? "next" : "more";
}
