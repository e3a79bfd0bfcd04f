import type { TemplateCapabilities } from "../../template/index.ts";
import type { LayoutCandidate } from "../findings/findLayout.ts";
import type { SelfCheck } from "./selfCheck.ts";

/**
 * What the analysis of a template cannot vouch for:
 * - `tool_format_unknown`: the template writes calls in a way that no hypothesis reads; responses are read as content
 * - `tools_unsupported`: the template never writes calls, and tells the model of no format for them
 * - `told_format`: the prompt tells the model of the format, but no render proves it
 * - `misread`: these probes were not read as they were said
 * - `inexact`: these probes were read well, but the layout writes them in other characters
 * - `not_written`: the template leaves these parts of a response out
 */
export type LimitCode =
  | "tool_format_unknown"
  | "tools_unsupported"
  | "told_format"
  | "misread"
  | "inexact"
  | "not_written";

export interface Limit {
  readonly code: LimitCode;
  readonly message: string;
  /** Names of the probes, or of the parts, that it is about. */
  readonly about: readonly string[];
}

export function limitsOf(
  { layout, hypothesis, told }: LayoutCandidate,
  { probes }: SelfCheck,
  { supportsToolCalls }: TemplateCapabilities,
): Limit[] {
  const limits: Limit[] = [];
  const add = (code: LimitCode, message: string, about: readonly string[] = []) =>
    limits.push({ code, message, about });
  if (layout.calls === null && supportsToolCalls) {
    add(
      "tool_format_unknown",
      "The template writes calls in a format that is not understood; calls are read as content. Register a hypothesis, or override the findings.",
    );
  } else if (layout.calls === null) {
    add(
      "tools_unsupported",
      "The template never writes calls. Ask for the generic format, or use a template for tools.",
    );
  }
  if (told)
    add(
      "told_format",
      `The format (${hypothesis}) is told to the model in words; the template writes no response in it.`,
    );
  const misread = probes.filter(({ wrong }) => wrong.length > 0);
  if (misread.length > 0) {
    const names = misread.map(({ name, wrong }) => `${name} (${wrong.join(", ")})`);
    add(
      "misread",
      `${misread.length} of ${probes.length} probes are not read as they were said: ${names.join("; ")}.`,
      misread.map(({ name }) => name),
    );
  }
  const inexact = probes.filter(({ wrong, exact }) => wrong.length === 0 && !exact).map(({ name }) => name);
  if (inexact.length > 0)
    add(
      "inexact",
      `${inexact.length} of ${probes.length} probes are written in other characters: ${inexact.join(", ")}.`,
      inexact,
    );
  const dropped = probes.filter((probe) => probe.dropped.length > 0);
  const parts = [...new Set(dropped.flatMap(({ name, dropped }) => dropped.map((part) => `${part} in ${name}`)))];
  if (parts.length > 0) add("not_written", `The template leaves out ${parts.join(", ")}.`, parts);
  return limits;
}
