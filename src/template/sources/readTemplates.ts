import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { TitoError } from "../../errors.ts";
import { readGgufHeader } from "../../models/gguf/header.ts";
import { readDirectoryConfig, readDirectoryTemplates, templatesOfJson } from "./directory.ts";
import { ggufSpecialTokens, ggufTemplates } from "./gguf.ts";
import { templatesFrom } from "./layers.ts";
import { readOptionalJson, readOptionalText } from "./optionalFile.ts";
import { invalidField } from "./templateField.ts";
import type { ChatTemplates } from "./types.ts";

export interface TemplateFacts extends ChatTemplates {
  /** Content of the special tokens by the names of the template's variables: `bos_token`, `eos_token` …; empty if unknown. */
  readonly specialTokens: ReadonlyMap<string, string>;
}

export interface ReadTemplatesOptions {
  /** Ends reading with an `aborted` error. */
  readonly signal?: AbortSignal | undefined;
}

/** Files that stand for their directory. */
const VOCABULARIES = ["tokenizer.json", "tokenizer.model", "tiktoken.model"];

/**
 * The chat templates of a model, and the special tokens that they see, without its vocabulary: of a tokenizer's directory,
 * a `.gguf`, a `tokenizer_config.json` or `chat_template.json`, or of a template's own file (`.jinja`, or any other text),
 * whose special tokens are those of a `tokenizer_config.json` beside it. A model without templates gives empty maps.
 *
 * @throws TitoError `file_not_found`, `tokenizer_invalid`, `invalid_gguf`, `aborted`
 * @example
 * const templates = await readTemplates("models/qwen3-8b");
 * const { text } = chooseTemplate(templates, { tools: true });
 */
export async function readTemplates(path: string, { signal }: ReadTemplatesOptions = {}): Promise<TemplateFacts> {
  if (signal?.aborted) throw new TitoError("aborted", "Reading templates was aborted.", { cause: signal.reason });
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    throw new TitoError(
      "file_not_found",
      `There is nothing at ${path}. Pass a tokenizer's directory, its tokenizer_config.json, a .jinja or a .gguf.`,
      { details: { path } },
    );
  }
  if (stat.isDirectory()) return factsOf(path, signal);
  if (VOCABULARIES.includes(basename(path))) return factsOf(dirname(path), signal);
  if (path.endsWith(".gguf")) {
    const { metadata } = readGgufHeader(path);
    return { ...ggufTemplates(metadata), specialTokens: ggufSpecialTokens(metadata) };
  }
  return readFile(path, signal);
}

async function factsOf(directory: string, signal: AbortSignal | undefined): Promise<TemplateFacts> {
  const config = await readDirectoryConfig(directory, signal);
  const templates = await readDirectoryTemplates(directory, config, signal);
  return { ...templates, specialTokens: config.specialTokens };
}

async function readFile(path: string, signal: AbortSignal | undefined): Promise<TemplateFacts> {
  const templates = path.endsWith(".json") ? await readJson(path, signal) : await readText(path, signal);
  const { specialTokens } = await readDirectoryConfig(dirname(path), signal);
  return { ...templates, specialTokens };
}

async function readText(path: string, signal: AbortSignal | undefined): Promise<ChatTemplates> {
  return templatesFrom("file", new Map([["default", (await readOptionalText(path, signal)) ?? ""]]));
}

/** A tokenizer's config may have its templates elsewhere; any other JSON without one is a mistake. */
async function readJson(path: string, signal: AbortSignal | undefined): Promise<ChatTemplates> {
  const json = (await readOptionalJson(path, signal)) ?? {};
  if (basename(path) === "tokenizer_config.json") return templatesOfJson(json, "tokenizer_config.json");
  if (!Object.hasOwn(json, "chat_template")) throw invalidField(`${basename(path)}: chat_template`, "is missing");
  return templatesOfJson(json, "chat_template.json");
}
