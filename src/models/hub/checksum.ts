import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { aborted } from "./failures.ts";

/** What a file's content must hash to: its SHA-256, or git's name for it. */
export interface Checksum {
  readonly kind: "sha256" | "git";
  /** Lower case. */
  readonly hex: string;
}

export function sha256(hex: unknown): Checksum | null {
  return typeof hex === "string" && /^[0-9a-f]{64}$/i.test(hex) ? { kind: "sha256", hex: hex.toLowerCase() } : null;
}

export function gitBlob(hex: unknown): Checksum | null {
  return typeof hex === "string" && /^[0-9a-f]{40}$/i.test(hex) ? { kind: "git", hex: hex.toLowerCase() } : null;
}

/** Whether a file on disk has this content. @throws TitoError `aborted` */
export async function hasChecksum(
  path: string,
  size: number,
  { kind, hex }: Checksum,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const hash = createHash(kind === "git" ? "sha1" : "sha256");
  if (kind === "git") hash.update(`blob ${size}\0`);
  try {
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash, signal ? { signal } : {});
  } catch (error) {
    throw signal?.aborted ? aborted(path, signal) : error;
  }
  return hash.digest("hex") === hex;
}
