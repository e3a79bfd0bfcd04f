import { type JsonValue, tryParseJson } from "../../messages/index.ts";
import { jsonEnd } from "../../parse/calls/jsonEnd.ts";

/** A JSON object in a text: half-open UTF-16 range and value. */
export interface FoundJson {
  readonly start: number;
  readonly end: number;
  readonly value: ReadonlyMap<string, JsonValue>;
}

/** The JSON object that begins at `start`, if one does. */
export function objectAt(text: string, start: number): FoundJson | null {
  if (text[start] !== "{") return null;
  const end = jsonEnd(text, start);
  if (end < 0) return null;
  const read = tryParseJson(text.slice(start, end));
  return read.ok && read.value instanceof Map ? { start, end, value: read.value } : null;
}
