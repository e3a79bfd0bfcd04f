import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { TitoError } from "../../errors.ts";

/** The bytes of a file, undefined where there is none. Throws TitoError `aborted`. */
export async function readOptional(path: string, signal: AbortSignal | undefined): Promise<Buffer | undefined> {
  if (signal?.aborted) throw aborted(path, signal);
  try {
    return await readFile(path, signal ? { signal } : {});
  } catch (error) {
    if (signal?.aborted) throw aborted(path, signal);
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** The text of a file. Throws TitoError `aborted`; `tokenizer_invalid` for bytes that are not UTF-8. */
export async function readOptionalText(path: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  const bytes = await readOptional(path, signal);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw invalid(path, "is no UTF-8 text", cause);
  }
}

/** The object in a JSON file. Throws TitoError `aborted`; `tokenizer_invalid` for a file that holds none. */
export async function readOptionalJson(
  path: string,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readOptionalText(path, signal);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(path, "is no JSON", cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(path, "holds no JSON object");
  return value as Readonly<Record<string, unknown>>;
}

function invalid(path: string, fact: string, cause?: unknown): TitoError {
  return new TitoError("tokenizer_invalid", `${basename(path)} ${fact}. Check the file.`, {
    details: { path, field: basename(path) },
    cause,
  });
}

function aborted(path: string, signal: AbortSignal): TitoError {
  return new TitoError("aborted", `Reading ${basename(path)} was aborted.`, { cause: signal.reason });
}
