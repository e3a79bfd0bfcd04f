import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { probeRenders } from "../../src/autoparser/report/evidence.ts";
import { compileTemplate } from "../../src/template/index.ts";
import { analysedTemplates, analysisTable, differingFields } from "../support/analysedTemplates.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { llamaDifferences } from "../support/llamaDifferences.ts";

const fixtures = requireFixtures();

/** Templates of 70 in which a field is equal; a field that is not here is equal in all. */
const equalTemplates: Readonly<Record<string, number>> = {
  "reasoning.mode": 66,
  "reasoning.start": 61,
  "reasoning.end": 64,
  "content.mode": 66,
  "content.start": 65,
  "content.end": 66,
  "content.requires_nonnull_content": 54,
  "tools.format.mode": 65,
  "tools.format.section_start": 62,
  "tools.format.section_end": 62,
  "tools.format.per_call_start": 63,
  "tools.format.per_call_end": 65,
  "tools.format.tools_array_wrapped": 69,
  "tools.format.parameter_order": 69,
  "tools.function.name_prefix": 62,
  "tools.function.name_suffix": 57,
  "tools.function.close": 60,
  "tools.arguments.name_prefix": 65,
  "tools.arguments.name_suffix": 63,
  "tools.arguments.value_prefix": 68,
  "tools.arguments.value_suffix": 64,
  "tools.arguments.separator": 65,
  "tools.call_id.pos": 69,
  "tools.call_id.suffix": 69,
  preserved_tokens: 56,
  additional_stops: 63,
  "reasoning_prefill.enable_thinking_true": 68,
  "reasoning_prefill.enable_thinking_false": 59,
};

describe.skipIf(fixtures === undefined)("analyses beside llama.cpp's", () => {
  const templates = fixtures === undefined ? [] : analysedTemplates(fixtures);

  test.each(templates.map((template) => [template.name, template] as const))("%s", (name, template) => {
    const explained = llamaDifferences[name]?.fields ?? [];
    expect(differingFields(template).filter((field) => !explained.includes(field))).toEqual([]);
  });

  test("as many templates are equal in each field", () => {
    const fields = templates[0].compared.map(({ field }) => field);
    for (const field of fields) {
      const equal = templates.filter(({ compared }) => compared.some((one) => one.field === field && one.equal));
      expect(equal.length, field).toBeGreaterThanOrEqual(equalTemplates[field] ?? templates.length);
    }
    expect(templates.filter((template) => differingFields(template).length === 0).length).toBeGreaterThanOrEqual(36);
  });

  test("the documentation has the table", async () => {
    const file = fileURLToPath(new URL("../../docs/autoparser.md", import.meta.url));
    const [before, , after] = readFileSync(file, "utf8").split(/<!-- (?:end of )?table -->\n/);
    const text = `${before}<!-- table -->\n${analysisTable(templates)}\n<!-- end of table -->\n${after}`;
    await expect(text).toMatchFileSnapshot(file);
  });

  test("evidence is of the template's own renders", () => {
    for (const { analysis, name } of templates) {
      const source = readFileSync(`${fixtures}/templates/${name}.jinja`, "utf8");
      const { variants, evidence } = probeRenders(compileTemplate(source, { mutable: true }), analysis);
      const texts = new Map(variants.map((variant) => [variant.name, variant.text]));
      expect(texts.get("user"), name).not.toBeNull();
      for (const { left, right, difference, pieces, comparison } of evidence) {
        const [a, b] = [texts.get(left), texts.get(right)];
        if (difference === null) {
          expect(a === null || b === null, `${name} ${comparison}`).toBe(true);
          continue;
        }
        const { prefix, suffix } = difference;
        expect([prefix + difference.left + suffix, prefix + difference.right + suffix]).toEqual([a, b]);
        if (pieces.length > 0) expect(pieces.map(({ text }) => text).join("")).toBe(difference.right);
      }
    }
  });
});
