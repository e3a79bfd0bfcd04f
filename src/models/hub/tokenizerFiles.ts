import { TitoError } from "../../errors.ts";
import { fetchFile } from "./fetchFile.ts";
import { type FetchOptions, openRepo, type Repo } from "./repo.ts";

/** What holds a vocabulary; the first that is there counts. */
export const VOCABULARIES: readonly string[] = ["tokenizer.json", "tiktoken.model", "tokenizer.model"];

/** What says more of a tokenizer: special tokens, chat templates. */
const BESIDE = /^(?:tokenizer_config|special_tokens_map|chat_template)\.json$|^chat_template\.jinja$/;
const TEMPLATES = /^(?:additional_chat_templates|chat_templates)\/[^/.][^/]*\.jinja$/;

/**
 * Fetches what a tokenizer is loaded from into the cache, or finds it there.
 *
 * @returns the directory that the files are in
 * @throws TitoError as `hubModel`; `hub_gated`, `hub_offline`, `file_not_found` for a model without such files;
 *   `download_corrupt`, `disk_full`, `cache_locked`, `cache_unusable`
 */
export async function fetchTokenizerFiles(id: string, options: FetchOptions = {}): Promise<string> {
  const repo = await openRepo(id, options);
  const vocabulary = VOCABULARIES.map((name) => repo.files.find((file) => file.name === name)).find(Boolean);
  if (vocabulary === undefined) throw withoutTokenizer(repo);
  const files = [vocabulary, ...repo.files.filter(({ name }) => BESIDE.test(name) || TEMPLATES.test(name))];
  // Nothing goes on behind a failure, so that no lock is held when this has thrown.
  const fetched = await Promise.allSettled(files.map((file) => fetchFile(repo, file)));
  for (const one of fetched) if (one.status === "rejected") throw one.reason;
  return repo.cache.directory(repo.commit);
}

function withoutTokenizer({ id, files }: Repo): TitoError {
  const hasGguf = files.some(({ name }) => /\.gguf$/i.test(name));
  const remedy = hasGguf
    ? "It has .gguf files: fetch one (`tito model fetch`, fetchModel) and pass its path."
    : "Name the model that it was made from, or pass a directory.";
  return new TitoError("file_not_found", `There is none of ${VOCABULARIES.join(", ")} in ${id}. ${remedy}`, {
    details: { id },
  });
}
