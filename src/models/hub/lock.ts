import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TitoError } from "../../errors.ts";
import { cacheError } from "./cache.ts";
import { aborted } from "./failures.ts";

/** A holder shows that it lives this often, in milliseconds; one that is silent for the second span has died or sleeps. */
const HEARTBEAT = 10_000;
const SILENCE = 60_000;
const POLL = 100;

export interface LockOptions {
  /** Milliseconds to wait. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** What is locked, for messages. */
  readonly what: string;
}

interface Holder {
  readonly pid?: number;
  readonly host?: string;
  readonly nonce?: string;
}

/**
 * Runs `work` while this process holds the lock file at `path`. The lock of a process that died, of this machine by its id,
 * elsewhere by its silence, is taken over.
 *
 * @throws TitoError `cache_locked` after `timeout`, `aborted`, `cache_unusable`, `disk_full`
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const nonce = randomUUID();
  await acquire(path, nonce, options);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    // After a silence it may be another's.
    if ((await readHolder(path))?.nonce === nonce) await rm(path, { force: true }).catch(() => undefined);
  }
}

async function acquire(path: string, nonce: string, { timeout, signal, what }: LockOptions): Promise<void> {
  const start = Date.now();
  await mkdir(dirname(path), { recursive: true }).catch((error) => {
    throw cacheError(error, path);
  });
  for (;;) {
    if (signal?.aborted) throw aborted(what, signal);
    if (await create(path, nonce)) return;
    const holder = await readHolder(path);
    if (holder !== null && (await isStale(path, holder))) {
      await takeAway(path, holder);
      continue;
    }
    if (Date.now() - start >= timeout) throw locked(path, what, holder, timeout);
    try {
      await sleep(Math.min(POLL, timeout), undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? aborted(what, signal) : error;
    }
  }
}

async function create(path: string, nonce: string): Promise<boolean> {
  try {
    await using file = await open(path, "wx");
    await file.writeFile(JSON.stringify({ pid: process.pid, host: hostname(), nonce } satisfies Holder));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cacheError(error, path);
  }
}

/** Who holds the lock; null where nobody does. One that is being written names nobody yet. */
async function readHolder(path: string): Promise<Holder | null> {
  try {
    const text = await readFile(path, "utf8");
    const value: unknown = text.startsWith("{") && text.endsWith("}") ? JSON.parse(text) : {};
    return typeof value === "object" && value !== null ? value : {};
  } catch (error) {
    return error instanceof SyntaxError ? {} : null;
  }
}

async function isStale(path: string, { pid, host }: Holder): Promise<boolean> {
  if (typeof pid === "number" && host === hostname() && !isAlive(pid)) return true;
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > SILENCE;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Removes a dead holder's lock. Another process may have done so and hold it now: then it gets its lock back. */
async function takeAway(path: string, dead: Holder): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const taken = await readHolder(aside);
  if (taken?.nonce === dead.nonce) await rm(aside, { force: true });
  else await rename(aside, path);
}

function locked(path: string, what: string, holder: Holder | null, timeout: number): TitoError {
  const who = holder?.pid === undefined ? "Another process" : `The process ${holder.pid} on ${holder.host}`;
  return new TitoError(
    "cache_locked",
    `${who} has been fetching ${what} for longer than the ${timeout / 1000} s of lockTimeout. Wait for it, or end it and call again.`,
    { details: { path, pid: holder?.pid, host: holder?.host } },
  );
}
