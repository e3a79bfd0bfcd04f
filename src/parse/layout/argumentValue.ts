import { schemaTypes } from "../calls/schemaTypes.ts";
import { overlap } from "../edges.ts";
import { addArguments, type CallReader, callOf, type Progress, take } from "./callReader.ts";
import type { CompiledForm, CompiledTagged } from "./compile.ts";
import { elementsValue } from "./elementsValue.ts";
import { argumentSchema, heldValue } from "./heldValue.ts";
import { escapeText, newValue, writeValue } from "./jsonWriter.ts";
import type { TaggedArgumentsState } from "./layoutState.ts";
import { findPart, MORE, matchAt, NO } from "./pieces.ts";
import { endNeedles, legalEnd } from "./valueEnd.ts";

/** A string may stand in a fence. False: the next text tells. */
export function readFence(reader: CallReader, { forms }: CompiledTagged, tagged: TaggedArgumentsState): boolean {
  const { state } = reader;
  const { between } = forms[tagged.form];
  const index = forms.findIndex((one) => one.fence && one.between.text === between.text);
  const open = forms[index]?.fence?.open ?? "";
  if (state.buf.length < open.length && open.startsWith(state.buf) && !state.eof) return false;
  tagged.fence = state.buf.startsWith(open) ? "open" : "none";
  if (tagged.fence === "none") return true;
  take(reader, open.length);
  if (tagged.reading !== "raw") addArguments(reader, '"');
  tagged.reading = "raw";
  tagged.form = index;
  return true;
}

/** A value that ends by itself. */
export function readWritten(reader: CallReader, element: CompiledTagged, tagged: TaggedArgumentsState): Progress {
  const { form, quote } = element.forms[tagged.form];
  const bareKeys = form.writing.kind === "literal" && form.writing.bareKeys === true;
  const value = tagged.value ?? newValue();
  tagged.value = value;
  const { to, out, isBad } = writeValue(value, reader.state, 0, { quote, bareKeys });
  take(reader, to);
  addArguments(reader, out);
  if (isBad) return "fail";
  if (value.phase !== "done") return "more";
  tagged.phase = "suffix";
  return "next";
}

/** A value that ends where a legal end stands. */
export function readUntil(reader: CallReader, element: CompiledTagged, tagged: TaggedArgumentsState): Progress {
  const { state } = reader;
  const form = element.forms[tagged.form];
  const fence = tagged.fence === "open" ? form.fence : undefined;
  const suffix = (fence ?? form).suffix(tagged.key);
  const needles = (suffix.pieces.length > 0 ? [suffix.pieces[0]] : endNeedles(reader, element)).map(({ text }) => text);
  const isOver = state.eof;
  let at = 0;
  let found = state.buf.length;
  let end = NO;
  for (;;) {
    found = state.buf.length;
    for (const needle of needles) found = Math.min(found, findPart(state.buf, needle, at));
    if (found >= state.buf.length) break;
    // At the end, a beginning of a legal end counts.
    state.eof = false;
    end = suffix.pieces.length > 0 ? matchAt(state, found, suffix) : found;
    if (end >= 0) {
      const legal = legalEnd(reader, element, end);
      if (legal === NO || (legal === MORE && !isOver)) end = legal;
    } else if (end === MORE && isOver) end = state.buf.length;
    state.eof = isOver;
    if (end !== NO) break;
    at = found + 1;
  }
  state.eof = isOver;
  const edge = suffix.pieces.length > 0 ? suffix.lead : suffix.text;
  let length = found;
  if (found >= state.buf.length || end === MORE)
    length -= overlap(state.buf.slice(Math.max(0, found - edge.length), found), edge);
  else if (state.buf.slice(0, found).endsWith(edge)) length -= edge.length;
  if (found >= state.buf.length && isOver) length = state.buf.length;
  const text = take(reader, length);
  if (tagged.reading === "raw") addArguments(reader, escapeText(text));
  else tagged.held += text;
  if (end < 0) return "more";
  take(reader, end - length);
  endValue(reader, element, tagged, form);
  tagged.phase = "argument";
  return "next";
}

function endValue(reader: CallReader, element: CompiledTagged, tagged: TaggedArgumentsState, form: CompiledForm): void {
  const call = callOf(reader);
  if (tagged.reading === "raw") {
    addArguments(reader, '"');
    return;
  }
  const schema = argumentSchema(reader.tools?.get(call.name ?? ""), tagged.key);
  // Forms that begin alike are told apart by what stands in them.
  const alike = element.forms.filter(({ between }) => between.text === form.between.text);
  const tags = alike.find((one) => one.form.writing.kind === "elements");
  const nested = tags && elementsValue(tagged.held, schema, element, tags);
  const isText = tags !== undefined || alike.some((one) => one.form.writing.kind === "raw");
  const value = nested === undefined ? heldValue(tagged.held, schemaTypes(schema), isText) : undefined;
  addArguments(reader, nested ?? value?.json ?? "null");
  tagged.held = "";
  if (value && (call.status === "ok" || (call.status === "ambiguous_arguments" && value.status === "invalid_json")))
    call.status = value.status;
}
