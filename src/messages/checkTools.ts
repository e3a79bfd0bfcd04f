import { objectProblem } from "./checkArguments.ts";
import { isRecord, toolError } from "./messageError.ts";
import type { ToolSpec, Validation } from "./types.ts";

/**
 * Checks tools, in the OpenAI envelope or flat. `details` holds `{ tool, field, expected, actual }`. A name may be defined
 * twice (the last one counts).
 *
 * @throws TitoError `invalid_tool`
 */
export function checkTools(tools: readonly ToolSpec[], options: { readonly validate: Validation }): void {
  if (!Array.isArray(tools)) {
    const remedy = "Pass an array, also for a single tool.";
    throw toolError({ index: -1, field: "tools", expected: "an array of tools", actual: tools, remedy });
  }
  const strict = options.validate === "strict";
  for (let index = 0; index < tools.length; index++) checkTool(tools[index], index, strict);
}

function checkTool(tool: unknown, index: number, strict: boolean): void {
  const fail = (field: string, expected: string, actual: unknown, remedy: string) =>
    toolError({ index, field, expected, actual, remedy });
  const at = `tools[${index}]`;
  const shape = 'Pass { type: "function", function: { name, description, parameters } }.';
  if (!isRecord(tool)) {
    const remedy = tool instanceof Map ? "Turn parsed JSON into tools with toolsFromJson." : shape;
    throw fail(at, "an object", tool, remedy);
  }
  if (!strict) return;
  const envelope = tool.function !== undefined;
  if (tool.type !== undefined && tool.type !== "function") {
    throw fail(`${at}.type`, '"function"', tool.type, "Only function tools can be rendered.");
  }
  const path = envelope ? `${at}.function` : at;
  const fn = envelope ? tool.function : tool;
  if (!isRecord(fn)) throw fail(path, "an object", fn, shape);
  if (typeof fn.name !== "string" || fn.name === "") throw fail(`${path}.name`, "a name", fn.name, "Name the tool.");
  if (fn.description !== undefined && fn.description !== null && typeof fn.description !== "string") {
    throw fail(`${path}.description`, "a string", fn.description, "Describe the tool in text, or leave the field out.");
  }
  if (fn.parameters === undefined || fn.parameters === null) return;
  const problem = objectProblem(fn.parameters);
  if (problem === undefined) return;
  const remedy = `${problem} For a tool without parameters leave the field out.`;
  throw fail(`${path}.parameters`, "a JSON Schema object, as a value or as text", fn.parameters, remedy);
}
