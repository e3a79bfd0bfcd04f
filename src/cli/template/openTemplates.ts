import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { TitoError } from "../../errors.ts";
import { readTemplates, type TemplateFacts } from "../../template/index.ts";
import { loadTokenizer } from "../../tokenizer/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";

/** The templates at a path of the command line. */
export interface OpenTemplates extends TemplateFacts {
  readonly path: string;
  /** The path is a file of templates alone, without a vocabulary. */
  readonly isFile: boolean;
}

/** @throws TitoError as `readTemplates` does */
export async function openTemplates(path: string): Promise<OpenTemplates> {
  return { ...(await readTemplates(path)), path, isFile: isTemplateFile(path) };
}

/**
 * The tokenizer that goes with templates: a directory's or a vocabulary's own, a template's file the one beside it. `from`
 * names another. Where the path is a template's file, the tokenizer has that template.
 *
 * @throws TitoError as `loadTokenizer` does
 */
export async function openTokenizer(templates: OpenTemplates, from: string | undefined): Promise<Tokenizer> {
  const { path, isFile, chatTemplates: chatTemplate } = templates;
  if (!isFile) return loadTokenizer(from ?? path, from === undefined ? {} : { chatTemplate });
  try {
    return await loadTokenizer(from ?? dirname(path), { chatTemplate });
  } catch (error) {
    if (from !== undefined || !(error instanceof TitoError) || error.code !== "file_not_found") throw error;
    throw new TitoError("file_not_found", `There is no tokenizer beside ${path}. Name one with --tokenizer.`, {
      details: { path },
      cause: error,
    });
  }
}

function isTemplateFile(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return false;
  return !path.endsWith(".gguf") && !["tokenizer.json", "tokenizer.model", "tiktoken.model"].includes(basename(path));
}
