import { TitoError } from "../../errors.ts";

/** Variables for a template from `--kwargs`. @throws TitoError `usage` */
export function templateVariables(json: string, usage: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new TitoError("usage", `--kwargs is no JSON object: ${json}\n\n${usage}`);
}
