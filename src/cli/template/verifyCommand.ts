import { parseArgs } from "node:util";
import { familyNames } from "../../configs/familyNames.ts";
import type { RendererConfigInput } from "../../configs/index.ts";
import { TitoError } from "../../errors.ts";
import { createRenderer } from "../../renderers/createRenderer.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import {
  type FamilyMatch,
  formatReport,
  type RendererResolution,
  resolveRenderer,
  verifyRenderer,
} from "../../verify/index.ts";
import { checkedLines, checkTemplates, templateJson } from "./capsCommand.ts";
import type { CommandIo } from "./commandIo.ts";
import { onePath } from "./commandOptions.ts";
import { type OpenTemplates, openTemplates, openTokenizer } from "./openTemplates.ts";
import { painter } from "./paint.ts";
import { table } from "./table.ts";

export const verifyUsage = `tito template verify PATH [--family NAME] [--full] [--tokenizer PATH] [--json]

Says which renderer a model gets, and whether that renders as the model's own chat template does. PATH is a tokenizer's
directory or a .gguf. A .jinja file or a tokenizer_config.json by itself is compiled, and its capabilities are shown.

  --family NAME      compare this family (or default) instead of the one that the model's name or template says
  --full             some sixty conversations instead of some eight
  --tokenizer PATH   compare a template's file with this tokenizer
  --json             { model, renderer, by, identical, candidates, report }, or { templates } for a file by itself

Exit code 1 when there is a difference or a template cannot be compiled.`;

export async function verifyCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      family: { type: "string" },
      full: { type: "boolean", default: false },
      tokenizer: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.write(`${verifyUsage}\n`);
    return 0;
  }
  const path = onePath(positionals, verifyUsage);
  const family = values.family === undefined ? undefined : knownFamily(values.family);
  const templates = await openTemplates(path);
  const isAlone = templates.isFile && values.tokenizer === undefined && family === undefined;
  if (isAlone) return checkFile(templates, values.json, io);

  const checked = checkTemplates(templates);
  if (checked.some(({ fault }) => fault !== null)) return checkFile(templates, values.json, io);
  const tokenizer = await openTokenizer(templates, values.tokenizer);
  const resolution = resolveRenderer(tokenizer, family);
  const config = resolution.by === "default" ? resolution.identical?.config : family;
  const renderer = createRenderer(tokenizer, config, { onWarning() {} });
  const report = verifyRenderer(renderer, { level: values.full ? "full" : "quick" });
  if (values.json) {
    const { by, identical, candidates } = resolution;
    const model = tokenizer.nameOrPath ?? null;
    io.write(`${JSON.stringify({ model, renderer: renderer.config.name, by, identical, candidates, report })}\n`);
  } else io.write(`${[...factLines(tokenizer, resolution), "", formatReport(report)].join("\n")}\n`);
  return report.ok ? 0 : 1;
}

function factLines(tokenizer: Tokenizer, resolution: RendererResolution): string[] {
  const { identical, candidates } = resolution;
  const others = candidates.filter(({ family }) => family !== identical?.family).map(({ family }) => family);
  const rows = [
    ["model", tokenizer.nameOrPath ?? "(its files say no name)"],
    ["renderer", rendererText(resolution)],
    ...(identical ? [["identical", identicalText(identical)]] : []),
    ...(others.length > 0 ? [["also", others.join(", ")]] : []),
  ];
  return table(rows);
}

function rendererText({ by, config, identical }: RendererResolution): string {
  if (by === "config") return `${config.name}, as asked for`;
  if (by === "model") return `${config.name}, by the model's name`;
  if (identical === null) return "default: the name is not known, and no family renders as the template does";
  return 'default: the name is not known; { name: "auto", identify: true } takes the family below';
}

function identicalText({ config, sameVariables, otherVariables }: FamilyMatch): string {
  const { name, ...fields } = config;
  const written = Object.keys(fields).length > 0 ? `${name} with ${JSON.stringify(fields)}` : name;
  const same = sameVariables.length > 0 ? `; the same variables: ${sameVariables.join(", ")}` : "";
  const other = otherVariables.length > 0 ? `; variables that differ: ${otherVariables.join(", ")}` : "";
  return `${written}${same}${other}`;
}

/** What can be said of a template without a tokenizer. */
function checkFile(templates: OpenTemplates, json: boolean, io: CommandIo): number {
  const checked = checkTemplates(templates);
  if (json) io.write(`${JSON.stringify({ templates: checked.map(templateJson) })}\n`);
  else io.write(`${checkedLines(checked, painter(io.colors)).join("\n")}\n`);
  for (const { name, capabilities } of checked) {
    if (capabilities === null || capabilities.supportsStringContent || capabilities.supportsTypedContent) continue;
    io.note(`note: ${name} writes nothing that a user says, or refuses every conversation that was tried.`);
  }
  if (checked.some(({ fault }) => fault !== null)) return 1;
  io.note("note: it compiles. To compare a model's renderer with it, name a tokenizer with --tokenizer.");
  return 0;
}

function knownFamily(name: string): RendererConfigInput {
  const names = [...familyNames, "default"];
  if (names.includes(name)) return { name } as RendererConfigInput;
  throw new TitoError("usage", `There is no family ${JSON.stringify(name)}. There are ${names.join(", ")}.`, {
    details: { name, names },
  });
}
