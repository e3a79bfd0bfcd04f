import { isPythonSpace, quoteJson } from "../../messages/index.ts";
import { schemaTypes } from "../calls/schemaTypes.ts";
import { overlap } from "../edges.ts";
import type { KnownTool, ParserEvent } from "../types.ts";
import type { CompiledCalls, CompiledElement, CompiledForm, CompiledTagged } from "./compile.ts";
import { argumentSchema, elementsValue, heldValue } from "./heldValue.ts";
import { escapeText, findPart, newValue, writeValue } from "./jsonWriter.ts";
import type { CallState, ReadingState, TaggedArgumentsState } from "./layoutState.ts";
import { afterSpace, joined, MORE, matchAt, NO, type Pattern, type Piece, pieceAt, type Waiting } from "./pieces.ts";
import { readObject } from "./readObject.ts";

export type Progress = "next" | "more" | "fail";

export interface CallReader {
  readonly state: ReadingState & Waiting;
  readonly calls: CompiledCalls;
  readonly tools: ReadonlyMap<string, KnownTool> | null;
  readonly events: ParserEvent[];
  /** The call is certain: reports what stands before it, and its beginning. */
  readonly commit: () => void;
  /** Texts that may follow a call, besides those of `calls`. */
  readonly followers: readonly Pattern[];
}

const maxName = 256;
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

export function callOf({ state }: CallReader): CallState {
  if (!state.call) throw new Error("No call is open.");
  return state.call;
}

/** Takes the next characters into the call. */
export function take(reader: CallReader, length: number, isRaw = true): string {
  const { state } = reader;
  const call = callOf(reader);
  const text = state.buf.slice(0, length);
  if (length === 0) return text;
  state.buf = state.buf.slice(length);
  state.pos += length;
  if (!call.committed) call.past += text;
  if (!isRaw) return text;
  call.raw += text;
  if (call.committed) reader.events.push({ kind: "toolCallDelta", index: state.calls.length, text });
  else call.unreported += text;
  return text;
}

/** The next piece of the arguments' JSON text. */
export function addArguments(reader: CallReader, text: string): void {
  if (text === "") return;
  const call = callOf(reader);
  call.args += text;
  if (call.committed) reader.events.push({ kind: "toolCallArguments", index: reader.state.calls.length, text });
  else call.unreportedArgs += text;
}

/** The name is read; a tool that is known makes a call. */
export function nameCall(reader: CallReader, name: string): void {
  callOf(reader).name = name;
}

export function commitKnown(reader: CallReader): void {
  const { name, committed } = callOf(reader);
  if (committed || name === null) return;
  if (callOf(reader).isLate && !reader.tools) return;
  if (reader.tools ? reader.tools.has(name) : /^[^\s\p{Cc}"'<>{}]+$/u.test(name)) reader.commit();
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

/** What may stand first in the elements from this one on. */
function needlesFrom({ calls: { elements, section, separator } }: CallReader, at: number): readonly Piece[] {
  for (let index = at; index < elements.length; index++) {
    const element = elements[index];
    if (element.kind === "text") {
      if (element.pattern.pieces.length > 0) return [element.pattern.pieces[0]];
    } else if (element.kind === "tagged") {
      const { open, prefix, rest } = element;
      if (open.pieces.length > 0) return [open.pieces[0]];
      return [prefix.pieces[0], rest.pieces[0]].filter((one) => one !== undefined);
    } else return element.kind === "json" || element.kind === "object" ? [{ text: "{", atom: false }] : [];
  }
  return [section?.close.pieces[0], separator.pieces[0]].filter((one) => one !== undefined);
}

/** Where a name or an id ends that begins at `start`. */
function wordEnd(reader: CallReader, start: number, needles: readonly Piece[]): number {
  const { state } = reader;
  for (let at = start; ; at++) {
    if (at - start > maxName) return NO;
    if (at >= state.buf.length) return state.eof ? at : MORE;
    for (const needle of needles) {
      const found = pieceAt(state, at, needle);
      if (found === MORE) return MORE;
      if (found >= 0) return at;
    }
    const code = state.buf.charCodeAt(at);
    if (isPythonSpace(code)) return at;
    if (code < 0x20 || "\"'<>{}".includes(state.buf[at])) return NO;
  }
}

function readName(reader: CallReader): Progress {
  const { state } = reader;
  const call = callOf(reader);
  const start = afterSpace(state, 0);
  if (start === MORE) return "more";
  const end = wordEnd(reader, start, needlesFrom(reader, call.element + 1));
  if (end === MORE) return "more";
  if (end <= start) return "fail";
  const follows = beginsAt(reader, call.element + 1, end);
  if (follows === MORE) return "more";
  if (follows === NO) return "fail";
  nameCall(reader, state.buf.slice(start, end));
  commitKnown(reader);
  take(reader, end);
  return "next";
}

function readId(reader: CallReader, namesFunction: boolean): Progress {
  const { state, tools } = reader;
  const call = callOf(reader);
  const start = afterSpace(state, 0);
  if (start === MORE) return "more";
  const end = wordEnd(reader, start, needlesFrom(reader, call.element + 1));
  if (end === MORE) return "more";
  if (end === NO) return "fail";
  const id = state.buf.slice(start, end);
  call.id = id === "" ? null : id;
  if (namesFunction) {
    const follows = beginsAt(reader, call.element + 1, end);
    if (follows === MORE) return "more";
    const bare = /^(?:functions\.)?(.*?)(?::[0-9]+)?$/s.exec(id)?.[1] ?? id;
    if (follows === NO || bare === "") return "fail";
    const name = [bare, id.replace(/^functions\./, ""), id].find((one) => tools?.has(one)) ?? bare;
    nameCall(reader, name);
    commitKnown(reader);
  }
  take(reader, end);
  return "next";
}

/** Does the element begin at `at`, as far as it must? */
function beginsAt(reader: CallReader, index: number, at: number): number {
  const { state, calls } = reader;
  const element = calls.elements[index];
  if (element === undefined) return at;
  if (element.kind === "text") {
    return element.pattern.pieces.length > 0 ? matchAt(state, at, element.pattern) : beginsAt(reader, index + 1, at);
  }
  if (element.kind === "json" || element.kind === "object") {
    const start = afterSpace(state, at);
    if (start === MORE) return MORE;
    return state.buf[start] === "{" ? start : start >= state.buf.length && !state.eof ? MORE : NO;
  }
  if (element.kind !== "tagged") return at;
  if (element.open.pieces.length > 0) return matchAt(state, at, element.open);
  if (element.prefix.pieces.length === 0 || element.rest.pieces.length === 0) return at;
  return best(matchAt(state, at, element.prefix), matchAt(state, at, element.rest));
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

const best = (a: number, b: number): number => (a >= 0 ? a : b >= 0 ? b : Math.min(a, b));

function readTagged(reader: CallReader, element: CompiledTagged): Progress {
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

function argumentPrefix({ separator, prefix }: CompiledTagged, count: number): Pattern {
  return count > 0 && separator.pieces.length > 0 ? joined(separator, prefix) : prefix;
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

/** The name of an argument that begins at `from`, and what leads to its value. */
function keyAt(
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

function readKey(reader: CallReader, element: CompiledTagged, tagged: TaggedArgumentsState): Progress {
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

/** A string may stand in a fence. False: the next text tells. */
function readFence(reader: CallReader, { forms }: CompiledTagged, tagged: TaggedArgumentsState): boolean {
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
function readWritten(reader: CallReader, element: CompiledTagged, tagged: TaggedArgumentsState): Progress {
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
function readUntil(reader: CallReader, element: CompiledTagged, tagged: TaggedArgumentsState): Progress {
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
  const nested = elementsValue(tagged.held, schema, element, form);
  const isText = element.forms.some(
    ({ between, form: { writing } }) => between.text === form.between.text && writing.kind === "raw",
  );
  const value = nested === undefined ? heldValue(tagged.held, schemaTypes(schema), isText) : undefined;
  addArguments(reader, nested ?? value?.json ?? "null");
  tagged.held = "";
  if (value && (call.status === "ok" || (call.status === "ambiguous_arguments" && value.status === "invalid_json")))
    call.status = value.status;
}

function endNeedles({ calls }: CallReader, { rest, separator, prefix }: CompiledTagged): readonly Piece[] {
  const { section, separator: next } = calls;
  return [rest.pieces[0], joined(separator, prefix).pieces[0], section?.close.pieces[0], next.pieces[0]].filter(
    (one) => one !== undefined,
  );
}

/** May a value be over at `at`? Either another argument begins there, or the call ends. */
function legalEnd(reader: CallReader, element: CompiledTagged, at: number): number {
  const { state, calls } = reader;
  const begins = argumentPrefix(element, 1);
  let argument = begins.pieces.length > 0 ? matchAt(state, at, begins) : afterSpace(state, at);
  if (argument >= 0) {
    const key = keyAt(reader, element, argument);
    argument = typeof key === "number" ? key : key.next;
  }
  if (argument >= 0) return argument;
  const { rest } = element;
  const isLast = calls.elements.indexOf(element) >= calls.elements.length - 2;
  let over = rest.pieces.length > 0 ? matchAt(state, at, rest) : at;
  // A bracket alone says little.
  if (over >= 0 && isLast && rest.text.trim().length < 3) over = callFollows(reader, over);
  return best(argument, over);
}

/** May a call be over at `at`? */
function callFollows({ state, calls, followers }: CallReader, at: number): number {
  const { section, separator, first } = calls;
  const start = afterSpace(state, at);
  if (start === MORE || start >= state.buf.length) return state.eof ? at : MORE;
  const patterns = [section?.close, joined(separator, first), first, ...followers];
  return patterns
    .filter((one) => one !== undefined && one.pieces.length > 0)
    .map((one) => matchAt(state, at, one as Pattern))
    .reduce(best, NO);
}

/** Goes on to where the damaged call ends. */
function findClose(reader: CallReader): boolean {
  const { state, calls, followers } = reader;
  const last = calls.elements.at(-1);
  const own = last?.kind === "text" && last.pattern.pieces.length > 0 ? last.pattern : null;
  const closers = own ? [own] : [calls.section?.close, calls.first, ...followers].filter((one) => one?.pieces.length);
  for (let at = 0; ; ) {
    let found = state.buf.length;
    for (const one of closers) found = Math.min(found, findPart(state.buf, one?.pieces[0].text ?? "", at));
    if (found >= state.buf.length) {
      take(reader, state.buf.length);
      return false;
    }
    const end = closers.map((one) => matchAt(state, found, one as Pattern)).reduce(best, NO);
    if (end === MORE) {
      take(reader, found);
      return false;
    }
    if (end >= 0) {
      take(reader, found);
      if (own) take(reader, end - found, false);
      return true;
    }
    at = found + 1;
  }
}
