// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
import { TitoError } from "../../errors.ts";
import { GgufCursor, Malformed, OutOfBytes } from "./cursor.ts";
import type { GgufHeader, GgufTensor, GgufValue } from "./types.ts";

/** Metadata is at the front, before gigabytes of tensors: this much is read first, then four times as much, and so on. */
export const FIRST_READ = 1 << 20;

/** "GGUF", read as a little-endian number. */
const MAGIC = 0x46554747;
const DEFAULT_ALIGNMENT = 32;
/** ggml has no more. */
const MAX_DIMENSIONS = 4;
/** No header is as large; a damaged length must not ask for the memory of a whole model. */
const MAX_HEADER = 1 << 27;

/** So many bytes of the front are to be tried next. */
export interface MoreNeeded {
  readonly needed: number;
}

/**
 * The header in a file's front, or how much of the file to try with next.
 *
 * @param size of the file in bytes; Infinity where nobody says.
 * @param place the file's name for errors.
 * @throws TitoError `invalid_gguf`
 */
export function parseFront(front: Uint8Array, size: number, place: string): GgufHeader | MoreNeeded {
  try {
    return parse(front, size, place);
  } catch (error) {
    if (error instanceof Malformed) throw invalid(place, `it holds ${error.message}`, error);
    if (!(error instanceof OutOfBytes)) throw error;
    if (error.needed > size)
      throw invalid(place, size === 0 ? "it is empty" : "it is cut short within its header", error);
    if (error.needed > MAX_HEADER) throw invalid(place, `its header has more than ${MAX_HEADER >> 20} MiB`, error);
    return { needed: Math.min(Math.max(FIRST_READ, front.length * 4, error.needed), size, MAX_HEADER) };
  }
}

function parse(bytes: Uint8Array, size: number, place: string): GgufHeader {
  const cursor = new GgufCursor(bytes);
  if (cursor.u32() !== MAGIC) throw invalid(place, 'it does not begin with "GGUF"');
  const version = cursor.u32();
  if (version === 0x03000000) throw invalid(place, "its numbers are big-endian, and little-endian ones are read");
  if (version !== 2 && version !== 3) throw invalid(place, `its version is ${version}, and 2 and 3 are read`);
  const tensorCount = cursor.u64();
  const valueCount = cursor.u64();
  const metadata = new Map<string, GgufValue>();
  for (let index = 0; index < valueCount; index++) {
    const key = cursor.string();
    metadata.set(key, cursor.value());
  }
  const listed: GgufTensor[] = [];
  for (let index = 0; index < tensorCount; index++) listed.push(readTensor(cursor));
  const alignment = metadata.get("general.alignment") ?? DEFAULT_ALIGNMENT;
  if (typeof alignment !== "number" || alignment < 1) throw invalid(place, `its alignment is ${alignment}`);
  const dataStart = Math.ceil(cursor.position / alignment) * alignment;
  const tensors = listed.map((tensor) => ({ ...tensor, offset: dataStart + tensor.offset }));
  const beyond = tensors.find((tensor) => tensor.offset >= size);
  if (beyond !== undefined) throw invalid(place, `it is cut short: tensor ${beyond.name} lies beyond its end`);
  return { version, metadata, tensors };
}

function readTensor(cursor: GgufCursor): GgufTensor {
  const name = cursor.string();
  const count = cursor.u32();
  if (count > MAX_DIMENSIONS) throw new Malformed(`a tensor of ${count} dimensions`);
  const dimensions = Array.from({ length: count }, () => cursor.u64());
  if (!Number.isSafeInteger(dimensions.reduce((product, size) => product * size, 1)))
    throw new Malformed(`a tensor of impossible size, ${dimensions.join(" × ")}`);
  return { name, dimensions, type: cursor.u32(), offset: cursor.u64() };
}

function invalid(place: string, fact: string, cause?: unknown): TitoError {
  return new TitoError("invalid_gguf", `${place} is no usable GGUF file: ${fact}. Download or convert it again.`, {
    details: { path: place },
    cause,
  });
}
