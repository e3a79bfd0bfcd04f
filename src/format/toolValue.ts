import { type JsonInput, parseJson, type ToolSpec, toolFunction } from "../messages/index.ts";

/** A tool as templates print it: as it was given, with a schema that came as JSON text read. */
export function toolValue(tool: ToolSpec): JsonInput {
  const fn = toolFunction(tool);
  if (typeof fn.parameters !== "string") return tool as JsonInput;
  const read = { ...fn, parameters: parseJson(fn.parameters) } as JsonInput;
  return fn === tool ? read : ({ ...tool, function: read } as JsonInput);
}
