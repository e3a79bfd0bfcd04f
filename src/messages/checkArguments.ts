import { type ParseJsonResult, tryParseJson } from "./json/index.ts";
import { JsonNumber } from "./json/types.ts";
import { messageError } from "./messageError.ts";

/** @throws TitoError `invalid_arguments` unless a call's arguments are a JSON object, as a value or as text. */
export function checkArguments(value: unknown, index: number, field: string): void {
  const problem = objectProblem(value);
  if (problem === undefined) return;
  throw messageError({
    code: "invalid_arguments",
    index,
    field,
    expected: "a JSON object, as a value or as text",
    actual: value,
    remedy:
      value === undefined || value === null || value === ""
        ? 'Pass {} or "{}" for a call without arguments.'
        : `${problem} Pass an object, or set validate: "template" to print the arguments as they are.`,
  });
}

/** Why a value is no JSON object (nor the text of one), as a sentence; undefined if it is one. */
export function objectProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return isJsonObject(value) ? undefined : "It is no object.";
  const parsed = parseQuickly(value);
  if (!parsed.ok) return `It is no JSON (line ${parsed.line}, column ${parsed.column}: ${parsed.message}).`;
  return isJsonObject(parsed.value) ? undefined : "It is JSON, but no object.";
}

/**
 * The engine's parser is several times faster than ours, and accepts more in two cases only, which need long texts: deep
 * nesting and long integers.
 */
function parseQuickly(text: string): ParseJsonResult {
  if (text.length > 2000) return tryParseJson(text);
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return tryParseJson(text);
  }
}

function isJsonObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}
