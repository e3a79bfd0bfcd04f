import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { messagesOf, readCases, toolsOf } from "../../src/conform/cases.ts";
import { conform } from "../../src/conform/index.ts";
import { equalRows } from "../../src/conform/outcome.ts";
import { TokenizerShelf } from "../../src/conform/tokenizers.ts";
import { familyNames, type ToolSpec } from "../../src/index.ts";
import { requireFixtures } from "../../test/support/fixtures.ts";
import { renderersOf, templateFamilies } from "../../test/support/templateFamilies.ts";

const fixtures = requireFixtures();
const folder = join(fixtures ?? "", "golden", "renderers");
const files = fixtures === undefined ? [] : readdirSync(folder);

/** Kinds without a comparison are skipped; nothing else may be. */
const isExpectedSkip = (why: string) => /^kind /.test(why);

/** A tool that is given flat, as templates want it: where they do not, the recorded ids are of the wrapped one. */
const wrapped = (tool: ToolSpec): ToolSpec =>
  "function" in tool ? tool : ({ type: "function", function: tool } as ToolSpec);

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

  test("the default renderer", async () => {
    const [summary] = await conform([join(folder, "default.jsonl")]);
    expect(summary.failures).toEqual([]);
    expect(summary.passed).toBeGreaterThan(100);
    expect(summary.skips).toEqual({});
  });

  test.each(templateFamilies)("the template of %s gives the ids that transformers gives", async (name) => {
    const tokenizer = await new TokenizerShelf(fixtures ?? "").overlay(name);
    const cases = readCases(join(folder, `${name}.jsonl`)).filter(
      ({ kind, plain }) => kind === "render" && !plain.error,
    );
    let equal = 0;
    for (const recorded of cases) {
      const { plain } = recorded;
      const { family, byTemplate } = renderersOf(tokenizer, recorded, ["arguments"]);
      const options = {
        tools: toolsOf(recorded)?.map(wrapped) ?? null,
        addGenerationPrompt: Boolean(plain.add_generation_prompt),
      };
      let ids: Int32Array;
      try {
        ids = byTemplate.renderIds(messagesOf(recorded), options);
      } catch (error) {
        expect(plain.template_raises, `${recorded.id}: ${error}`).toBeTruthy();
        continue;
      }
      // Where the recorded system does as the template does, as far as it is known, its ids alone are recorded.
      const accepted = plain.template_token_ids ?? [
        plain.expect.token_ids,
        plain.onepass_token_ids,
        family.renderIds(messagesOf(recorded), options),
      ];
      expect(
        accepted.some((row: ArrayLike<number> | undefined) => row && equalRows(row, ids)),
        `${recorded.id} ${tokenizer.decode(ids)}`,
      ).toBe(true);
      equal++;
    }
    expect(equal).toBeGreaterThan(50);
  });
});
