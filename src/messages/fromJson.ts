import { type JsonInput, type JsonValue, toPlain } from "./json/index.ts";
import { setOwn } from "./json/toPlain.ts";
import type { Message, ToolSpec } from "./types.ts";

/**
 * Messages out of parsed JSON: the objects of the chat shape become plain objects, calls' arguments keep their numbers'
 * text and keys' order. Nothing is checked: that is `checkMessages`' task.
 *
 * @example
 * messagesFromJson(parseJson(line));
 */
export function messagesFromJson(value: JsonValue): Message[] {
  return unfold(value, [
    { field: "content", unfold: (content) => (typeof content === "string" ? content : toPlain(content as JsonInput)) },
    {
      field: "tool_calls",
      unfold: (calls) => unfold(calls, [{ field: "function", unfold: (fn) => unfoldObject(fn, []) }]),
    },
  ]) as Message[];
}

/** Tools out of parsed JSON; `parameters` and other fields keep their numbers' text and keys' order. */
export function toolsFromJson(value: JsonValue): ToolSpec[] {
  return unfold(value, [{ field: "function", unfold: (fn) => unfoldObject(fn, []) }]) as ToolSpec[];
}

interface Nested {
  readonly field: string;
  readonly unfold: (value: unknown) => unknown;
}

function unfold(value: unknown, nested: readonly Nested[]): unknown {
  return Array.isArray(value) ? value.map((item) => unfoldObject(item, nested)) : value;
}

function unfoldObject(value: unknown, nested: readonly Nested[]): unknown {
  if (!(value instanceof Map)) return value;
  const object: Record<string, unknown> = {};
  for (const [key, field] of value as Map<string, unknown>) {
    setOwn(object, key, nested.find((one) => one.field === key)?.unfold(field) ?? field);
  }
  return object;
}
