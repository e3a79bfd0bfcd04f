import { TitoError } from "../../errors.ts";
import { capabilities } from "../../template/index.ts";
import { ggufTemplates } from "../../template/sources/gguf.ts";
import { readGgufHeader } from "../gguf/index.ts";
import { llamaCaps, templateForTools } from "./templateInfo.ts";
import type { ModelInfo } from "./types.ts";

/**
 * How much of tool calling a model's template has to have. `"both"`: it tells the model of tools, and writes calls.
 * `"describe"`: it tells of tools; calls are read by a format of one's own. `"none"`: nothing.
 */
export type ToolRequirement = "both" | "describe" | "none";

export const toolRequirements: readonly string[] = ["both", "describe", "none"] satisfies ToolRequirement[];

/**
 * Refuses a model whose template lacks what is required of it.
 *
 * @throws TitoError `tools_unsupported`, `details.missing` is the list of `caps` that are false; `invalid_config` for another level
 * @example
 * requireTools(await modelInfo("model.gguf"), "both");
 */
export function requireTools({ caps }: Pick<ModelInfo, "caps">, level: ToolRequirement, model = "The model"): void {
  if (!toolRequirements.includes(level)) {
    throw new TitoError(
      "invalid_config",
      `requireTools: expected ${toolRequirements.map((name) => `"${name}"`).join(", ")}, found ${JSON.stringify(level)}.`,
      { details: { field: "requireTools", expected: toolRequirements, actual: level } },
    );
  }
  const required =
    level === "both" ? (["supports_tools", "supports_tool_calls"] as const) : (["supports_tools"] as const);
  const missing = level === "none" ? [] : required.filter((name) => !caps[name]);
  if (missing.length === 0) return;
  const facts = missing.map((name) => (name === "supports_tools" ? "does not describe tools" : "writes no tool calls"));
  throw new TitoError(
    "tools_unsupported",
    `${model} is refused: its chat template ${facts.join(" and ")} (${missing.map((name) => `${name}=false`).join(", ")}). ` +
      "Use a model whose template has tools, or lower requireTools.",
    { details: { missing, required: level, caps } },
  );
}

/**
 * As `requireTools`, for a model's file: its header is read, and for `"none"` not even that.
 *
 * @throws TitoError `tools_unsupported`, `file_not_found`, `invalid_gguf`, `template_syntax`
 */
export function requireToolsOfFile(path: string, level: ToolRequirement): void {
  if (level === "none") return;
  const template = templateForTools(ggufTemplates(readGgufHeader(path).metadata));
  requireTools({ caps: llamaCaps(capabilities(template)) }, level, path);
}
