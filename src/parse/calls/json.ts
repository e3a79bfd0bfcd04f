import { pythonStrip, toPlain, tryParseJson } from "../../messages/index.ts";
import type { CallBody, CallReading } from "../grammar.ts";
import { knownStatus } from "../status.ts";
import { jsonMembers } from "./jsonMembers.ts";

const UNREADABLE: CallReading = {
  name: null,
  arguments: null,
  argumentsText: null,
  id: null,
  status: "invalid_json",
};

/** Calls whose body is one JSON object, `{"name": …, "arguments": {…}}`. Of several fields for one thing the first is taken. */
export function jsonCallBody(options: {
  readonly nameField: string;
  readonly argumentsField: string | readonly string[];
}): CallBody {
  const argumentsFields = [options.argumentsField].flat();
  return ({ text }, tools) => {
    const value = parsePlainJson(text);
    if (value === undefined) return UNREADABLE;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { ...UNREADABLE, status: "malformed_structure" };
    const fields = value as Record<string, unknown>;
    const name = fields[options.nameField];
    const field = argumentsFields.find((one) => Object.hasOwn(fields, one));
    const args = field === undefined ? {} : fields[field];
    const argumentsText = field === undefined ? "{}" : memberText(text, field);
    const id = typeof fields.id === "string" ? fields.id : null;
    if (typeof name !== "string" || name === "")
      return { name: null, arguments: args, argumentsText, id, status: "missing_name" };
    const status = isObject(args) ? knownStatus(name, tools) : "malformed_structure";
    return { name, arguments: args, argumentsText, id, status };
  };
}

/** Reads arguments that are JSON text by themselves, the name being known from elsewhere. */
export function jsonArguments(text: string): Pick<CallReading, "arguments" | "argumentsText"> & {
  readonly status: "ok" | "invalid_json" | "malformed_structure";
} {
  const value = parsePlainJson(text);
  if (value === undefined) return { arguments: null, argumentsText: null, status: "invalid_json" };
  return { arguments: value, argumentsText: pythonStrip(text), status: isObject(value) ? "ok" : "malformed_structure" };
}

/** Does this text end inside a JSON string? */
export function endsInJsonString(text: string): boolean {
  let inside = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inside && code === 0x5c) at++;
    else if (code === 0x22) inside = !inside;
  }
  return inside;
}

function memberText(text: string, field: string): string | null {
  const range = jsonMembers(text).get(field);
  return range ? text.slice(range[0], range[1]) : null;
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** The value as plain JavaScript; undefined where the text is no JSON. `NaN` and `Infinity` are read as Python's json does. */
export function parsePlainJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const lenient = tryParseJson(text);
    return lenient.ok ? toPlain(lenient.value) : undefined;
  }
}
