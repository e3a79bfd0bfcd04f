import { type ConversationToolCall, type JsonInput, JsonNumber, pythonJson, pythonStr } from "../messages/index.ts";
import { argumentEntries, argumentTexts } from "./callArguments.ts";
import { writeFunctionXml } from "./functionXml.ts";

/**
 * How a value is printed that is neither a string nor an object nor an array: `True`, `None`, or `true`, `null`; `exact`: all
 * values as they stand in arguments that come as JSON text.
 */
export type ScalarPrinting = "python" | "json" | "exact";

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
  const texts =
    scalars === "python"
      ? argumentEntries(call)?.map(([key, value]) => [key, printedValue(value)] as const)
      : argumentTexts(call, { exact: scalars === "exact" });
  return writeFunctionXml(name, texts ?? []);
}

const isContainer = (value: JsonInput): boolean =>
  typeof value === "object" && value !== null && !(value instanceof JsonNumber);
