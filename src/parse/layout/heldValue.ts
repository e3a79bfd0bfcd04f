import {
  type JsonInput,
  type JsonValue,
  pythonJson,
  pythonLiteral,
  pythonStrip,
  quoteJson,
  tryParseJson,
} from "../../messages/index.ts";
import { typeOfJson } from "../calls/schemaTypes.ts";
import type { KnownTool } from "../types.ts";

export interface HeldValue {
  /** JSON text. */
  readonly json: string;
  readonly status: "ok" | "ambiguous_arguments" | "invalid_json";
}

/** An argument's schema, where the tool has one. */
export function argumentSchema(tool: KnownTool | undefined, key: string): JsonInput | undefined {
  const { parameters } = tool ?? {};
  const schema = typeof parameters === "string" ? parsed(parameters) : parameters;
  return member(member(schema, "properties"), key);
}

function parsed(text: string): JsonInput | undefined {
  const read = tryParseJson(text);
  return read.ok ? read.value : undefined;
}

/** A member of an object, however that is held. */
export function member(value: JsonInput | undefined, key: string): JsonInput | undefined {
  if (value instanceof Map) return value.get(key);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, JsonInput>)[key] : undefined;
}

/**
 * The value that a piece of text stands for, by its schema's types (null: unknown). `isText`: the form can be a string without
 * quotes.
 */
export function heldValue(text: string, types: ReadonlySet<string> | null, isText: boolean): HeldValue {
  const asString = (status: HeldValue["status"]): HeldValue => ({ json: quoteJson(text, false), status });
  const maybeString = isText && (types === null || types.has("string"));
  if (maybeString && types?.size === 1) return asString("ok");
  const json = tryParseJson(text);
  const value: JsonValue | undefined = json.ok ? json.value : (pythonLiteral(text) ?? loose(text, types));
  const allowsText = types?.has("string") === true;
  if (value === undefined) return asString(maybeString || allowsText ? "ok" : "invalid_json");
  if (typeof value === "string" && maybeString) return asString("ok");
  const asValue = json.ok ? pythonStrip(text) : pythonJson(value);
  if (!maybeString) return { json: asValue, status: "ok" };
  return types === null || types.has(typeOfJson(value))
    ? { json: asValue, status: "ambiguous_arguments" }
    : asString("ok");
}

/** Words in another spelling, where the schema leaves no doubt. */
function loose(text: string, types: ReadonlySet<string> | null): JsonValue | undefined {
  const word = pythonStrip(text).toLowerCase();
  if (types?.has("boolean") && (word === "true" || word === "false")) return word === "true";
  if (types?.has("null") && (word === "null" || word === "none")) return null;
  return undefined;
}
