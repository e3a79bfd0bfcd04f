import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { TitoError } from "../../errors.ts";
import type { Checksum } from "./checksum.ts";

/** What fetched files are kept in. */
export interface CacheOptions {
  /**
   * Folder of what is fetched; that of the environment variable TITO_CACHE unless set, else `tito` in XDG_CACHE_HOME, in
   * `~/.cache` or, on Windows, in LOCALAPPDATA.
   */
  readonly cacheDir?: string | undefined;
  /** Makes no request: only what is in the cache. On where the environment variable HF_HUB_OFFLINE is 1, ON, YES or TRUE. */
  readonly offline?: boolean | undefined;
  /** Milliseconds to wait for another process that fetches the same file; 30 minutes unless set. */
  readonly lockTimeout?: number | undefined;
}

/** Where things of one repository are:
 *
 * ```
 * refs/<revision>.json       the commit that a revision had when the hub was last asked
 * commits/<commit>.json      names, sizes and checksums of the commit's files
 * files/<commit>/<file>      the files
 * etags/<commit>/<file>.json what the hub called the content of files for which it gives no checksum
 * partial/<content>          downloads that have not ended, and their locks
 * ```
 */
export interface RepoCache {
  readonly refs: (revision: string) => string;
  readonly commits: string;
  readonly commit: (commit: string) => string;
  readonly directory: (commit: string) => string;
  readonly file: (commit: string, file: string) => string;
  readonly etag: (commit: string, file: string) => string;
  readonly partial: (commit: string, file: string, checksum: Checksum | null) => string;
}

export function repoCache(cacheDir: string | undefined, endpoint: string, id: string): RepoCache {
  const { host, pathname } = new URL(endpoint);
  const hub = `${host}${pathname === "/" ? "" : pathname}`.replaceAll(/[^\w.-]/g, "_");
  const root = join(resolve(cacheDir ?? (process.env.TITO_CACHE || defaultCache())), "hub", hub, ...id.split("/"));
  const directory = (commit: string): string => join(root, "files", commit);
  const commits = join(root, "commits");
  return {
    refs: (revision) => join(root, "refs", `${encodeURIComponent(revision)}.json`),
    commits,
    commit: (commit) => join(commits, `${commit}.json`),
    directory,
    file: (commit, file) => join(directory(commit), ...file.split("/")),
    etag: (commit, file) => join(root, "etags", commit, ...`${file}.json`.split("/")),
    partial: (commit, file, checksum) =>
      join(root, "partial", checksum?.hex ?? createHash("sha256").update(`${commit}/${file}`).digest("hex")),
  };
}

export function isOffline(offline: boolean | undefined): boolean {
  return offline ?? /^(?:1|ON|YES|TRUE)$/i.test(process.env.HF_HUB_OFFLINE ?? "");
}

/** The name under which a file is kept that was not accepted, or not yet. */
export const asideOf = (path: string): string => `${path}.quarantined`;

/** The size of a regular file in bytes; null where there is none. */
export async function sizeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? found.size : null;
}

/** The object in a JSON file of the cache; null where there is none, or a damaged one, which is as good. */
export async function readJson(path: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Writes a JSON file of the cache at once or not at all. */
export async function writeJson(path: string, value: object): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, JSON.stringify(value));
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw cacheError(error, path);
  }
}

/** Moves a file, unless another process has just done the same. */
export async function move(from: string, to: string): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && (await sizeOf(to)) !== null) return;
    throw cacheError(error, to);
  }
}

/** What a failed access to the cache means. */
export function cacheError(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof TitoError || syscall === undefined) return error;
  if (code === "ENOSPC" || code === "EDQUOT") {
    const message = `There is no room left for ${path} (${code}). Make room, or choose another cacheDir or TITO_CACHE.`;
    return new TitoError("disk_full", message, { details: { path, reason: code } });
  }
  return new TitoError(
    "cache_unusable",
    `The cache cannot be used: ${syscall} of ${path} failed (${code}). Check its rights, or choose another cacheDir or TITO_CACHE.`,
    { details: { path, reason: code }, cause: error },
  );
}

function defaultCache(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const parent = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME;
  return join(parent || join(homedir(), ".cache"), "tito");
}
