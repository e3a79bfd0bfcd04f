import { parseArgs } from "node:util";
import { analyze } from "../../autoparser/index.ts";
import { type Evidence, type ProbeVariant, probeRenders } from "../../autoparser/report/evidence.ts";
import { type CommandIo, processIo } from "../template/commandIo.ts";
import { onePath } from "../template/commandOptions.ts";
import { type Paint, painter } from "../template/paint.ts";
import { type NamedTemplate, templatesAt } from "./openAnalysed.ts";
import { templateVariables } from "./templateVariables.ts";

export const debugUsage = `tito debug-template PATH [--name NAME] [--only VARIANT] [--kwargs JSON] [--json]

Renders the conversations that the analysis of a template rests on, and shows where two that differ in one thing differ in
their text. PATH is a .jinja file, a tokenizer's directory, a tokenizer_config.json or a .gguf.

  --name NAME      one of several templates; default the first
  --only VARIANT   this conversation alone (one_call, reasoning …), and its comparisons
  --kwargs JSON    the template's variables: '{"enable_thinking": false}'
  --json           { name, variants: [{ name, about, text }], comparisons }

Exit code 1 when the template refuses every conversation.`;

/** @throws TitoError `usage`, `template_syntax`, and what reading templates throws */
export async function debugCommand(args: readonly string[], io: CommandIo = processIo()): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: "string" },
      only: { type: "string" },
      kwargs: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.write(`${debugUsage}\n`);
    return 0;
  }
  const [template] = (await templatesAt(onePath(positionals, debugUsage), values.name)) as [NamedTemplate];
  const kwargs = values.kwargs === undefined ? {} : { templateKwargs: templateVariables(values.kwargs, debugUsage) };
  const options = { ...template.options, ...kwargs };
  const found = probeRenders(template.text, analyze(template.text, options), options);
  const { only } = values;
  const variants = found.variants.filter(({ name }) => only === undefined || name === only);
  const comparisons = found.evidence.filter(({ left, right }) => only === undefined || left === only || right === only);
  if (values.json) io.write(`${JSON.stringify({ name: template.name, variants, comparisons })}\n`);
  else {
    const paint = painter(io.colors);
    const lines = [
      ...variants.flatMap((variant) => [...variantLines(variant, paint), ""]),
      ...comparisons.flatMap((comparison) => comparisonLines(comparison, paint)),
    ];
    io.write(`${lines.join("\n")}\n`);
  }
  return found.variants.some(({ text }) => text !== null) ? 0 : 1;
}

function variantLines({ name, about, text }: ProbeVariant, paint: Paint): string[] {
  const head = `${paint("bold", name)}  ${paint("dim", about)}`;
  if (text === null) return [head, paint("red", "  refused")];
  const lines = text
    .split("\n")
    .map((line, index, all) => `  │ ${line}${index < all.length - 1 ? paint("dim", "⏎") : ""}`);
  return [head, ...lines];
}

/** The two texts under one another from shortly before the place where they part to shortly behind it; `⟦…⟧` is what differs. */
function comparisonLines({ comparison, about, left, right, difference }: Evidence, paint: Paint): string[] {
  const head = `${paint("bold", comparison)} ${about}`;
  if (difference === null) return [head, "  refused", ""];
  const { prefix, suffix } = difference;
  const [before, after] = [tail(prefix), visible(suffix.slice(0, AROUND))];
  const width = Math.max(left.length, right.length);
  const line = (name: string, text: string, style: "red" | "green") =>
    `  ${name.padEnd(width)}  ${before}⟦${paint(style, visible(text))}⟧${after}`;
  return [head, line(left, difference.left, "red"), line(right, difference.right, "green"), ""];
}

const AROUND = 32;
const visible = (text: string): string => text.replaceAll("\n", "⏎");
const tail = (text: string): string => visible(text.slice(-AROUND));
