import { jsonEnd } from "../../parse/calls/jsonEnd.ts";
import { type CallBody, type CallList, jsonCallBody, jsonMembers, type ListedCall } from "../../parse/index.ts";
import { unreadPiece } from "./unread.ts";

/*
 * Calls as JSON objects without markers, as Llama 3 writes them:
 *
 *   {"name": "…", "parameters": {…}}; {"name": "…", "parameters": {…}}
 *
 * A token `<|python_tag|>` may stand before them.
 */

const TAG = "<|python_tag|>";
const ARGUMENTS = ["parameters", "arguments"];

const body = jsonCallBody({ nameField: "name", argumentsField: ARGUMENTS });

/**
 * A response that is nothing but such objects. An object is a call if it names a tool, or has a name and arguments;
 * otherwise it is an answer in JSON.
 */
export const bareJsonList: CallList = {
  openings: ["{", TAG],
  read(text, tools) {
    const calls: ListedCall[] = [];
    let at = skip(text, text.trimStart().startsWith(TAG) ? text.indexOf(TAG) + TAG.length : 0);
    while (at < text.length) {
      if (text[at] !== "{") return null;
      const end = jsonEnd(text, at);
      if (end < 0) return calls.length > 0 ? [...calls, unreadPiece("unclosed_block", at, text.length)] : null;
      const reading = readObject(text.slice(at, end), tools);
      if (!reading) return null;
      calls.push({ reading, start: at, end });
      at = skip(text, end);
    }
    return calls;
  },
};

function readObject(text: string, tools: Parameters<CallBody>[1]): ListedCall["reading"] | null {
  const reading = body({ text, atoms: [] }, tools);
  if (reading.name === null) return null;
  const members = jsonMembers(text);
  return tools?.has(reading.name) || ARGUMENTS.some((field) => members.has(field)) ? reading : null;
}

const between = /[\s;,]*/y;

function skip(text: string, from: number): number {
  between.lastIndex = from;
  return from + (between.exec(text)?.[0].length ?? 0);
}
