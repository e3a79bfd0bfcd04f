import { type ConversationToolCall, type JsonInput, JsonNumber, pythonJson, pythonStr } from "../messages/index.ts";
import { argumentEntries } from "./callArguments.ts";
import { writeFunctionXml } from "./functionXml.ts";

/** How a value is printed that is neither a string nor an object nor an array: `True`, `None`, or `true`, `null`. */
export type ScalarPrinting = "python" | "json";

/**
 * A value as templates put it into text: a string is itself, objects and arrays are JSON (by `json`), and the rest is what
 * Python's `str` prints.
 */
export function printedValue(value: JsonInput, json: (value: JsonInput) => string = pythonJson): string {
  return isContainer(value) ? json(value) : pythonStr(value);
}

/** A call with its markers. Arguments that are no JSON object are left out. */
export function functionCallText(
  { name, ...call }: Pick<ConversationToolCall, "name" | "arguments">,
  scalars: ScalarPrinting,
): string {
  const entries = argumentEntries(call) ?? [];
  const print = (value: JsonInput) =>
    scalars === "python" || typeof value === "string" ? printedValue(value) : pythonJson(value);
  return writeFunctionXml(
    name,
    entries.map(([key, value]) => [key, print(value)] as const),
  );
}

const isContainer = (value: JsonInput): boolean =>
  typeof value === "object" && value !== null && !(value instanceof JsonNumber);
