import { TitoError } from "../../errors.ts";
import { capabilities } from "../../template/index.ts";
import { ggufTemplates } from "../../template/sources/gguf.ts";
import { warn } from "../../warnings.ts";
import { readGgufHeader } from "../gguf/index.ts";
import { requireTools, type ToolRequirement } from "../info/requireTools.ts";
import { llamaCaps, templateForTools } from "../info/templateInfo.ts";
import type { LlamaCaps } from "../info/types.ts";
import { asideOf, sizeOf } from "./cache.ts";
import { chooseFile } from "./chooseFile.ts";
import type { ProgressHandler } from "./download.ts";
import { type FetchedFile, fetchFile } from "./fetchFile.ts";
import { askForModel } from "./hubModel.ts";
import { checkAccess, type FetchOptions, openRepo, type Repo, type RepoFile } from "./repo.ts";

export interface FetchModelOptions extends FetchOptions {
  /** Path of a `.gguf` inside the repository. Unless set it is chosen by its quantisation. */
  readonly file?: string | undefined;
  /** What the model's chat template has to have; `"both"` unless set, `"none"` takes any model. */
  readonly requireTools?: ToolRequirement | undefined;
  readonly onProgress?: ProgressHandler | undefined;
}

export interface FetchedModel {
  readonly id: string;
  readonly revision: string;
  /** What the revision stood for; null where the hub does not say. */
  readonly commit: string | null;
  /** Path inside the repository. */
  readonly file: string;
  /** Where it is now. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Of its content, as the hub lists it; null where it does not. */
  readonly sha256: string | null;
  /** No byte of it came from the hub in this call. */
  readonly isCached: boolean;
}

/**
 * Fetches a model of a hub into the cache, or finds it there: one `.gguf`, whole, checked, and with tools in its template. One
 * without them is moved aside (`….quarantined`) and can be had with `requireTools: "none"` then, without another download.
 *
 * @throws TitoError as `hubModel`; `hub_gated`, `hub_offline`; `model_file_missing`, `model_ambiguous`, `model_split`;
 *   `download_corrupt`, `disk_full`, `cache_locked`, `cache_unusable`; `tools_unsupported`, `invalid_gguf`, `template_syntax`
 * @example
 * const { path } = await fetchModel("Qwen/Qwen3-0.6B-GGUF");
 * const renderer = createRenderer(await loadTokenizer(path));
 */
export async function fetchModel(id: string, options: FetchModelOptions = {}): Promise<FetchedModel> {
  const { requireTools: level = "both", onProgress } = options;
  // A level that does not exist should be found before a download and not behind it.
  requireTools({ caps: ALL_CAPS }, level);
  const repo = await openRepo(id, options);
  const file = chooseFile(id, repo.files, options.file);
  if (!(await isKept(repo, file))) await prepare(repo, level);
  const accept = (path: string) => judgeModel(path, level, `${file.name} of ${id}`);
  return describe(repo, file, await fetchFile(repo, file, { onProgress, accept }));
}

const ALL_CAPS = { supports_tools: true, supports_tool_calls: true } as LlamaCaps;

async function describe({ id, settings, sha }: Repo, file: RepoFile, found: FetchedFile): Promise<FetchedModel> {
  const { name, checksum } = file;
  return {
    id,
    revision: settings.revision,
    commit: sha,
    file: name,
    path: found.path,
    size: (await sizeOf(found.path)) ?? 0,
    sha256: checksum?.kind === "sha256" ? checksum.hex : null,
    isCached: found.isCached,
  };
}

async function isKept({ cache, commit }: Repo, { name }: RepoFile): Promise<boolean> {
  const path = cache.file(commit, name);
  return (await sizeOf(path)) !== null || (await sizeOf(asideOf(path))) !== null;
}

/** What is to be said before a download. @throws TitoError `hub_gated`, `aborted` */
async function prepare(repo: Repo, level: ToolRequirement): Promise<void> {
  const { id, settings, offline } = repo;
  checkAccess(repo);
  if (level === "none" || offline !== null) return;
  const template = await shownTemplate(repo);
  if (template === null || mentionsTools(template)) return;
  const message =
    `What the hub shows of the chat template of ${id} has no tools. The file is fetched and decides, ` +
    "because a hub shows one template only.";
  warn({ code: "tools_unlikely", message, details: { id, revision: settings.revision } }, repo.onWarning);
}

/** The default template that the hub read; null where it says nothing. Only a hint hangs on it: nothing is tried again. */
async function shownTemplate({ id, settings }: Repo): Promise<string | null> {
  try {
    const { gguf } = await askForModel(id, { ...settings, retries: 0 }, { expand: ["gguf"] });
    if (typeof gguf !== "object" || gguf === null) return null;
    return typeof gguf.chat_template === "string" ? gguf.chat_template : "";
  } catch (error) {
    if (error instanceof TitoError && error.code !== "aborted") return null;
    throw error;
  }
}

const mentionsTools = (template: string): boolean => /\btools\b/.test(template);

/** @throws TitoError `tools_unsupported`, `invalid_gguf`, `template_syntax` */
function judgeModel(path: string, level: ToolRequirement, model: string): void {
  const { metadata } = readGgufHeader(path);
  // A template that cannot be read matters only to those who want one.
  if (level === "none") return;
  requireTools({ caps: llamaCaps(capabilities(templateForTools(ggufTemplates(metadata)))) }, level, model);
}
