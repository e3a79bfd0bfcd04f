import { TitoError } from "../../errors.ts";

/** The one path that a command is about. @throws TitoError `usage` */
export function onePath(positionals: readonly string[], usage: string): string {
  if (positionals.length === 1) return positionals[0]!;
  const fact = positionals.length === 0 ? "No path given" : `Expected one path, found ${positionals.length}`;
  throw new TitoError("usage", `${fact}.\n\n${usage}`);
}
