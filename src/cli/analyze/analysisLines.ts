import type { Limit, TemplateAnalysis } from "../../autoparser/index.ts";
import type { Evidence, ProbeRenders } from "../../autoparser/report/evidence.ts";
import { summary } from "../../autoparser/report/report.ts";
import type { Paint } from "../template/paint.ts";
import { pathText } from "../template/showPieces.ts";
import { table } from "../template/table.ts";
import type { NamedTemplate } from "./openAnalysed.ts";

/** An analysis for a person: findings, what shows them, limits, and how the check went. */
export function analysisLines(
  { name, text }: NamedTemplate,
  analysis: TemplateAnalysis,
  { evidence }: ProbeRenders,
  paint: Paint,
): string[] {
  const title = (words: string) => paint("bold", words);
  return [
    title(name),
    ...indented(table(findings(analysis))),
    "",
    title("Evidence: what changes in a render when one thing is said otherwise"),
    ...evidence.flatMap((one) => evidenceLines(one, text, paint)),
    "",
    title("Check: responses that the template wrote"),
    ...indented(checkLines(analysis, paint)),
    "",
    title("Limits"),
    ...indented(analysis.limits.length === 0 ? ["none"] : analysis.limits.map((limit) => limitLine(limit, paint))),
  ];
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
const shown = (text: string): string => JSON.stringify(text);
const list = (texts: readonly string[]): string => (texts.length === 0 ? "none" : texts.map(shown).join(" "));

function findings(analysis: TemplateAnalysis): string[][] {
  const { reasoning, content, tools } = summary(analysis, (text) => text);
  const { hypothesis, header, opened, stops, preservedTokens, manner, layout } = analysis;
  return [
    ["reasoning", reasoning],
    ["content", content],
    ["calls", `${tools}${hypothesis === null ? "" : ` (${hypothesis})`}`],
    ["header", shown(header)],
    ["prompt adds", `${shown(opened.plain)}, thinking on ${shown(opened.on)}, off ${shown(opened.off)}`],
    ["end", `${shown(layout.end)} before ${list(stops)}`],
    ["markers", list(preservedTokens)],
    ["spoken to with", mannerInWords(manner)],
  ];
}

function mannerInWords({
  typed,
  tools,
  filled,
  argumentsAreText,
  reasoningInContent,
  namingIds,
  thinking,
}: TemplateAnalysis["manner"]): string {
  const facts = [
    typed ? "lists of parts" : "strings",
    tools === "as given" ? "" : `tools ${tools}`,
    filled ? "all its variables" : "",
    argumentsAreText ? "arguments as JSON text" : "",
    reasoningInContent ? "reasoning as a part of the content" : "",
    namingIds ? "ids that name the function" : "",
    ...Object.entries(thinking).map(([key, value]) => `${key}=${JSON.stringify(value)}`),
  ];
  return facts.filter((fact) => fact !== "").join(", ");
}

function evidenceLines(
  { comparison, about, shows, left, right, difference, pieces }: Evidence,
  source: string,
  paint: Paint,
): string[] {
  const head = `  ${paint("bold", comparison.padEnd(3))} ${about}: ${left} → ${right}  ${paint("dim", shows.join(", "))}`;
  if (difference === null) return [head, "      refused"];
  if (difference.left === "" && difference.right === "") return [head, "      no difference"];
  const at = `behind ${shown(difference.prefix.slice(-24))}`;
  return [
    head,
    ...(difference.left === "" ? [] : [`      ${paint("red", `- ${shown(difference.left)}`)}`]),
    ...(difference.right === "" ? [] : [`      ${paint("green", `+ ${shown(difference.right)}`)}`]),
    `      ${paint("dim", at)}`,
    ...table(
      pieces.map(({ text, path, at: offset }) => [
        `        ${shown(text)}`,
        `${path === null ? "template" : pathText(path)} ${place(source, offset)}`,
      ]),
    ).map((line) => paint("dim", line)),
  ];
}

/** Line and column from 1. */
function place(source: string, offset: number): string {
  const before = source.slice(0, offset);
  return `${before.split("\n").length}:${offset - before.lastIndexOf("\n")}`;
}

function checkLines({ check: { probes, failed, inexact } }: TemplateAnalysis, paint: Paint): string[] {
  const head = `${probes.length - failed} of ${probes.length} are read as they were said, ${probes.length - inexact} are written again to the letter`;
  const rows = probes
    .filter(({ wrong, exact, dropped }) => wrong.length > 0 || !exact || dropped.length > 0)
    .map(({ name, text, wrong, exact, dropped }) => {
      const facts = [
        wrong.length > 0 ? `misread: ${wrong.join(", ")}` : exact ? "" : "other characters",
        dropped.length > 0 ? `not written: ${dropped.join(", ")}` : "",
      ];
      const style = wrong.length > 0 ? "red" : exact ? "dim" : "yellow";
      return [
        { text: name, paint: (cell: string) => paint(style, cell) },
        facts.filter(Boolean).join("; "),
        shown(text),
      ];
    });
  return [head, ...table(rows)];
}

function limitLine({ code, message }: Limit, paint: Paint): string {
  const style = code === "misread" ? "red" : code === "not_written" ? "dim" : "yellow";
  return `${paint(style, code)}  ${message}`;
}
