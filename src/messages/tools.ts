import type { ToolEnvelope, ToolFunction, ToolSpec } from "./types.ts";

/** The `function` of a tool, whether it comes in the OpenAI envelope or flat. */
export function toolFunction(tool: ToolSpec): ToolFunction {
  return isEnvelope(tool) ? tool.function : tool;
}

export function toolName(tool: ToolSpec): string {
  return toolFunction(tool).name;
}

function isEnvelope(tool: ToolSpec): tool is ToolEnvelope {
  return typeof tool.function === "object" && tool.function !== null;
}
