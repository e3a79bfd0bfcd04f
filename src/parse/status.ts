import type { KnownTool, ToolCallStatus } from "./types.ts";

/** The status of a well-formed call: no name is unknown where no tools were given. */
export function knownStatus(name: string, tools: ReadonlyMap<string, KnownTool> | null): ToolCallStatus {
  return tools === null || tools.has(name) ? "ok" : "unknown_tool";
}
