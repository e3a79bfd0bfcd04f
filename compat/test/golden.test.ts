import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conform } from "../../src/conform/index.ts";
import { requireFixtures } from "../../test/support/fixtures.ts";

const fixtures = requireFixtures();

/** Families that are not built, and kinds without a comparison, are skipped; nothing else may be. */
const isExpectedSkip = (why: string) => /^(family ".*" is not built|kind )/.test(why);

describe.skipIf(fixtures === undefined)("recorded cases, on the published tokenizers", () => {
  test.each([
    ["golden/renderers/qwen3.jsonl", 180],
    ["golden/renderers/_api.jsonl", 220],
    ["tokenizer/qwen3.jsonl", 3000],
    ["tokenizer/llama3_1.jsonl", 3000],
    ["tokenizer/deepseek_v3.jsonl", 3000],
  ])("%s", async (file, atLeast) => {
    const [summary] = await conform([join(fixtures ?? "", file)]);
    expect(summary.failures).toEqual([]);
    expect(summary.passed).toBeGreaterThan(atLeast);
    expect(Object.keys(summary.skips).filter((why) => !isExpectedSkip(why))).toEqual([]);
  });
});
