import { mkdir, open, rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { TitoError } from "../../errors.ts";
import { cacheError, readJson, sizeOf, writeJson } from "./cache.ts";
import { type Checksum, hasChecksum, sha256 } from "./checksum.ts";
import { protocolFailure, type Subject } from "./failures.ts";
import { fileUrl } from "./fileUrl.ts";
import type { Repo, RepoFile } from "./repo.ts";
import { type HubAnswer, request } from "./request.ts";
import { attempts } from "./retry.ts";

/** How far a download is. */
export interface FetchProgress {
  /** Path inside the repository. */
  readonly file: string;
  /** Bytes on disk. */
  readonly received: number;
  /** Bytes of the whole file; null where nobody says. */
  readonly total: number | null;
}

export type ProgressHandler = (progress: FetchProgress) => void;

/** What is known of a file's content. */
interface Content {
  readonly size: number | null;
  readonly checksum: Checksum | null;
}

/** One download: what its attempts share. */
interface Download {
  readonly repo: Repo;
  readonly file: RepoFile;
  /** Where the bytes go; beside it, with `.json`, what the server called them. */
  readonly path: string;
  readonly subject: Subject;
  readonly onProgress: ProgressHandler | undefined;
  /** Asks for the commit by its id, because the revision has moved on. */
  isPinned: boolean;
}

/**
 * Fetches a file's content to `path`, going on where an earlier attempt, of any process, ended; checks size and checksum.
 *
 * @returns the ETag of the server that sent it
 * @throws TitoError of the hub, of the disk, `download_corrupt`, `aborted`
 */
export async function download(
  repo: Repo,
  file: RepoFile,
  path: string,
  onProgress?: ProgressHandler,
): Promise<string | null> {
  const { id, settings } = repo;
  const subject = { id, revision: settings.revision, file: file.name, hasToken: settings.hasToken };
  const one: Download = { repo, file, path, subject, onProgress, isPinned: false };
  await mkdir(dirname(path), { recursive: true }).catch((error) => {
    throw cacheError(error, path);
  });
  let isResumed = ((await sizeOf(path)) ?? 0) > 0;
  for (;;) {
    const { etag, ...content } = await transferAll(one);
    if (await isSound(one, content)) {
      await rm(sidecar(path), { force: true });
      return etag;
    }
    await discard(path);
    // What an earlier attempt left may be to blame.
    if (!isResumed) throw corrupt(one, "its checksum is not the announced one");
    isResumed = false;
  }
}

interface Transferred extends Content {
  readonly etag: string | null;
}

async function transferAll(one: Download): Promise<Transferred> {
  const { path, subject, repo } = one;
  const tries = attempts(`${subject.file} of ${subject.id}`, repo.settings);
  let most = (await sizeOf(path)) ?? 0;
  for (;;) {
    try {
      const done = await transfer(one);
      if (done !== null) return done;
    } catch (failure) {
      const size = (await sizeOf(path)) ?? 0;
      if (size > most) tries.progressed();
      most = Math.max(most, size);
      await tries.failed(failure);
    }
  }
}

/** One request. null: it has to be made again, in another way. */
async function transfer(one: Download): Promise<Transferred | null> {
  const { repo, file, path, subject } = one;
  const start = await resumePoint(one);
  if (start.isComplete) return { size: file.size, checksum: file.checksum, etag: null };
  const url = fileUrl(repo, file, one.isPinned ? repo.sha! : repo.settings.revision);
  const answer = await request(url, subject, repo.settings, start.headers, start.offset > 0 ? [206, 416] : []);
  try {
    if (answer.status === 416) {
      await discard(path);
      return null;
    }
    const content = announced(one, answer);
    if (content === null) {
      one.isPinned = true;
      return null;
    }
    const offset = answer.status === 206 ? start.offset : 0;
    const size = checkLength(one, answer, offset, content.size);
    const received = await receive(one, answer, offset, size);
    if (size !== null && received < size) throw protocolFailure(subject, answer.host, "sends less than it announced");
    return { ...content, size, etag: answer.header("etag") };
  } finally {
    answer.close();
  }
}

/** Where to go on. An earlier attempt's bytes count if the server can be asked for the same content, or if they can be checked. */
async function resumePoint({ file, path }: Download) {
  const offset = (await sizeOf(path)) ?? 0;
  if (offset === 0) return { offset: 0, headers: {}, isComplete: false };
  const { etag } = (await readJson(sidecar(path))) ?? {};
  const isStrong = typeof etag === "string" && etag.startsWith('"');
  const isUsable = file.checksum !== null ? offset <= (file.size ?? Number.POSITIVE_INFINITY) : isStrong;
  if (!isUsable) {
    await discard(path);
    return { offset: 0, headers: {}, isComplete: false };
  }
  const headers = { range: `bytes=${offset}-`, ...(isStrong && { "if-range": etag }) };
  return { offset, headers, isComplete: file.checksum !== null && offset === file.size };
}

/** What the listing and the answer say of the content; null where the answer is of another commit than the listing. */
function announced(one: Download, answer: HubAnswer): Content | null {
  const { repo, file, isPinned } = one;
  const linkedSize = answer.hubHeader("x-linked-size");
  const linked = sha256(unquoted(answer.hubHeader("x-linked-etag")));
  const commit = answer.hubHeader("x-repo-commit");
  const isOther = linked !== null && file.checksum?.kind === "sha256" && linked.hex !== file.checksum.hex;
  const hasMoved = isOther || (repo.sha !== null && commit !== null && commit !== repo.sha);
  if (hasMoved && repo.sha !== null && !isPinned) return null;
  if (isOther) throw corrupt(one, "the hub announces another checksum than it lists");
  const size = linkedSize !== null && /^\d{1,15}$/.test(linkedSize) ? Number(linkedSize) : null;
  return { size: file.size ?? size, checksum: file.checksum ?? linked };
}

const unquoted = (etag: string | null): string | null => /^(?:W\/)?"(.*)"$/.exec(etag ?? "")?.[1] ?? null;

/** The size of the whole file, as far as it is known. @throws HubFailure, TitoError `download_corrupt` */
function checkLength(one: Download, answer: HubAnswer, offset: number, size: number | null): number | null {
  const total = answer.status === 206 ? rangeTotal(one, answer, offset) : contentLength(answer);
  if (size !== null && total !== null && total !== size) {
    throw corrupt(one, `it has ${total} bytes where ${size} are announced`);
  }
  return size ?? total;
}

function rangeTotal({ subject }: Download, answer: HubAnswer, offset: number): number | null {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(answer.header("content-range") ?? "");
  if (range === null || Number(range[1]) !== offset) {
    throw protocolFailure(subject, answer.host, "sends another range than it was asked");
  }
  return range[2] === "*" ? null : Number(range[2]);
}

/** null where it is not said, or said of a compressed body. */
function contentLength(answer: HubAnswer): number | null {
  const length = answer.header("content-length");
  const isPlain = (answer.header("content-encoding") ?? "identity") === "identity";
  return isPlain && length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** Writes the body behind `offset`. Returns how many bytes the file has then. */
async function receive(one: Download, answer: HubAnswer, offset: number, size: number | null): Promise<number> {
  const { path, file, onProgress } = one;
  await checkSpace(path, size === null ? 0 : size - offset);
  let received = offset;
  const total = size;
  try {
    await using target = await open(path, offset > 0 ? "a" : "w");
    // Behind the truncation: bytes of one content must never stand beside the name of another.
    if (offset === 0) await writeJson(sidecar(path), { etag: answer.header("etag") });
    onProgress?.({ file: file.name, received, total });
    for await (const chunk of answer.body()) {
      if (size !== null && received + chunk.length > size) throw corrupt(one, `it goes on behind its ${size} bytes`);
      await target.writeFile(chunk);
      received += chunk.length;
      onProgress?.({ file: file.name, received, total });
    }
    await target.sync();
  } catch (error) {
    if (error instanceof TitoError && error.code === "download_corrupt") await discard(path);
    throw cacheError(error, path);
  }
  return received;
}

/** @throws TitoError `disk_full` before a byte is written */
async function checkSpace(path: string, needed: number): Promise<void> {
  const disk = await statfs(dirname(path)).catch(() => null);
  // Some file systems do not tell.
  if (disk === null || disk.blocks === 0) return;
  const free = disk.bavail * disk.bsize;
  if (needed <= free) return;
  throw new TitoError(
    "disk_full",
    `${path} needs ${gigabytes(needed)}, and ${gigabytes(free)} are free. Make room, or choose another cacheDir or TITO_CACHE.`,
    { details: { path, needed, free } },
  );
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(3)} GB`;

async function isSound({ path, repo }: Download, { size, checksum }: Content): Promise<boolean> {
  const found = await sizeOf(path);
  if (found === null || (size !== null && found !== size)) return false;
  return checksum === null || hasChecksum(path, found, checksum, repo.settings.signal);
}

const sidecar = (path: string): string => `${path}.json`;

async function discard(path: string): Promise<void> {
  for (const one of [path, sidecar(path)]) await rm(one, { force: true });
}

function corrupt({ subject, file }: Download, fact: string): TitoError {
  return new TitoError(
    "download_corrupt",
    `What came for ${file.name} of ${subject.id} is not what the hub announced: ${fact}. Call again; if it stays so, the hub's file is damaged.`,
    {
      details: {
        id: subject.id,
        revision: subject.revision,
        file: file.name,
        size: file.size,
        checksum: file.checksum,
      },
    },
  );
}
