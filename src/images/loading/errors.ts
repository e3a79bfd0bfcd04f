import { type ErrorCode, TitoError } from "../../errors.ts";

/**
 * The errors of loading. Places are host and path, never a URL's user, query or fragment, which may hold secrets; for the same
 * reason the cause of a failed request is given by its code alone.
 */
export function loadError(
  code: Extract<ErrorCode, "image_load_refused" | "image_load_failed" | "invalid_image">,
  at: string,
  place: string,
  what: string,
  remedy: string,
): TitoError {
  return new TitoError(code, `${at}: ${place} ${what}. ${remedy}`, { details: { at, place } });
}

export function aborted(signal: AbortSignal): TitoError {
  return new TitoError("aborted", "Loading images was aborted. Call loadImages again.", { cause: signal.reason });
}

/** What is known of a failure without repeating its words: a system's error code, or the name of the error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "an unknown error";
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return cause instanceof Error ? reasonOf(cause) : error.name;
}

export function tooLarge(at: string, place: string, maxBytes: number): TitoError {
  return loadError(
    "image_load_failed",
    at,
    place,
    `is larger than ${maxBytes} bytes`,
    "Scale the image down, or raise maxBytes.",
  );
}
