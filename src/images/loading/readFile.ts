import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { TitoError } from "../../errors.ts";
import { loadError, reasonOf, tooLarge } from "./errors.ts";
import type { LoadLimits } from "./options.ts";

/** Reads a file that lies inside an allowed folder after all links are followed. `path` may be a file URL. */
export async function readFile(path: string, at: string, { allow, maxBytes, signal }: LoadLimits): Promise<Uint8Array> {
  const place = `the file ${path}`;
  const { files } = allow;
  if (!files) {
    const remedy = "Pass allow: { files: [folder] } with the folder that it lies in.";
    throw loadError("image_load_refused", at, place, "may not be read: no files are allowed", remedy);
  }
  try {
    const real = await realpath(/^file:/i.test(path) ? fileURLToPath(path) : path);
    if (files !== true && !(await isInside(real, files))) {
      const remedy = "Add its folder to allow.files, with links followed.";
      throw loadError("image_load_refused", at, place, "lies outside the allowed folders", remedy);
    }
    return await readRegularFile(real, at, place, maxBytes, signal);
  } catch (cause) {
    if (cause instanceof TitoError || signal?.aborted) throw cause;
    throw loadError("image_load_failed", at, place, `cannot be read (${reasonOf(cause)})`, "Check that it is there.");
  }
}

async function isInside(file: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => null);
    if (root === null) continue;
    const path = relative(root, file);
    if (path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return true;
  }
  return false;
}

async function readRegularFile(
  path: string,
  at: string,
  place: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  // A link put there in the meantime is not followed, and a pipe does not hold us up.
  await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  const stat = await file.stat();
  if (!stat.isFile()) throw loadError("invalid_image", at, place, "is no regular file", "Pass an image file.");
  const { size } = stat;
  if (size > maxBytes) throw tooLarge(at, place, maxBytes);
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
