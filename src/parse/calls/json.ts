import { pythonStrip, toPlain, tryParseJson } from "../../messages/index.ts";
import type { CallBody, CallReading } from "../grammar.ts";
import { jsonMembers } from "./jsonMembers.ts";

const UNREADABLE: CallReading = {
  name: null,
  arguments: null,
  argumentsText: null,
  id: null,
  status: "invalid_json",
  canonical: false,
};

/**
 * Calls whose body is one JSON object, `{"name": …, "arguments": {…}}`.
 * `write` gives the text that the family's renderer has for a name and the arguments' text: the canonical form.
 */
export function jsonCallBody(options: {
  readonly nameField: string;
  readonly argumentsField: string;
  readonly write: (name: string, argumentsText: string) => string;
}): CallBody {
  return (text, tools) => {
    const value = parse(text);
    if (value === undefined) return UNREADABLE;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { ...UNREADABLE, status: "malformed_structure" };
    const fields = value as Record<string, unknown>;
    const name = fields[options.nameField];
    const canonicalText = typeof name === "string" ? innerText(text, options.write(name, "\0")) : undefined;
    const argumentsText = canonicalText ?? memberText(text, options.argumentsField) ?? "{}";
    const args = Object.hasOwn(fields, options.argumentsField) ? fields[options.argumentsField] : {};
    const id = typeof fields.id === "string" ? fields.id : null;
    if (typeof name !== "string" || name === "")
      return { name: null, arguments: args, argumentsText, id, status: "missing_name", canonical: false };
    const reading = { name, arguments: args, argumentsText, id };
    if (typeof args !== "object" || args === null || Array.isArray(args))
      return { ...reading, status: "malformed_structure", canonical: false };
    const status = tools === null || tools.has(name) ? "ok" : "unknown_tool";
    return { ...reading, status, canonical: canonicalText !== undefined };
  };
}

/** What stands at the frame's NUL when the text has the frame's form, provided that it is one JSON value. */
function innerText(text: string, frame: string): string | undefined {
  const [before, after] = frame.split("\0");
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
  const inner = text.slice(before.length, text.length - after.length);
  return parse(inner) === undefined || pythonStrip(inner) !== inner ? undefined : inner;
}

function memberText(text: string, field: string): string | undefined {
  const range = jsonMembers(text).get(field);
  return range && text.slice(range[0], range[1]);
}

/** The value as plain JavaScript; undefined where the text is no JSON. `NaN` and `Infinity` are read as Python's json does. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const lenient = tryParseJson(text);
    return lenient.ok ? toPlain(lenient.value) : undefined;
  }
}
