import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { analyze, type TemplateAnalysis } from "../../src/autoparser/index.ts";
import { llamaFields } from "../../src/autoparser/report/llamaFields.ts";
import { compareFields, type FieldComparison, summary } from "../../src/autoparser/report/report.ts";
import { llamaDifferences } from "./llamaDifferences.ts";

export interface AnalysedTemplate {
  readonly name: string;
  readonly analysis: TemplateAnalysis;
  /** llama.cpp's findings beside ours. */
  readonly compared: readonly FieldComparison[];
}

/** The recorded templates, analysed here and by llama.cpp. */
export function analysedTemplates(fixtures: string): AnalysedTemplate[] {
  const files = readdirSync(join(fixtures, "templates")).filter((file) => file.endsWith(".jinja"));
  return files.sort().map((file) => {
    const analysis = analyze(readFileSync(join(fixtures, "templates", file), "utf8"));
    const recorded = JSON.parse(readFileSync(join(fixtures, "llama-cpp", "analysis", `${file}.json`), "utf8"));
    const theirs = { ...recorded.analysis, reasoning_prefill: recorded.reasoning_prefill };
    return { name: file.slice(0, -".jinja".length), analysis, compared: compareFields(llamaFields(analysis), theirs) };
  });
}

/** Fields in which the two differ, but for the one that llama.cpp never sets. */
export const differingFields = ({ compared }: AnalysedTemplate): string[] =>
  compared.filter(({ field, equal }) => !equal && !field.endsWith("nonnull_content")).map(({ field }) => field);

/** A row for each template, as a Markdown table. */
export function analysisTable(templates: readonly AnalysedTemplate[]): string {
  const rows = templates.map((template) => {
    const { reasoning, content, tools } = summary(template.analysis);
    const same = differingFields(template).length === 0;
    const told = template.analysis.limits.some(({ code }) => code === "told_format") ? " (told in words)" : "";
    const why = llamaDifferences[template.name]?.why ?? "";
    return [template.name, reasoning, content, `${tools}${told}`, same ? "yes" : "no", same ? "" : why];
  });
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    line(["template", "reasoning", "content", "calls", "as llama.cpp", "because"]),
    "|---|---|---|---|---|---|",
    ...rows.map(line),
  ].join("\n");
}
