import { isPythonSpace } from "../../messages/index.ts";
import { type CallReader, callOf, commitKnown, nameCall, type Progress, take } from "./callReader.ts";
import { afterSpace, best, MORE, matchAt, NO, type Piece, pieceAt } from "./pieces.ts";

export const maxName = 256;

export function readName(reader: CallReader): Progress {
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

export function readId(reader: CallReader, namesFunction: boolean): Progress {
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
