import { type JsonValue, pythonJson, pythonLiteral, pythonRepr, toPlain, tryParseJson } from "../../messages/index.ts";
import {
  type CallList,
  type CallReading,
  type KnownTool,
  knownStatus,
  type ListedCall,
  type SpokenCall,
} from "../../parse/index.ts";
import { unread, unreadPiece } from "./unread.ts";

/*
 * Calls as a list of Python's, with keyword arguments that are literals:
 *
 *   [{name}({key}={literal}, …), {name}(), …]
 *
 * JSON's `true`, `false` and `null` are read, too. Tokens `<|python_start|>` and `<|python_end|>` may stand around the list.
 */

const START = "<|python_start|>";
const END = "<|python_end|>";

type Tools = ReadonlyMap<string, KnownTool> | null;

export function writePythonic(calls: readonly SpokenCall[]): string {
  const texts = calls.map(({ name, argumentsText }) => {
    const args = tryParseJson(argumentsText);
    const entries = args.ok && args.value instanceof Map ? [...args.value] : [];
    return `${name}(${entries.map(([key, value]) => `${key}=${pythonRepr(value)}`).join(", ")})`;
  });
  return `[${texts.join(", ")}]`;
}

/** A list between markers. */
export const pythonicList: CallList = { read: readList };

/**
 * A response that is nothing but such a list. Where a call cannot be read, its name must be a tool's: `[sin(x)]` may be what
 * the model has to say.
 */
export const barePythonicList: CallList = {
  openings: ["[", START],
  read(text, tools) {
    const calls = readList(text, tools);
    const isCall = ({ reading: { name, arguments: args } }: ListedCall) =>
      args !== null || tools === null || (name !== null && tools.has(name));
    return calls?.every(isCall) ? calls : null;
  },
};

function readList(text: string, tools: Tools): ListedCall[] | null {
  const calls: ListedCall[] = [];
  let at = skip(text, 0, START);
  if (text[at] !== "[") return null;
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== "]") {
    const start = at;
    const head = match(callHead, text, start);
    if (!head) return cutName.test(text.slice(start)) && calls.length > 0 ? [...calls, cut(text, start)] : null;
    const [, name] = head;
    const parts = splitArguments(text, start + head[0].length);
    if (!parts) return [...calls, { reading: unread("unclosed_block", name), start, end: text.length }];
    calls.push({ reading: readCall(name, parts.pieces, tools), start, end: parts.end });
    at = skipSpace(text, parts.end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
    else if (at < text.length && text[at] !== "]") return null;
  }
  return skip(text, at + 1, END) >= text.length ? calls : null;
}

const callHead = /([A-Za-z_][\w.-]*)\s*\(/y;
const cutName = /^[\w.-]*\s*$/;
const keyword = /^\s*([^\W\d]\w*)\s*=(?!=)/u;

const cut = (text: string, start: number): ListedCall => unreadPiece("unclosed_block", start, text.length);

function readCall(name: string, pieces: readonly string[], tools: Tools): CallReading {
  const values = new Map<string, JsonValue>();
  for (const piece of pieces) {
    const key = keyword.exec(piece);
    if (!key || values.has(key[1])) return unread("malformed_structure", name);
    const value = literal(piece.slice(key[0].length));
    if (value === undefined) return unread("invalid_json", name);
    values.set(key[1], value);
  }
  return {
    name,
    arguments: toPlain(values),
    argumentsText: pythonJson(values),
    id: null,
    status: knownStatus(name, tools),
  };
}

function literal(text: string): JsonValue | undefined {
  const value = pythonLiteral(text);
  if (value !== undefined) return value;
  const json = tryParseJson(text);
  return json.ok ? json.value : undefined;
}

/** The arguments from behind the opening bracket, and where the call ends; null if it does not. */
function splitArguments(
  text: string,
  from: number,
): { readonly pieces: readonly string[]; readonly end: number } | null {
  const pieces: string[] = [];
  let depth = 0;
  let start = from;
  let quote = "";
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (quote !== "") {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if ("([{".includes(char)) depth++;
    else if (depth > 0) depth -= ")]}".includes(char) ? 1 : 0;
    else if (char === "," || char === ")") {
      const piece = text.slice(start, at);
      // A comma may follow the last argument.
      if (char === "," || piece.trim() !== "") pieces.push(piece);
      start = at + 1;
      if (char === ")") return { pieces, end: start };
    }
  }
  return null;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const space = /\s*/y;

const skipSpace = (text: string, from: number): number => from + (match(space, text, from)?.[0].length ?? 0);

/** Behind white space, and this text if it is there. */
function skip(text: string, from: number, word: string): number {
  const at = skipSpace(text, from);
  return text.startsWith(word, at) ? skipSpace(text, at + word.length) : at;
}
