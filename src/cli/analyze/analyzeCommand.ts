import { parseArgs } from "node:util";
import { type AnalyzeOptions, analyze, type TemplateAnalysis } from "../../autoparser/index.ts";
import { type ProbeRenders, probeRenders } from "../../autoparser/report/evidence.ts";
import { llamaFields } from "../../autoparser/report/llamaFields.ts";
import { summary } from "../../autoparser/report/report.ts";
import { TitoError } from "../../errors.ts";
import { type CommandIo, processIo } from "../template/commandIo.ts";
import { onePath } from "../template/commandOptions.ts";
import { type Paint, painter } from "../template/paint.ts";
import { headingCell } from "../template/showPieces.ts";
import { type Cell, table } from "../template/table.ts";
import { analysisLines } from "./analysisLines.ts";
import { type NamedTemplate, templatesAt } from "./openAnalysed.ts";
import { templateVariables } from "./templateVariables.ts";

export const analyzeUsage = `tito analyze PATH [--name NAME] [--kwargs JSON] [--json] [--trace]

Says how a chat template writes responses: reasoning, content and tool calls, with the renders that show it, what of it could
not be proven, and how many responses of the template's own are read back. PATH is a .jinja file, a tokenizer's directory, a
tokenizer_config.json or a .gguf; for a directory of templates there is one line each.

  --name NAME    this template alone
  --kwargs JSON  the template's variables: '{"enable_thinking": false}'
  --json         { templates: [{ name, analysis, llama, evidence } or { name, error }] }; llama has the names of llama.cpp
  --trace        writes every render and every comparison to the standard error

Exit code 1 when a template cannot be read, or writes responses that are not read as they were said.`;

/** @throws TitoError `usage`, and what reading templates throws */
export async function analyzeCommand(args: readonly string[], io: CommandIo = processIo()): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: "string" },
      kwargs: { type: "string" },
      json: { type: "boolean", default: false },
      trace: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.write(`${analyzeUsage}\n`);
    return 0;
  }
  const chosen = await templatesAt(onePath(positionals, analyzeUsage), values.name);
  const kwargs = values.kwargs === undefined ? {} : { templateKwargs: templateVariables(values.kwargs, analyzeUsage) };
  const trace = values.trace ? { log: traceTo(io) } : {};
  const results = chosen.map((template) =>
    analysed(template, { ...template.options, ...kwargs, ...trace }, io, values.trace),
  );
  const paint = painter(io.colors);
  if (values.json) io.write(`${JSON.stringify({ templates: results.map(resultJson) })}\n`);
  else if (results.length === 1) io.write(`${detailLines(results[0]!, paint).join("\n")}\n`);
  else io.write(`${overviewLines(results, paint).join("\n")}\n`);
  return results.some(isBad) ? 1 : 0;
}

interface Analysed {
  readonly template: NamedTemplate;
  readonly found: { readonly analysis: TemplateAnalysis; readonly renders: ProbeRenders } | null;
  readonly error: string | null;
}

/** A template that cannot be read is a line of the result; whatever else is wrong is thrown. */
function analysed(template: NamedTemplate, options: AnalyzeOptions, io: CommandIo, trace: boolean): Analysed {
  try {
    const analysis = analyze(template.text, options);
    const renders = probeRenders(template.text, analysis, { ...options, log: undefined });
    if (trace) for (const one of renders.evidence) io.note(JSON.stringify({ comparison: one }));
    return { template, found: { analysis, renders }, error: null };
  } catch (error) {
    if (!(error instanceof TitoError)) throw error;
    return { template, found: null, error: error.message };
  }
}

/** One line a render. */
function traceTo(io: CommandIo): NonNullable<AnalyzeOptions["log"]> {
  return ({ messages, options: { tools, prompt, filled, variables }, text }) => {
    const asked = { messages, tools: tools?.length ?? 0, prompt, filled, variables };
    io.note(JSON.stringify({ render: asked, text }));
  };
}

const isBad = ({ found }: Analysed): boolean =>
  found === null || found.analysis.limits.some(({ code }) => code === "misread");

function resultJson({ template: { name }, found, error }: Analysed): object {
  if (found === null) return { name, error };
  const { analysis, renders } = found;
  return { name, analysis, llama: llamaFields(analysis), evidence: renders.evidence };
}

function detailLines({ template, found, error }: Analysed, paint: Paint): string[] {
  if (found === null) return [paint("red", `${template.name}: ${error}`)];
  return analysisLines(template, found.analysis, found.renders, paint);
}

/** One line for each template: reading it back, calls, reasoning, limits. */
function overviewLines(results: readonly Analysed[], paint: Paint): string[] {
  const heading = ["template", "read", "format", "reasoning", "limits"].map((text) => headingCell(text, paint));
  const rows = results.map(({ template: { name }, found, error }): (string | Cell)[] => {
    if (found === null)
      return [name, { text: "–", paint: (text) => paint("red", text) }, "–", "–", error!.split("\n", 1)[0]!];
    const { analysis } = found;
    const { probes, failed } = analysis.check;
    const limits = analysis.limits.map(({ code }) => code).filter((code) => code !== "not_written");
    return [
      name,
      {
        text: `${probes.length - failed}/${probes.length}`,
        paint: (text) => paint(failed > 0 ? "red" : "green", text),
      },
      analysis.hypothesis ?? "none",
      analysis.layout.reasoning === null ? "none" : summary(analysis, (text) => text).reasoning.split(";")[0]!,
      limits.length === 0 ? "" : limits.join(", "),
    ];
  });
  return table([heading, ...rows]);
}
