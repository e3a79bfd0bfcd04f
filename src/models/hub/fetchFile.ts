import { constants } from "node:fs";
import { copyFile, link, mkdir, readdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { TitoError } from "../../errors.ts";
import { asideOf, cacheError, move, readJson, sizeOf, writeJson } from "./cache.ts";
import { download, type ProgressHandler } from "./download.ts";
import { withLock } from "./lock.ts";
import { checkAccess, type Repo, type RepoFile, readListingOf } from "./repo.ts";
import { isUnchanged } from "./revalidate.ts";

export interface FetchFileOptions {
  readonly onProgress?: ProgressHandler | undefined;
  /** Throws for a file that is not to be used. It stays out of reach until this returns. */
  readonly accept?: ((path: string) => void) | undefined;
}

export interface FetchedFile {
  readonly path: string;
  /** No byte of it came from the hub in this call. */
  readonly isCached: boolean;
}

/**
 * A repository's file in the cache, where it is or where it is fetched to. A file has its name only when it is whole, checked and
 * accepted; one that is not accepted is moved aside.
 *
 * @throws TitoError of the hub, the disk or the lock; `download_corrupt`; what `accept` throws, with `details.quarantined`
 */
export async function fetchFile(repo: Repo, file: RepoFile, options: FetchFileOptions = {}): Promise<FetchedFile> {
  const path = repo.cache.file(repo.commit, file.name);
  const isHere = await isThere(path, file);
  if (isHere && (await isCurrent(repo, file))) {
    await judge(path, path, options);
    return { path, isCached: true };
  }
  const partial = repo.cache.partial(repo.commit, file.name, file.checksum);
  const { lockTimeout: timeout, settings } = repo;
  const lock = { timeout, signal: settings.signal, what: `${file.name} of ${repo.id}` };
  return withLock(`${partial}.lock`, lock, () => obtain(repo, file, partial, isHere, options));
}

async function obtain(
  repo: Repo,
  file: RepoFile,
  partial: string,
  isOutdated: boolean,
  options: FetchFileOptions,
): Promise<FetchedFile> {
  const { cache, commit } = repo;
  const path = cache.file(commit, file.name);
  const aside = asideOf(path);
  // Another process may have been faster; a file that was not accepted needs no second download.
  const found = isOutdated ? null : await firstThere([path, aside], file);
  if (found !== null && (await isCurrent(repo, file))) {
    await judge(found, path, options);
    return { path, isCached: true };
  }
  const other = file.checksum === null ? null : await sameContent(repo, file);
  if (other !== null) {
    await copy(other, aside);
  } else {
    if (repo.offline !== null) throw notCached(repo, file);
    checkAccess(repo);
    const etag = await download(repo, file, partial, options.onProgress);
    if (isOutdated) await rm(path, { force: true });
    if (file.checksum === null) await writeJson(cache.etag(commit, file.name), { etag });
    await move(partial, aside);
  }
  await judge(aside, path, options);
  return { path, isCached: other !== null };
}

/** Gives an accepted file its name, and takes it from one that is not. */
async function judge(found: string, path: string, { accept }: FetchFileOptions): Promise<void> {
  try {
    accept?.(found);
  } catch (error) {
    const aside = asideOf(path);
    if (found === path) await move(path, aside);
    if (!(error instanceof TitoError)) throw error;
    const { code, message, details } = error;
    const kept = { ...details, quarantined: aside };
    throw new TitoError(code, `${message} The file is kept as ${aside}.`, { details: kept, cause: error });
  }
  if (found !== path) await move(found, path);
}

/** A commit's files do not change. Where the hub names no commit and no checksum, it is asked. */
async function isCurrent(repo: Repo, file: RepoFile): Promise<boolean> {
  if (repo.offline !== null || repo.sha !== null || file.checksum !== null) return true;
  const etag = (await readJson(repo.cache.etag(repo.commit, file.name)))?.etag;
  return typeof etag === "string" && isUnchanged(repo, file, etag);
}

async function isThere(path: string, { size }: RepoFile): Promise<boolean> {
  const found = await sizeOf(path);
  return found !== null && (size === null || found === size);
}

async function firstThere(paths: readonly string[], file: RepoFile): Promise<string | null> {
  for (const path of paths) if (await isThere(path, file)) return path;
  return null;
}

/** A file of the same content that came with another commit. */
async function sameContent({ cache, commit }: Repo, file: RepoFile): Promise<string | null> {
  const names = await readdir(cache.commits).catch(() => []);
  for (const name of names) {
    const other = name.replace(/\.json$/, "");
    if (other === commit) continue;
    const listing = await readListingOf(cache, other);
    const isSame = ({ checksum }: RepoFile): boolean =>
      checksum?.kind === file.checksum?.kind && checksum?.hex === file.checksum?.hex;
    for (const twin of listing?.files.filter(isSame) ?? []) {
      const path = cache.file(other, twin.name);
      const found = await firstThere([path, asideOf(path)], file);
      if (found !== null) return found;
    }
  }
  return null;
}

/** One content under two names where the file system can do that. */
async function copy(from: string, to: string): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true });
    await rm(to, { force: true });
    await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_FICLONE));
  } catch (error) {
    throw cacheError(error, to);
  }
}

/** The hub is not to be asked, or cannot be reached. */
function notCached({ offline, id, settings }: Repo, { name }: RepoFile): unknown {
  if (!(offline instanceof TitoError) || offline.code !== "hub_offline") return offline;
  return new TitoError(
    "hub_offline",
    `${name} of ${id} is not in the cache, and no request is made offline. Fetch it once without HF_HUB_OFFLINE and offline.`,
    { details: { id, revision: settings.revision, file: name } },
  );
}
