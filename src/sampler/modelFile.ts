import { open } from "node:fs/promises";
import { TitoError } from "../errors.ts";

const headerBytes = 24;
const newestVersion = 3;

/**
 * Looks at a model file's header, so that the usual mistakes get an answer in words: llama.cpp and its reader say "Failed to load
 * model", or fail on a random length in the middle of the file.
 * @throws TitoError `file_not_found`, `model_load_failed`.
 * @internal
 */
export async function checkModelFile(path: string): Promise<void> {
  const header = await readHeader(path);
  const text = header.toString("latin1");
  if (!text.startsWith("GGUF")) throw damaged(path, whatItIs(text));
  const version = header.length < 8 ? undefined : header.readUInt32LE(4);
  if (version === undefined || header.length < headerBytes) throw damaged(path, "it ends within the header");
  if (version < 1 || version > newestVersion)
    throw damaged(path, `its header says GGUF version ${version}, and the newest is ${newestVersion}`);
}

async function readHeader(path: string): Promise<Buffer> {
  try {
    await using file = await open(path, "r");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    return buffer.subarray(0, bytesRead);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "EISDIR") throw damaged(path, "it is a directory", cause);
    const why = code === "ENOENT" || code === "ENOTDIR" ? "There is no file" : `The file cannot be read (${code})`;
    throw new TitoError("file_not_found", `${why}: ${path}. Check the path of the GGUF model.`, {
      details: { path },
      cause,
    });
  }
}

function whatItIs(start: string): string {
  if (start === "") return "it is empty";
  if (start.startsWith("version https://git-lfs"))
    return "it is a Git LFS pointer and not the file itself (run `git lfs pull`)";
  if (start.trimStart().startsWith("<")) return "it is a web page";
  return `it starts with ${JSON.stringify(start.slice(0, 4))} and not with "GGUF"`;
}

function damaged(path: string, reason: string, cause?: unknown): TitoError {
  return new TitoError("model_load_failed", `${path} is no GGUF model: ${reason}. Get the file again.`, {
    details: { path, reason },
    cause,
  });
}
