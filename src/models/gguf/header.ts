import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { TitoError } from "../../errors.ts";
import { FIRST_READ, parseFront } from "./parseHeader.ts";
import type { GgufHeader } from "./types.ts";

/**
 * Reads metadata and the list of tensors of a GGUF file, version 2 or 3. Tensors themselves are not read.
 *
 * @throws TitoError `file_not_found`; `invalid_gguf` for another kind of file, another version or a file cut short.
 * @example
 * const { metadata } = readGgufHeader("model.gguf");
 * metadata.get("general.architecture"); // "qwen3"
 */
export function readGgufHeader(path: string): GgufHeader {
  const file = open(path);
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw notAFile(path);
    for (let length = FIRST_READ; ; ) {
      const asked = Math.min(length, stat.size);
      const front = readFront(file, asked);
      // A file that shrinks meanwhile ends where reading did.
      const parsed = parseFront(front, front.length < asked ? front.length : stat.size, path);
      if (!("needed" in parsed)) return parsed;
      length = parsed.needed;
    }
  } finally {
    closeSync(file);
  }
}

function open(path: string): number {
  try {
    return openSync(path, "r");
  } catch (cause) {
    throw new TitoError("file_not_found", `The model file ${path} cannot be opened. Check the path.`, {
      details: { path },
      cause,
    });
  }
}

function notAFile(path: string): TitoError {
  return new TitoError("file_not_found", `${path} is a directory. Pass the .gguf file in it.`, { details: { path } });
}

function readFront(file: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let read = 0;
  while (read < length) {
    const count = readSync(file, bytes, read, length - read, read);
    if (count === 0) break;
    read += count;
  }
  return bytes.subarray(0, read);
}
