import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkSeed, embeddedSetting, randomSetting, seededFormats } from "../support/seededCalls.ts";
import { modelPath } from "./fixture.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tito-seeds-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(seededFormats)("at temperature 1.5, calls of %s", (format) => {
  it.each([
    ["random weights", 50, 15, () => randomSetting(join(folder, `${format}.gguf`), format)],
    ["the embedded model", 8, 2, () => embeddedSetting(modelPath, format)],
  ] as const)("by %s parse and fit, and change nothing before them", async (_, seeds, least, open) => {
    await using seeded = await open();
    let calls = 0;
    for (let seed = 0; seed < seeds; seed++) calls += (await checkSeed(seeded, seed)).calls;
    expect(calls).toBeGreaterThanOrEqual(least);
  });
});
