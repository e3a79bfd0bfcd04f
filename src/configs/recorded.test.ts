import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { requireFixtures } from "../../test/support/fixtures.ts";
import { runConfig, runModelMap, runMultimodalModels, runResolve } from "../conform/api.ts";
import { type RecordedCase, readCases, toCamelFields } from "../conform/cases.ts";
import { runConfigSchema } from "../conform/configSchema.ts";
import { effectiveRetention, familyNames, type RendererConfigInput, resolveConfig } from "./index.ts";

const fixtures = requireFixtures();
const casesOf = (name: string): RecordedCase[] =>
  fixtures === undefined ? [] : readCases(join(fixtures, "golden", "renderers", `${name}.jsonl`));

/** Tokenizers of models whose defaults decide; the others' names do not matter. */
const models: Readonly<Record<string, string>> = { "qwen3.5-small": "Qwen/Qwen3.5-0.8B" };

describe.skipIf(fixtures === undefined)("recorded retention", () => {
  it.each(familyNames)("of %s is ours", (family) => {
    const cases = casesOf(family).filter(({ kind }) => kind === "meta");
    expect(cases.length).toBeGreaterThan(0);
    for (const { plain } of cases) {
      const config = toCamelFields(plain.config) as unknown as RendererConfigInput;
      const resolved = resolveConfig({ nameOrPath: models[plain.tok], config });
      const expected = plain.expect.effective_thinking_retention;
      expect(effectiveRetention(resolved), `${plain.tok} ${JSON.stringify(config)}`).toBe(expected);
    }
  });
});

describe.skipIf(fixtures === undefined)("recorded configs", () => {
  const cases = casesOf("_api");
  const kinds = {
    model_map: runModelMap,
    multimodal_models: runMultimodalModels,
    config_schema: runConfigSchema,
    config: runConfig,
    resolve: runResolve,
  };

  it.each(Object.entries(kinds))("of kind %s are ours", (kind, run) => {
    const own = cases.filter((one) => one.kind === kind);
    expect(own.length).toBeGreaterThan(0);
    for (const one of own) {
      // Python reads "yes" and 1 as true; here a value of the wrong type is a mistake.
      const { enable_thinking } = one.plain.fields ?? {};
      const isCoerced = one.plain.error === undefined && ["yes", 1].includes(enable_thinking);
      const outcome = run(one);
      expect(outcome, one.id).toMatchObject({
        outcome: isCoerced ? "failed" : expect.stringMatching("passed|skipped"),
      });
    }
  });

  const changes: [what: string, change: (schema: Record<string, unknown>) => void, fault: string][] = [
    [
      "a default",
      (one) => Object.assign(one.fields as object, { clear_thinking: ["bool", false] }),
      "the default false",
    ],
    ["a kind", (one) => Object.assign(one.fields as object, { clear_thinking: ["str", true] }), "expected string, got"],
    ["a field", (one) => Object.assign(one.fields as object, { keep: ["bool", true] }), "no field for keep"],
    ["a template field", (one) => Object.assign(one, { template_fields: ["clear_thinking"] }), "template fields"],
    ["an internal field", (one) => Object.assign(one, { internal_fields: ["clear_thinking"] }), "is no template field"],
  ];
  it.each(changes)("differ from ours by %s, if that is changed", (_, change, fault) => {
    const recorded = structuredClone(cases.find(({ kind }) => kind === "config_schema")?.plain);
    change(recorded.expect["glm-5"]);
    const outcome = runConfigSchema({ plain: recorded } as RecordedCase);
    expect(outcome).toMatchObject({ outcome: "failed", why: expect.stringContaining(fault) });
  });
});
