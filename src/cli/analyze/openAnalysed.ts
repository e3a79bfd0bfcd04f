import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { AnalyzeOptions } from "../../autoparser/index.ts";
import { TitoError } from "../../errors.ts";
import { openTemplates } from "../template/openTemplates.ts";

/** A template to analyse, and what its model says about it. */
export interface NamedTemplate {
  /** The template's name in its model, or the file's. */
  readonly name: string;
  readonly text: string;
  readonly options: Pick<AnalyzeOptions, "specialTokens" | "ends">;
}

/**
 * The templates at a path: of a file or a model, or all `.jinja` files of a directory; or the one with a name.
 *
 * @throws TitoError `template_missing`, `unknown_template`, and as `readTemplates` does
 */
export async function templatesAt(path: string, name?: string): Promise<NamedTemplate[]> {
  const all = await everyTemplate(path);
  if (name === undefined) return all;
  const names = all.map((one) => one.name);
  const chosen = all.filter((one) => one.name === name);
  if (chosen.length > 0) return chosen;
  throw new TitoError(
    "unknown_template",
    `There is no chat template ${JSON.stringify(name)} in ${path}. There are ${names.join(", ")}.`,
    { details: { name, names } },
  );
}

async function everyTemplate(path: string): Promise<NamedTemplate[]> {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const found: NamedTemplate[] = [];
  try {
    const { chatTemplates, specialTokens } = await openTemplates(path);
    const options = specialTokens.size > 0 ? { specialTokens, ends: endsOf(specialTokens) } : {};
    const isNamed = chatTemplates.size > 1 || isDirectory;
    for (const [name, text] of chatTemplates) found.push({ name: isNamed ? name : basename(path), text, options });
  } catch (error) {
    if (!isDirectory || !(error instanceof TitoError)) throw error;
  }
  if (isDirectory) {
    const models = new Set(found.map(({ text }) => text));
    const files = readdirSync(path, { withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name.endsWith(".jinja"),
    );
    for (const { name } of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const text = readFileSync(join(path, name), "utf8");
      if (!models.has(text)) found.push({ name, text, options: found[0]?.options ?? {} });
    }
  }
  if (found.length > 0) return found;
  throw new TitoError("template_missing", `There is no chat template in ${path}. Pass a .jinja file.`, {
    details: { path },
  });
}

const endsOf = (tokens: ReadonlyMap<string, string>): string[] =>
  [tokens.get("eos_token")].filter((token) => token !== undefined);
