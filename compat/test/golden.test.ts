import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conform } from "../../src/conform/index.ts";
import { familyNames } from "../../src/index.ts";
import { requireFixtures } from "../../test/support/fixtures.ts";

const fixtures = requireFixtures();
const folder = join(fixtures ?? "", "golden", "renderers");
const files = fixtures === undefined ? [] : readdirSync(folder);

/** What this version does not have, and kinds without a comparison, are skipped; nothing else may be. */
const isExpectedSkip = (why: string) => /^(the default renderer is not built|kind )/.test(why);

describe.skipIf(fixtures === undefined)("recorded cases, on the published tokenizers", () => {
  test.each([
    ["golden/renderers/_api.jsonl", 250],
    ["tokenizer/qwen3.jsonl", 3000],
    ["tokenizer/llama3_1.jsonl", 3000],
    ["tokenizer/deepseek_v3.jsonl", 3000],
  ])("%s", async (file, atLeast) => {
    const [summary] = await conform([join(fixtures ?? "", file)]);
    expect(summary.failures).toEqual([]);
    expect(summary.passed).toBeGreaterThan(atLeast);
    expect(Object.keys(summary.skips).filter((why) => !isExpectedSkip(why))).toEqual([]);
  });

  test.each(familyNames)("%s", async (family) => {
    const own = [`${family}.jsonl`, `${family}-mm.jsonl`].filter((file) => files.includes(file));
    const summaries = await conform(own.map((file) => join(folder, file)));
    const sum = (count: "passed" | "deviating" | "skipped") => summaries.reduce((total, one) => total + one[count], 0);
    expect(summaries.flatMap((one) => one.failures)).toEqual([]);
    expect(sum("passed")).toBeGreaterThan(170);
    expect(sum("deviating")).toBeLessThanOrEqual(0.05 * (sum("passed") + sum("deviating")));
    expect(sum("skipped")).toBe(0);
  });
});
