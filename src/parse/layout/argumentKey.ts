import { isPythonSpace, quoteJson } from "../../messages/index.ts";
import { schemaTypes } from "../calls/schemaTypes.ts";
import { addArguments, type CallReader, callOf, type Progress, take } from "./callReader.ts";
import type { CompiledForm, CompiledTagged } from "./compile.ts";
import { argumentSchema } from "./heldValue.ts";
import { newValue } from "./jsonWriter.ts";
import type { TaggedArgumentsState } from "./layoutState.ts";
import { joined, MORE, matchAt, NO, type Pattern } from "./pieces.ts";
import { maxName } from "./readName.ts";

export function argumentPrefix({ separator, prefix }: CompiledTagged, count: number): Pattern {
  return count > 0 && separator.pieces.length > 0 ? joined(separator, prefix) : prefix;
}

/** The name of an argument that begins at `from`, and what leads to its value. */
export function keyAt(
  { state }: CallReader,
  { forms, prefix }: CompiledTagged,
  from: number,
): { readonly end: number; readonly form: CompiledForm; readonly next: number } | typeof NO | typeof MORE {
  for (let at = from; ; at++) {
    if (at - from > maxName) return NO;
    if (at >= state.buf.length) return state.eof ? NO : MORE;
    let isMore = false;
    for (const form of forms) {
      const { between } = form;
      if (between.pieces.length === 0) {
        if (between.text !== "" && at > from && isPythonSpace(state.buf.charCodeAt(at)))
          return { end: at, form, next: at };
        continue;
      }
      if (isPythonSpace(state.buf.charCodeAt(at))) continue;
      const next = matchAt(state, at, between);
      if (next === MORE) isMore = true;
      // A longer text may still stand here.
      else if (next >= 0 && !isMore) return at > from ? { end: at, form, next } : NO;
    }
    if (isMore) return MORE;
    const char = state.buf[at];
    if (char === "\n" && state.buf.slice(from, at).trim() !== "") return NO;
    if (prefix.pieces.length === 0 && "\"'<>{}()[],".includes(char)) return NO;
  }
}

export function readKey(reader: CallReader, element: CompiledTagged, tagged: TaggedArgumentsState): Progress {
  const { state, tools } = reader;
  const { forms } = element;
  const found = keyAt(reader, element, 0);
  if (found === MORE) return "more";
  if (found === NO) return "fail";
  const key = state.buf.slice(0, found.end).trim();
  if (key === "") return "fail";
  take(reader, found.next);
  addArguments(reader, `${tagged.count === 0 ? "" : ", "}${quoteJson(key, false)}: `);
  const alike = forms.filter(({ between }) => between.text === found.form.between.text);
  const raw = alike.find(({ form }) => form.writing.kind === "raw");
  const other = alike.find(({ form }) => form.writing.kind !== "raw");
  const types = schemaTypes(argumentSchema(tools?.get(callOf(reader).name ?? ""), key));
  const isString = raw !== undefined && (other ? types?.size === 1 && types.has("string") : isOnlyText(raw, types));
  const form = (isString ? raw : undefined) ?? other ?? raw ?? found.form;
  tagged.key = key;
  tagged.count++;
  tagged.form = forms.indexOf(form);
  tagged.held = "";
  tagged.value = newValue();
  tagged.lead = found.form.between.trail;
  const endsItself = form.form.writing.kind === "literal" || form.suffix(key).pieces.length === 0;
  const isQuoted = form.form.types.includes("string") && form.form.writing.kind !== "elements";
  tagged.reading = isString ? "raw" : raw === undefined && (endsItself || isQuoted) ? "json" : "held";
  tagged.fence = raw?.fence ? "unknown" : "none";
  if (tagged.reading === "raw") addArguments(reader, '"');
  tagged.phase = "value";
  return "next";
}

function isOnlyText({ form }: CompiledForm, types: ReadonlySet<string> | null): boolean {
  return form.types.every((type) => type === "string") || (types?.size === 1 && types.has("string"));
}
