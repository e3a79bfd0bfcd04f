import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fillTemplates, isOpen, noTemplates, templatesFrom } from "./layers.ts";
import { readOptionalJson, readOptionalText } from "./optionalFile.ts";
import { readSpecialTokens } from "./specialTokens.ts";
import { readTemplateField } from "./templateField.ts";
import type { ChatTemplates, TemplateSource } from "./types.ts";

export interface DirectoryConfig {
  /** The value of `tokenizer_config.json`; empty where there is none. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly specialTokens: ReadonlyMap<string, string>;
}

/** Folders of further templates, each named by its file: transformers' name first. */
const FOLDERS = ["additional_chat_templates", "chat_templates"] as const;

/** What a model's directory says beside vocabulary and templates. Throws TitoError `tokenizer_invalid`, `aborted`. */
export async function readDirectoryConfig(
  directory: string,
  signal: AbortSignal | undefined,
): Promise<DirectoryConfig> {
  const config = (await readOptionalJson(join(directory, "tokenizer_config.json"), signal)) ?? {};
  // Models that are older than `added_tokens_decoder` have a file of its own for these, which wins.
  const isLegacy = !Object.hasOwn(config, "added_tokens_decoder");
  const map = isLegacy ? await readOptionalJson(join(directory, "special_tokens_map.json"), signal) : undefined;
  return { config, specialTokens: readSpecialTokens({ ...config, ...map }) };
}

/**
 * The templates in a model's directory: template files stand before `chat_template.json`, and this before the config.
 * `known` stands before all; where it has a default, no file is looked at.
 *
 * @throws TitoError `tokenizer_invalid`, `aborted`
 */
export async function readDirectoryTemplates(
  directory: string,
  { config }: DirectoryConfig,
  signal: AbortSignal | undefined,
  known: ChatTemplates = noTemplates,
): Promise<ChatTemplates> {
  let templates = known;
  if (isOpen(templates)) templates = fillTemplates(templates, await templateFiles(directory, signal));
  if (isOpen(templates)) {
    const json = await readOptionalJson(join(directory, "chat_template.json"), signal);
    templates = fillTemplates(templates, templatesOfJson(json ?? {}, "chat_template.json"));
  }
  if (isOpen(templates)) templates = fillTemplates(templates, templatesOfJson(config, "tokenizer_config.json"));
  return templates;
}

/** The templates in a JSON file of one of these names. */
export function templatesOfJson(
  json: Readonly<Record<string, unknown>>,
  source: TemplateSource & `${string}.json`,
): ChatTemplates {
  return templatesFrom(source, readTemplateField(json.chat_template, `${source}: chat_template`));
}

/** A `default.jinja` of a folder stands before `chat_template.jinja`, as in transformers. */
async function templateFiles(directory: string, signal: AbortSignal | undefined): Promise<ChatTemplates> {
  let templates = noTemplates;
  for (const folder of FOLDERS) {
    const texts = await readFolder(join(directory, folder), signal);
    templates = fillTemplates(templates, templatesFrom(folder, texts));
  }
  const text = await readOptionalText(join(directory, "chat_template.jinja"), signal);
  const single = templatesFrom("chat_template.jinja", readTemplateField(text, "chat_template.jinja"));
  return fillTemplates(templates, single);
}

async function readFolder(folder: string, signal: AbortSignal | undefined): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const file of await list(folder)) {
    const text = await readOptionalText(join(folder, file), signal);
    if (text !== undefined) texts.set(file.slice(0, -".jinja".length), text);
  }
  return texts;
}

/** Sorted, so that messages are alike on every machine. Hidden files are other programs'. */
async function list(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
    return files.filter((name) => name.endsWith(".jinja") && !name.startsWith(".")).sort();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
