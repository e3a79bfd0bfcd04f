import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type JsonObject, parseJson } from "../../src/messages/json/index.ts";

const beside = fileURLToPath(new URL("../../../shared", import.meta.url));
let told = false;

/** The folder of recorded cases: `TITO_FIXTURES`, or `shared` beside the repository; undefined if there is none. */
export function fixturesDir(): string | undefined {
  const dir = process.env.TITO_FIXTURES || beside;
  return existsSync(join(dir, "golden")) ? dir : undefined;
}

/**
 * The folder of recorded cases, for `describe.skipIf(dir === undefined)`. Where it is missing this says so once, and throws
 * where that must not pass unseen: in CI, or when `TITO_FIXTURES` names it.
 */
export function requireFixtures(): string | undefined {
  const dir = fixturesDir();
  if (dir !== undefined) return dir;
  const message = "No fixtures: set TITO_FIXTURES to the folder with golden/ in it.";
  if (process.env.CI === "true" || process.env.TITO_FIXTURES) throw new Error(message);
  if (!told) console.warn(`${message} Their tests are skipped.`);
  told = true;
  return undefined;
}

/** The cases of a JSON Lines file, numbers by their text; of one kind, if it is given. */
export function readCases(file: string, kind?: string): JsonObject[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && (kind === undefined || line.includes(JSON.stringify(kind))))
    .map((line) => parseJson(line) as JsonObject)
    .filter((one) => kind === undefined || one.get("kind") === kind);
}
