import { parseArgs } from "node:util";
import { TitoError } from "../../errors.ts";
import { type ChosenTemplate, capabilities, type TemplateCapabilities } from "../../template/index.ts";
import type { CommandIo } from "./commandIo.ts";
import { onePath } from "./commandOptions.ts";
import { type OpenTemplates, openTemplates } from "./openTemplates.ts";
import { type Paint, painter } from "./paint.ts";
import { headingCell } from "./showPieces.ts";
import { table } from "./table.ts";
import { faultLines, type TemplateFault, templateFault } from "./templateFault.ts";

export const capsUsage = `tito template caps PATH [--name NAME] [--json]

Says what the chat templates of a model support. PATH is a tokenizer's directory, a .jinja file, a tokenizer_config.json
or a .gguf.

  --name NAME   this template alone
  --json        { templates: [{ name, source, capabilities, caps }] }; caps has the names of llama.cpp

Exit code 1 when a template cannot be compiled.`;

export async function capsCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.write(`${capsUsage}\n`);
    return 0;
  }
  const templates = await openTemplates(onePath(positionals, capsUsage));
  const checked = checkTemplates(templates, values.name);
  if (values.json) io.write(`${JSON.stringify({ templates: checked.map(templateJson) })}\n`);
  else io.write(`${checkedLines(checked, painter(io.colors)).join("\n")}\n`);
  return checked.some(({ fault }) => fault !== null) ? 1 : 0;
}

/** A template, and what it supports or why it cannot be compiled. */
export interface CheckedTemplate extends ChosenTemplate {
  readonly capabilities: TemplateCapabilities | null;
  readonly fault: TemplateFault | null;
}

/** @throws TitoError `template_missing`, `unknown_template` */
export function checkTemplates(
  { chatTemplates, templateSources, path }: OpenTemplates,
  name?: string,
): CheckedTemplate[] {
  const names = [...chatTemplates.keys()];
  if (name !== undefined && !chatTemplates.has(name)) {
    const there = names.length === 0 ? "There are none" : `There are ${names.join(", ")}`;
    throw new TitoError("unknown_template", `There is no chat template ${JSON.stringify(name)} in ${path}. ${there}.`, {
      details: { name, names },
    });
  }
  if (names.length === 0) {
    throw new TitoError("template_missing", `There is no chat template in ${path}. Pass a .jinja file.`, {
      details: { path },
    });
  }
  return (name === undefined ? names : [name]).map((name) => {
    const template = { name, text: chatTemplates.get(name)!, source: templateSources.get(name)! };
    try {
      return { ...template, capabilities: capabilities(template.text), fault: null };
    } catch (error) {
      const fault = templateFault(error, template);
      if (fault === null) throw error;
      return { ...template, capabilities: null, fault };
    }
  });
}

/** A checked template for `--json`. */
export function templateJson({ name, source, capabilities, fault }: CheckedTemplate): object {
  if (capabilities === null) return { name, source, error: fault };
  const caps = Object.entries(capabilities).map(([key, value]) => [snakeCase(key), value]);
  return { name, source, capabilities, caps: Object.fromEntries(caps) };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A column for each template that compiles, and the errors of the others. */
export function checkedLines(checked: readonly CheckedTemplate[], paint: Paint): string[] {
  const sound = checked.flatMap(({ capabilities, ...rest }) =>
    capabilities === null ? [] : [{ capabilities, ...rest }],
  );
  const faults = checked.flatMap(({ fault }) => (fault === null ? [] : [faultLines({ ...fault })]));
  const fields = Object.keys(sound[0]?.capabilities ?? {}) as (keyof TemplateCapabilities)[];
  const rows = [
    ["", ...sound.map(({ name }) => headingCell(name, paint))],
    ["source", ...sound.map(({ source }) => source)],
    ...fields.map((field) => [field, ...sound.map(({ capabilities }) => answer(capabilities[field], paint))]),
  ];
  const blocks = [...(sound.length > 0 ? [table(rows)] : []), ...faults];
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function answer(value: boolean, paint: Paint) {
  return { text: value ? "yes" : "no", paint: (text: string) => paint(value ? "green" : "dim", text) };
}
