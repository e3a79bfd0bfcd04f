import { pythonStrip } from "../../messages/index.ts";
import { jsonEnd } from "../../parse/calls/jsonEnd.ts";
import {
  type CallList,
  type CallReading,
  jsonArguments,
  jsonCallBody,
  type KnownTool,
  knownStatus,
  type ListedCall,
} from "../../parse/index.ts";
import { unread, unreadPiece } from "./unread.ts";

/*
 * Mistral's calls. Nothing closes them but the turn's end:
 *
 *   [TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]{…}[TOOL_CALLS]{name}[ARGS]{…}
 *   [TOOL_CALLS][{"name": "…", "arguments": {…}, "id": "…"}, …]           older models
 *
 * `[CALL_ID]{id}` and `[ARGS]` may be missing.
 */

export const CALLS = "[TOOL_CALLS]";
const ARGUMENTS = "[ARGS]";
const CALL_ID = "[CALL_ID]";

type Tools = ReadonlyMap<string, KnownTool> | null;

const objectBody = jsonCallBody({ nameField: "name", argumentsField: ["arguments", "parameters"] });

/** Reads what follows the first `[TOOL_CALLS]`. */
export const mistralList: CallList = {
  read(text, tools) {
    const start = skipSpace(text, 0);
    const isNamed = text[start] !== "[" || [ARGUMENTS, CALL_ID].some((marker) => text.startsWith(marker, start));
    return isNamed ? readNamed(text, start, tools) : readObjects(text, start + 1, tools);
  },
};

/** `[{…}, {…}]`, from behind the first bracket. */
function readObjects(text: string, from: number, tools: Tools): ListedCall[] {
  const calls: ListedCall[] = [];
  let at = skipSpace(text, from);
  while (text[at] === "{") {
    const end = jsonEnd(text, at);
    if (end < 0) return [...calls, unreadPiece("unclosed_block", at, text.length)];
    calls.push({ reading: objectBody({ text: text.slice(at, end), atoms: [] }, tools), start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  const isWhole = at === text.length || (text[at] === "]" && skipSpace(text, at + 1) === text.length);
  return isWhole ? calls : [...calls, unreadPiece("malformed_structure", at, text.length)];
}

/** `{name}[ARGS]{…}[TOOL_CALLS]{name}[ARGS]{…}` */
function readNamed(text: string, from: number, tools: Tools): ListedCall[] {
  const calls: ListedCall[] = [];
  for (let at = from; at < text.length; ) {
    const { reading, end } = readNext(text, at, tools);
    calls.push({ reading, start: at, end });
    at = skipSpace(text, end);
    if (text.startsWith(CALLS, at)) at = skipSpace(text, at + CALLS.length);
  }
  return calls;
}

function readNext(text: string, at: number, tools: Tools): { readonly reading: CallReading; readonly end: number } {
  const next = text.indexOf(CALLS, at);
  const head = /\[ARGS\]|\[CALL_ID\]|[{]|\[TOOL_CALLS\]/g;
  head.lastIndex = at;
  let mark = head.exec(text);
  const name = pythonStrip(text.slice(at, mark?.index ?? text.length));
  let id: string | null = null;
  if (mark?.[0] === CALL_ID) {
    const idStart = head.lastIndex;
    mark = head.exec(text);
    id = pythonStrip(text.slice(idStart, mark?.index ?? text.length)) || null;
  }
  if (mark === null) return { reading: { ...unread("unclosed_block", name || null), id }, end: text.length };
  if (mark[0] === CALLS) {
    return { reading: { ...unread("malformed_structure", name || null), id }, end: mark.index };
  }
  const start = skipSpace(text, mark[0] === ARGUMENTS ? head.lastIndex : mark.index);
  const end = text[start] === "{" ? jsonEnd(text, start) : -1;
  if (end < 0) {
    // Arguments whose brackets do not close end where another call begins, or with the text.
    const cut = next < 0 ? text.length : next;
    return { reading: { ...unread(next < 0 ? "unclosed_block" : "invalid_json", name || null), id }, end: cut };
  }
  const read = jsonArguments(text.slice(start, end));
  const known = name === "" ? "missing_name" : knownStatus(name, tools);
  return { reading: { ...read, name: name || null, id, status: read.status === "ok" ? known : read.status }, end };
}

const space = /\s*/y;

function skipSpace(text: string, from: number): number {
  space.lastIndex = from;
  return from + (space.exec(text)?.[0].length ?? 0);
}
