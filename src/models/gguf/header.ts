// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { TitoError } from "../../errors.ts";
import { GgufCursor, OutOfBytes, UnknownType } from "./cursor.ts";
import type { GgufHeader, GgufTensor, GgufValue } from "./types.ts";

/** "GGUF", read as a little-endian number. */
const MAGIC = 0x46554747;
const DEFAULT_ALIGNMENT = 32;
/** Metadata is at the front, before gigabytes of tensors: this much is read first, then four times as much, and so on. */
const FIRST_READ = 1 << 20;

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
    const size = fstatSync(file).size;
    for (let length = FIRST_READ; ; length *= 4) {
      const bytes = readFront(file, Math.min(length, size));
      try {
        return parseGgufHeader(bytes, size, path);
      } catch (error) {
        if (!(error instanceof OutOfBytes)) throw error;
        if (bytes.length === size) throw invalid(path, "it is cut short: the header does not end", error);
      }
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

function parseGgufHeader(bytes: Uint8Array, fileSize: number, path: string): GgufHeader {
  const cursor = new GgufCursor(bytes);
  if (cursor.u32() !== MAGIC) throw invalid(path, 'it does not begin with "GGUF"');
  const version = cursor.u32();
  if (version !== 2 && version !== 3) throw invalid(path, `its version is ${version}, and 2 and 3 are read`);
  const tensorCount = cursor.u64();
  const valueCount = cursor.u64();
  try {
    const metadata = new Map<string, GgufValue>();
    for (let index = 0; index < valueCount; index++) {
      const key = cursor.string();
      metadata.set(key, cursor.value());
    }
    const listed: GgufTensor[] = [];
    for (let index = 0; index < tensorCount; index++) {
      const name = cursor.string();
      const dimensions = Array.from({ length: cursor.u32() }, () => cursor.u64());
      listed.push({ name, dimensions, type: cursor.u32(), offset: cursor.u64() });
    }
    const alignment = metadata.get("general.alignment") ?? DEFAULT_ALIGNMENT;
    if (typeof alignment !== "number" || alignment < 1) throw invalid(path, `its alignment is ${alignment}`);
    const dataStart = Math.ceil(cursor.position / alignment) * alignment;
    const tensors = listed.map((tensor) => ({ ...tensor, offset: dataStart + tensor.offset }));
    const beyond = tensors.find((tensor) => tensor.offset >= fileSize);
    if (beyond !== undefined) throw invalid(path, `it is cut short: tensor ${beyond.name} lies beyond its end`);
    return { version, metadata, tensors };
  } catch (error) {
    if (error instanceof UnknownType) throw invalid(path, `it holds an unknown ${error.message}`, error);
    throw error;
  }
}

function invalid(path: string, fact: string, cause?: unknown): TitoError {
  return new TitoError("invalid_gguf", `${path} is no usable GGUF file: ${fact}. Download or convert it again.`, {
    details: { path },
    cause,
  });
}
