import {
  type ConversationToolCall,
  type JsonInput,
  JsonNumber,
  objectEntries,
  pythonJson,
  tryParseJson,
} from "../messages/index.ts";
import { jsonMembers, type SpokenCall } from "../parse/index.ts";

/** A call as its family spells it: arguments that come as text stay to the letter, values print as JSON. */
export function spokenCall({ id, name, arguments: args = {} }: ConversationToolCall): SpokenCall {
  return { id, name, argumentsText: typeof args === "string" ? args : pythonJson(args) };
}

/** A call's arguments as a value: JSON text is read; text that is no JSON stays text, nothing is `{}`. */
export function callArguments(call: Pick<ConversationToolCall, "arguments">): JsonInput {
  const args = call.arguments ?? {};
  if (typeof args !== "string") return args;
  const read = tryParseJson(args);
  return read.ok ? read.value : args;
}

/**
 * Names and texts of a call's arguments for formats without quotes: strings as they are, other values as JSON; `exact`: as
 * that JSON stands in arguments that come as text. Null when they are no object.
 */
export function argumentTexts(
  call: Pick<ConversationToolCall, "arguments">,
  { exact = false }: { readonly exact?: boolean | undefined } = {},
): [string, string][] | null {
  const args = typeof call.arguments === "string" ? call.arguments : "";
  const entries = argumentEntries(call);
  const members = exact && args !== "" && entries ? jsonMembers(args) : null;
  const text = (name: string, value: JsonInput): string => {
    if (typeof value === "string") return value;
    const range = members?.get(name);
    return range ? args.slice(...range) : pythonJson(value);
  };
  return entries?.map(([name, value]) => [name, text(name, value)]) ?? null;
}

/** Names and values of a call's arguments, in order; null when they are no object. */
export function argumentEntries(call: Pick<ConversationToolCall, "arguments">): [string, JsonInput][] | null {
  const value = callArguments(call);
  const isObject =
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
  return isObject ? objectEntries(value as ReadonlyMap<string, JsonInput>) : null;
}
