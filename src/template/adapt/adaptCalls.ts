import {
  type JsonInput,
  type Message,
  pythonJson,
  type ToolArguments,
  type ToolCall,
  type ToolCallFunction,
  tryParseJson,
} from "../../messages/index.ts";
import type { TemplateCapabilities } from "../capabilities/types.ts";

type Note = (at: string, what: string) => void;

/** Arguments of calls in the form that the template reads; the message itself if they have that form. */
export function adaptCalls(
  message: Message,
  { supportsToolCalls, supportsObjectArguments }: TemplateCapabilities,
  note: Note,
): Message {
  if (!supportsToolCalls || !Array.isArray(message.tool_calls)) return message;
  const adapt = supportsObjectArguments ? readArguments : printArguments;
  const calls = (message.tool_calls as readonly ToolCall[]).map((call, index) =>
    adaptCall(call, `tool_calls[${index}]`, adapt, note),
  );
  const same = calls.every((call, index) => call === message.tool_calls![index]);
  return same ? message : { ...message, tool_calls: calls };
}

interface AdaptedArguments {
  readonly value: ToolArguments;
  readonly what: string;
}

/** null: leave them as they are. */
type AdaptArguments = (value: ToolArguments) => AdaptedArguments | null;

function adaptCall(call: ToolCall, at: string, adapt: AdaptArguments, note: Note): ToolCall {
  const inner = call?.function ?? call;
  const adapted = inner?.arguments === undefined ? null : adapt(inner.arguments);
  if (adapted === null) return call;
  note(`${at}.${inner === call ? "" : "function."}arguments`, adapted.what);
  const changed = { ...inner, arguments: adapted.value };
  return inner === call ? changed : { ...call, function: changed as ToolCallFunction };
}

function readArguments(value: ToolArguments): AdaptedArguments | null {
  if (typeof value !== "string") return null;
  const read = tryParseJson(value);
  if (!read.ok || !(read.value instanceof Map)) return null;
  return { value: read.value, what: "JSON text became an object, because the template reads objects" };
}

function printArguments(value: ToolArguments): AdaptedArguments | null {
  if (typeof value !== "object" || value === null) return null;
  return {
    value: pythonJson(value as JsonInput),
    what: "an object became JSON text, because the template reads only text",
  };
}
