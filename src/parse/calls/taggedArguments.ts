import {
  type JsonInput,
  type JsonValue,
  pythonJson,
  pythonStrip,
  toPlain,
  tryParseJson,
} from "../../messages/index.ts";
import type { CallReading } from "../grammar.ts";
import { knownStatus } from "../status.ts";
import type { KnownTool, ToolCallStatus } from "../types.ts";
import { schemaTypes, typeOfJson } from "./schemaTypes.ts";

export interface TaggedArgumentsOptions {
  /** Also read what Python prints for values that are no text (`True`, `None`, `{'a': 1}`), where the template prints so. */
  readonly literal?: ((text: string) => JsonValue | undefined) | undefined;
}

/**
 * The reading of a call whose arguments are pieces of text with a name each, strings without quotes. The tool's schema says
 * which text is a string; without it a text that is also a JSON value is taken as that value, and the status says so.
 */
export function readTaggedCall(
  name: string,
  entries: Iterable<readonly [name: string, text: string]>,
  tools: ReadonlyMap<string, KnownTool> | null,
  options: TaggedArgumentsOptions = {},
): CallReading {
  const schemas = propertySchemas(tools?.get(name)?.parameters);
  const values = new Map<string, ReadValue>();
  let status: ToolCallStatus = name === "" ? "missing_name" : knownStatus(name, tools);
  for (const [key, text] of entries) {
    const reading = readValue(text, schemaTypes(schemas?.(key)), options);
    values.set(key, reading);
    if (status === "ok" || (status === "ambiguous_arguments" && reading.status === "invalid_json"))
      status = reading.status;
  }
  const plain = toPlain(new Map([...values].map(([key, { value }]) => [key, value])));
  const members = [...values].map(([key, { json }]) => `${pythonJson(key)}: ${json}`);
  return { name: name || null, arguments: plain, argumentsText: `{${members.join(", ")}}`, id: null, status };
}

interface ReadValue {
  readonly value: JsonValue;
  /** The value as JSON, to the letter where the text is JSON. */
  readonly json: string;
  readonly status: "ok" | "ambiguous_arguments" | "invalid_json";
}

function readValue(text: string, types: ReadonlySet<string> | null, { literal }: TaggedArgumentsOptions): ReadValue {
  const asString = (status: ReadValue["status"]): ReadValue => ({ value: text, json: pythonJson(text), status });
  const maybeString = types === null || types.has("string");
  if (maybeString && types?.size === 1) return asString("ok");
  const json = tryParseJson(text);
  const value = json.ok ? json.value : literal?.(text);
  if (value === undefined || typeof value === "string") return asString(maybeString ? "ok" : "invalid_json");
  const asValue = { value, json: json.ok ? pythonStrip(text) : pythonJson(value) };
  if (!maybeString) return { ...asValue, status: "ok" };
  return types === null || types.has(typeOfJson(value))
    ? { ...asValue, status: "ambiguous_arguments" }
    : asString("ok");
}

function propertySchemas(parameters: JsonInput | undefined): ((key: string) => JsonInput | undefined) | undefined {
  const schema = typeof parameters === "string" ? parsed(parameters) : parameters;
  const properties = member(schema, "properties");
  return properties === undefined ? undefined : (key) => member(properties, key);
}

function parsed(text: string): JsonInput | undefined {
  const read = tryParseJson(text);
  return read.ok ? read.value : undefined;
}

function member(value: JsonInput | undefined, key: string): JsonInput | undefined {
  if (value instanceof Map) return value.get(key);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, JsonInput>)[key] : undefined;
}
