import { createHash } from "node:crypto";
import { TitoError } from "../../errors.ts";
import { type WarningHandler, warn } from "../../warnings.ts";
import { type CacheOptions, isOffline, type RepoCache, readJson, repoCache, writeJson } from "./cache.ts";
import { type Checksum, gitBlob, sha256 } from "./checksum.ts";
import { gatedError } from "./failures.ts";
import { askForModel, type HubModel, type HubSibling } from "./hubModel.ts";
import { checkId, checkRevision, isFileName } from "./names.ts";
import { type HubOptions, type HubSettings, hubSettings, readNumber } from "./settings.ts";

export interface FetchOptions extends HubOptions, CacheOptions {
  /** Takes warnings; `process.emitWarning` unless set. */
  readonly onWarning?: WarningHandler | undefined;
}

/** A file of a repository, as the hub describes it. */
export interface RepoFile {
  /** Path inside the repository. */
  readonly name: string;
  /** Bytes; null where the hub does not say. */
  readonly size: number | null;
  readonly checksum: Checksum | null;
}

/** The files of one commit, and what it takes to get at them. */
export interface Repo {
  readonly id: string;
  readonly settings: HubSettings;
  readonly cache: RepoCache;
  readonly lockTimeout: number;
  readonly onWarning: WarningHandler | undefined;
  /** What the cache knows this state of the repository by: the commit, or a hash of the listing where the hub names none. */
  readonly commit: string;
  /** The commit that the hub named. */
  readonly sha: string | null;
  readonly files: readonly RepoFile[];
  /** Why a token is needed, if one is. */
  readonly needsToken: "gated" | "private" | null;
  /** The error to throw for what is not in the cache, where the hub is not to be asked; null: it may be. */
  readonly offline: TitoError | null;
}

/** Errors that say that the hub is not there, so that the cache may stand for it. */
const UNREACHABLE: readonly string[] = ["hub_unavailable", "hub_rate_limited", "download_interrupted"];

const COMMIT = /^[0-9a-f]{40,64}$/;

/**
 * Finds out which commit a revision has now and which files it holds: one request, or none for a commit that is known. Offline,
 * or where the hub cannot be reached, it is the commit that the revision had when it was last asked.
 *
 * @throws TitoError as `hubModel`; `hub_offline`
 */
export async function openRepo(id: string, options: FetchOptions): Promise<Repo> {
  checkId(id);
  const settings = hubSettings(options);
  const { revision } = settings;
  checkRevision(revision);
  const cache = repoCache(options.cacheDir, settings.endpoint, id);
  const { onWarning } = options;
  const lockTimeout = readNumber("lockTimeout", options.lockTimeout, 30 * 60_000);
  const common = { id, settings, cache, lockTimeout, onWarning };
  const known = (await readCached(cache, revision)) ?? null;
  if (isOffline(options.offline)) {
    const error = offlineError(id, revision);
    if (known === null) throw error;
    return { ...common, ...known, needsToken: null, offline: error };
  }
  // A commit never changes.
  if (known !== null && known.commit === revision) return { ...common, ...known, needsToken: null, offline: null };
  let model: HubModel;
  try {
    model = await askForModel(id, settings, { blobs: true });
  } catch (error) {
    if (!(error instanceof TitoError) || !UNREACHABLE.includes(error.code) || known === null) throw error;
    const message = `${error.message} ${id} is taken as it is in the cache, at ${known.commit.slice(0, 12)}.`;
    warn({ code: "hub_unreachable", message, details: { id, revision, commit: known.commit } }, onWarning);
    return { ...common, ...known, needsToken: null, offline: error };
  }
  const listed = readListing(model, id, revision, settings.endpoint);
  // A cache that cannot be written is an error where a file has to go into it, and none where all are there.
  const save = (path: string, value: object) => writeJson(path, value).catch(() => undefined);
  await save(cache.commit(listed.commit), { sha: listed.sha, files: listed.files });
  await save(cache.refs(revision), { commit: listed.commit });
  return { ...common, ...listed, needsToken: readAccess(model), offline: null };
}

type Listing = Pick<Repo, "commit" | "sha" | "files">;

function readListing({ sha, siblings }: HubModel, id: string, revision: string, endpoint: string): Listing {
  if (!Array.isArray(siblings)) {
    throw new TitoError(
      "hub_protocol",
      `${new URL(endpoint).host} lists no files for ${id}. Check the endpoint: it is no hub, or a newer one.`,
      { details: { id } },
    );
  }
  // A name that would leave the cache's folder is as good as not there.
  const isUsable = (sibling: HubSibling | null): boolean =>
    typeof sibling?.rfilename === "string" && isFileName(sibling.rfilename);
  const files = siblings.filter(isUsable).map(readSibling);
  if (typeof sha === "string" && COMMIT.test(sha)) return { commit: sha, sha, files };
  const hash = createHash("sha256")
    .update(JSON.stringify([revision, files]))
    .digest("hex");
  return { commit: `listing-${hash.slice(0, 40)}`, sha: null, files };
}

function readSibling({ rfilename, size, blobId, lfs }: HubSibling): RepoFile {
  // For a large file, blobId names the pointer and not the content.
  const checksum = lfs ? sha256(lfs.sha256) : gitBlob(blobId);
  return { name: rfilename, size: readSize(lfs?.size) ?? readSize(size), checksum };
}

function readSize(size: unknown): number | null {
  return Number.isSafeInteger(size) && (size as number) >= 0 ? (size as number) : null;
}

function readAccess({ gated, private: isPrivate }: HubModel): Repo["needsToken"] {
  if (gated) return "gated";
  return isPrivate ? "private" : null;
}

/** @throws TitoError `hub_gated` for what cannot be downloaded without a token, where there is none */
export function checkAccess({ id, settings, needsToken }: Repo): void {
  if (needsToken !== null && !settings.hasToken) throw gatedError(id, settings.endpoint, needsToken);
}

/** What the cache has of a revision. Its own files are not trusted more than the hub's answers. */
async function readCached(cache: RepoCache, revision: string): Promise<Listing | null> {
  const ref = COMMIT.test(revision) ? { commit: revision } : await readJson(cache.refs(revision));
  const commit = ref?.commit;
  if (typeof commit !== "string" || !/^[\w-]+$/.test(commit)) return null;
  const listing = await readListingOf(cache, commit);
  return listing === null ? null : { commit, ...listing };
}

/** The files of a commit that the hub was asked about before. */
export async function readListingOf(cache: RepoCache, commit: string): Promise<Pick<Repo, "sha" | "files"> | null> {
  const value = await readJson(cache.commit(commit));
  if (!Array.isArray(value?.files)) return null;
  const files = (value.files as (Partial<RepoFile> | null)[]).flatMap((file) => {
    if (typeof file?.name !== "string" || !isFileName(file.name)) return [];
    const { name, checksum } = file;
    const read = checksum?.kind === "git" ? gitBlob(checksum.hex) : sha256(checksum?.hex);
    return [{ name, size: readSize(file.size), checksum: read }];
  });
  return { sha: typeof value.sha === "string" ? value.sha : null, files };
}

function offlineError(id: string, revision: string): TitoError {
  const at = revision === "main" ? "" : `@${revision}`;
  return new TitoError(
    "hub_offline",
    `${id}${at} is not in the cache, and no request is made offline. Fetch it once without HF_HUB_OFFLINE and offline, or set cacheDir or TITO_CACHE.`,
    { details: { id, revision } },
  );
}
