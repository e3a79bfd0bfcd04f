import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { withTables } from "../../scripts/generate-families.ts";
import type { TitoError } from "../errors.ts";
import { familyConfigs } from "./families/index.ts";
import {
  checkConfig,
  effectiveRetention,
  type FamilyName,
  familyConfig,
  familyNames,
  inklingEfforts,
  mergeTemplateKwargs,
  modelMap,
  multimodalModels,
  type Qwen35Config,
  type RendererConfig,
  type RendererConfigInput,
  rendererConfigJsonSchema,
  rendererConfigSchema,
  resolveConfig,
  retentionTable,
} from "./index.ts";

function refusal(run: () => unknown): TitoError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error as TitoError;
  }
}
const invalid = (config: unknown) => refusal(() => checkConfig(config as RendererConfigInput));

const localTime = (date: Date): string => date.toISOString().replace(/\..*/, "");

/** Values that fit a field, by its JSON Schema; undefined stands for a field that is left out. */
function fitting(field: z.core.JSONSchema.JSONSchema): fc.Arbitrary<unknown> {
  if (field.const !== undefined) return fc.constant(field.const);
  if (field.anyOf) return fc.oneof(...field.anyOf.map((one) => fitting(one as z.core.JSONSchema.JSONSchema)));
  if (field.enum) return fc.constantFrom(...field.enum);
  if (field.type === "array") return fc.array(fitting(field.items as z.core.JSONSchema.JSONSchema), { maxLength: 3 });
  if (field.type === "boolean") return fc.boolean();
  if (field.type === "integer") return fc.nat();
  if (field.type === "number") return fc.double({ min: field.minimum!, max: field.maximum!, noNaN: true });
  // The one field with a pattern is a local time.
  if (field.pattern) return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(1e13) }).map(localTime);
  return field.type === "string" ? fc.string() : fc.dictionary(fc.string(), fc.jsonValue());
}

const variants = rendererConfigJsonSchema().oneOf as { properties: Record<string, z.core.JSONSchema.JSONSchema> }[];

/** Configs of every variant with any of its fields; some contradict themselves. */
const configs = fc.oneof(
  ...variants.map(({ properties: { name, ...fields } }) =>
    fc
      .record(Object.fromEntries(Object.entries(fields).map(([field, schema]) => [field, fitting(schema)])), {
        requiredKeys: [],
      })
      .map((given) => ({ name: name!.const, ...given }) as unknown as RendererConfigInput),
  ),
);

/** The same with one field that the variant lacks, or a value that hardly fits. */
const damaged = fc
  .tuple(configs, fc.constantFrom("name", "patched", "enableThinking", "foo"), fc.jsonValue())
  .map(([config, field, value]) => ({ ...config, [field]: value }));

const contradicts = (config: RendererConfigInput) => invalid(config)?.details.field === "thinkingRetention";

describe("checkConfig", () => {
  it("fills defaults in and freezes", () => {
    const config = checkConfig({ name: "qwen3" });
    expect(config).toEqual({
      name: "qwen3",
      contentSpecials: "text",
      validate: "strict",
      patched: false,
      enableThinking: true,
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it("takes every config that fits, but contradictions, and changes nothing the second time", () => {
    fc.assert(
      fc.property(configs, (config) => {
        if (contradicts(config)) return;
        const once = checkConfig(config);
        expect(once).toMatchObject(config);
        expect(checkConfig(once as RendererConfigInput)).toBe(once);
      }),
    );
  });

  it("takes undefined for a field that is left out", () => {
    expect(checkConfig({ name: "qwen3.6", preserveThinking: undefined as never, thinkingRetention: "all" })).toEqual(
      checkConfig({ name: "qwen3.6", thinkingRetention: "all" }),
    );
  });

  it.each<[unknown, Record<string, unknown>, string]>([
    [
      { name: "qwen3", addVisionId: true },
      { variant: "qwen3", field: "addVisionId", actual: "true" },
      'unknown field "addVisionId" for "qwen3"; it exists for: qwen3-vl, qwen3.5, qwen3.6, qwen3.8.',
    ],
    [
      { name: "qwen3", add_vision_id: true },
      { variant: "qwen3", field: "add_vision_id" },
      'unknown field "add_vision_id" for "qwen3"; it exists for: qwen3-vl, qwen3.5, qwen3.6, qwen3.8.',
    ],
    [
      { name: "qwen3", foo: null },
      { variant: "qwen3", field: "foo", actual: "null" },
      'unknown field "foo" for "qwen3"; its fields are name, thinkingRetention,',
    ],
    [{ name: "default", patched: true }, { variant: "default", field: "patched" }, "it exists for: qwen3,"],
    [
      { name: "kimi-k2.5", enableThinking: true },
      { variant: "kimi-k2.5", field: "enableThinking" },
      'unknown field "enableThinking" for "kimi-k2.5"',
    ],
    [
      { name: "qwen3.5", imageCacheMax: 1.5 },
      { field: "imageCacheMax", expected: "a whole number" },
      "found the number 1.5",
    ],
    [{ name: "qwen3.5", imageCacheMax: -1 }, { expected: "a number from 0" }, "found the number -1"],
    [{ name: "qwen3.5", enableThinking: null }, { expected: "a boolean", actual: "null" }, "leave it out"],
    [
      { name: "glm-5.3", reasoningEffort: "medium" },
      { field: "reasoningEffort", expected: '"low" or "high" or "max"' },
      'found "medium"',
    ],
    [
      { name: "hy3", fallbackStrategy: "retry" },
      { field: "fallbackStrategy", expected: '"reasoning_toolcall_retry"' },
      'found "retry"',
    ],
    [{ name: "inkling", reasoningEffort: "ultra" }, { field: "reasoningEffort" }, "or a number from 0 to 0.99, found"],
    [{ name: "inkling", reasoningEffort: 1 }, { field: "reasoningEffort" }, "or a number from 0 to 0.99, found"],
    [{ name: "inkling", reasoningEffort: -0.1 }, { field: "reasoningEffort" }, '"max" or a number from 0 to 0.99'],
    [{ name: "inkling", reasoningEffort: Number.NaN }, { field: "reasoningEffort" }, "or a number from 0 to 0.99"],
    [{ name: "qwen3", enable_thinking: true }, { variant: "qwen3", field: "enable_thinking" }, "Write enableThinking"],
    [
      { name: "auto", enableThinking: false },
      { variant: "auto", field: "enableThinking" },
      'unknown field "enableThinking" for "auto"',
    ],
    [
      { name: "qwen3", enableThinking: "yes" },
      { field: "enableThinking", expected: "a boolean", actual: '"yes"' },
      'expected a boolean, found "yes"',
    ],
    [
      { name: "qwen3", enableThinking: 1 },
      { field: "enableThinking", expected: "a boolean", actual: "the number 1" },
      "found the number 1",
    ],
    [
      { name: "qwen3", thinkingRetention: "template" },
      { field: "thinkingRetention", expected: '"tool_cycle" or "all"', actual: '"template"' },
      "thinkingRetention: expected",
    ],
    [
      { name: "qwen3", validate: null },
      { field: "validate", expected: '"strict" or "template"', actual: "null" },
      "found null",
    ],
    [
      { name: "default", toolParser: 3 },
      { variant: "default", field: "toolParser", expected: "a string" },
      "found the number 3",
    ],
    [
      { name: "default", templateKwargs: { preserve_all_thinking: true } },
      { field: "templateKwargs.preserve_all_thinking" },
      "set thinkingRetention instead",
    ],
    [{ name: "qwen4" }, { field: "name", actual: '"qwen4"' }, "Use one of auto, default, qwen3"],
    [{}, { field: "name", actual: "nothing" }, "name: expected"],
    ["qwen3", { field: "config", actual: '"qwen3"' }, "config: expected an object"],
  ])("refuses %j", (config, details, sentence) => {
    const error = invalid(config);
    expect(error).toMatchObject({ code: "invalid_config", details });
    expect(error?.message).toContain(sentence);
  });

  it("names every problem at once", () => {
    const error = invalid({ name: "qwen3", a: 1, b: 2, enableThinking: 0 });
    expect(error?.details.problems).toHaveLength(3);
  });

  it("takes the labels of an effort, and any number between", () => {
    for (const effort of [...Object.keys(inklingEfforts), ...Object.values(inklingEfforts), 0.35]) {
      const config = { name: "inkling", reasoningEffort: effort } as RendererConfigInput;
      expect(checkConfig(config)).toMatchObject({ reasoningEffort: effort });
    }
  });
});

describe("rendererConfigSchema", () => {
  const run = z.object({ renderer: rendererConfigSchema });

  it("gives what was written, in another schema too, and refuses what checkConfig refuses", () => {
    fc.assert(
      fc.property(fc.oneof(configs, damaged), (config) => {
        const parsed = run.safeParse({ renderer: config });
        expect(parsed.success).toBe(invalid(config) === undefined);
        if (parsed.success) expect(parsed.data.renderer).toEqual(config);
      }),
    );
  });

  it("leaves room for the defaults of the model, and for a retention that no knob contradicts", () => {
    const { renderer } = run.parse({ renderer: { name: "qwen3.5" } });
    expect(resolveConfig({ nameOrPath: "Qwen/Qwen3.5-0.8B", config: renderer })).toMatchObject({
      enableThinking: false,
    });
    const kept = run.parse({ renderer: { name: "qwen3.6", thinkingRetention: "all" } });
    expect(resolveConfig({ nameOrPath: undefined, config: kept.renderer })).toMatchObject({ thinkingRetention: "all" });
  });

  it("says which knob contradicts", () => {
    const wrong = { name: "glm-5", clearThinking: false, thinkingRetention: "tool_cycle" };
    expect(run.safeParse({ renderer: wrong }).error?.issues).toEqual([
      expect.objectContaining({ path: ["renderer", "thinkingRetention"], message: invalid(wrong)?.message.slice(16) }),
    ]);
  });

  it("has the type of a written config", () => {
    expectTypeOf<z.output<typeof run>["renderer"]>().toEqualTypeOf<RendererConfigInput>();
    expectTypeOf<Qwen35Config["enableThinking"]>().toEqualTypeOf<boolean>();
    expectTypeOf<"laguna-xs.2">().toExtend<FamilyName>();
    // @ts-expect-error no field of this family
    const wrong: RendererConfigInput = { name: "qwen3", addVisionId: true };
    expect(run.safeParse({ renderer: wrong }).success).toBe(false);
  });
});

describe("rendererConfigJsonSchema", () => {
  it("takes and refuses what checkConfig does, but for contradictions and variables that no template reads", () => {
    const checker = z.fromJSONSchema(rendererConfigJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
    fc.assert(
      fc.property(fc.oneof(configs, damaged), (config) => {
        if (contradicts(config)) return;
        expect(checker.safeParse(config).success).toBe(invalid(config) === undefined);
      }),
    );
  });

  it("is JSON, with one strict variant a name", () => {
    const json = rendererConfigJsonSchema();
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
    expect(variants.map(({ properties }) => properties.name?.const)).toEqual(["auto", "default", ...familyNames]);
    for (const variant of variants) expect(variant).toMatchObject({ required: ["name"], additionalProperties: false });
  });
});

describe("retention", () => {
  const error = "error";
  const of = (config: object, request?: { tools: boolean }) => {
    try {
      return effectiveRetention(checkConfig(config as RendererConfigInput) as RendererConfig, request);
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "invalid_config", details: { field: "thinkingRetention" } });
      return error;
    }
  };

  const rows: [config: { name: string }, unset: string, toolCycle: string, all: string][] = [
    ...["qwen3", "qwen3.5", "glm-4.5"].flatMap((name): typeof rows => [
      [{ name }, "tool_cycle", "tool_cycle", "all"],
      [{ name, enableThinking: true } as never, "tool_cycle", "tool_cycle", "all"],
      [{ name, enableThinking: false } as never, "all", "tool_cycle", "all"],
    ]),
    ...["prime-qwen3", "qwen3-vl", "inkling", "kimi-k2", "llama-3", "deepseek-v3"].map((name): (typeof rows)[0] => [
      { name },
      "all",
      "tool_cycle",
      "all",
    ]),
    ...["laguna-xs.2", "laguna-m.1", "laguna-xs-2.1", "laguna-s-2.1"].flatMap((name): typeof rows => [
      [{ name }, "all", "tool_cycle", "all"],
      [{ name, enableThinking: true } as never, "all", "tool_cycle", "all"],
      [{ name, enableThinking: false } as never, "all", "tool_cycle", "all"],
    ]),
    ...["qwen3.6", "qwen3.8", "gemma4"].flatMap((name): typeof rows => [
      [{ name, preserveThinking: true } as never, "all", error, "all"],
      [{ name, enableThinking: true, preserveThinking: true } as never, "all", error, "all"],
      [{ name, enableThinking: true, preserveThinking: false } as never, "tool_cycle", "tool_cycle", error],
      [{ name, enableThinking: false, preserveThinking: false } as never, "all", "tool_cycle", error],
    ]),
    [{ name: "qwen3.6" }, "tool_cycle", "tool_cycle", "all"],
    [{ name: "qwen3.8" }, "all", "tool_cycle", "all"],
    [{ name: "gemma4" }, "all", "tool_cycle", "all"],
    ...["glm-5", "glm-5.1"].flatMap((name): typeof rows => [
      [{ name }, "tool_cycle", "tool_cycle", "all"],
      [{ name, enableThinking: false } as never, "all", "tool_cycle", "all"],
      [{ name, clearThinking: true } as never, "tool_cycle", "tool_cycle", error],
      [{ name, clearThinking: false } as never, "all", error, "all"],
      [{ name, clearThinking: true, enableThinking: false } as never, "all", "tool_cycle", error],
    ]),
    [{ name: "glm-5.3" }, "all", "tool_cycle", "all"],
    [{ name: "glm-5.3", clearThinking: true } as never, "tool_cycle", "tool_cycle", error],
    [{ name: "glm-5.3", clearThinking: false } as never, "all", error, "all"],
    [{ name: "gpt-oss" }, "tool_cycle", "tool_cycle", "all"],
    [{ name: "gpt-oss", autoDropAnalysis: true } as never, "tool_cycle", "tool_cycle", error],
    [{ name: "gpt-oss", autoDropAnalysis: false } as never, "all", error, "all"],
    [{ name: "hy3" }, "tool_cycle", "tool_cycle", "all"],
    [{ name: "hy3", preservedThinking: true } as never, "all", error, "all"],
    [{ name: "hy3", preservedThinking: false } as never, "tool_cycle", "tool_cycle", error],
    [{ name: "kimi-k2.5" }, "tool_cycle", "tool_cycle", "all"],
    [{ name: "kimi-k2.5", thinking: false } as never, "all", "tool_cycle", "all"],
    [{ name: "minimax-m2" }, "tool_cycle", "tool_cycle", "all"],
    ...["nemotron-3", "nemotron-3-ultra", "nemotron-3.5"].flatMap((name): typeof rows => [
      [{ name }, "tool_cycle", "tool_cycle", "all"],
      [{ name, enableThinking: false } as never, "all", "tool_cycle", "all"],
      [{ name, truncateHistoryThinking: true } as never, "tool_cycle", "tool_cycle", error],
      [{ name, truncateHistoryThinking: false } as never, "all", error, "all"],
    ]),
    [{ name: "deepseek-r1" }, "template", "tool_cycle", "all"],
    [{ name: "deepseek-v4" }, "all", "tool_cycle", "all"],
    [{ name: "deepseek-v4", enableThinking: true } as never, "tool_cycle", "tool_cycle", "all"],
    [{ name: "deepseek-v4", enableThinking: true, dropThinking: false } as never, "all", error, "all"],
    [{ name: "deepseek-v4", dropThinking: true } as never, "all", "tool_cycle", error],
    [{ name: "default" }, "template", "tool_cycle", "all"],
  ];

  it.each(rows)("of %j is %s, or what is asked for, if that is no contradiction", (config, unset, toolCycle, all) => {
    expect(of(config)).toBe(unset);
    expect(of({ ...config, thinkingRetention: "tool_cycle" })).toBe(toolCycle);
    expect(of({ ...config, thinkingRetention: "all" })).toBe(all);
  });

  it("has a row above for every family and each of its knobs", () => {
    for (const { family, knobs } of retentionTable()) {
      const own = rows.map(([config]) => config).filter(({ name }) => name === family);
      expect(own.length, family).toBeGreaterThan(0);
      for (const knob of Object.keys(knobs)) {
        expect(
          own.some((config) => Object.hasOwn(config, knob)),
          `${family} ${knob}`,
        ).toBe(true);
      }
    }
  });

  it("depends on the tools where the template does", () => {
    expect(of({ name: "hy3" }, { tools: true })).toBe("all");
    expect(of({ name: "hy3" }, { tools: false })).toBe("tool_cycle");
    expect(of({ name: "hy3", preservedThinking: false }, { tools: true })).toBe("tool_cycle");
    expect(of({ name: "hy3", thinkingRetention: "tool_cycle" }, { tools: true })).toBe("tool_cycle");
  });

  it("is never contradicted by a default", () => {
    for (const name of familyNames) {
      for (const thinkingRetention of ["tool_cycle", "all"]) {
        expect(of({ name, thinkingRetention })).toBe(thinkingRetention);
      }
    }
  });

  it("names the knob, as it was written, and both retentions", () => {
    const wrong = invalid({ name: "glm-5", clearThinking: true, thinkingRetention: "all" });
    expect(wrong).toMatchObject({
      code: "invalid_config",
      details: { field: "thinkingRetention", expected: "tool_cycle", actual: "all" },
    });
    expect(wrong?.message).toContain('clearThinking: true means thinkingRetention "tool_cycle"');
    const merged = refusal(() =>
      resolveConfig({
        nameOrPath: "zai-org/GLM-5",
        config: { name: "auto", thinkingRetention: "tool_cycle" },
        chatTemplateKwargs: { clear_thinking: false },
      }),
    );
    expect(merged?.message).toContain('chatTemplateKwargs.clear_thinking: false means thinkingRetention "all"');
  });

  it("is tabled by knobs that matter, and no others", () => {
    for (const { family, knobs, rows: table } of retentionTable()) {
      expect(new Set(table.map(({ settings }) => JSON.stringify(settings))).size, family).toBe(table.length);
      for (const { settings } of table)
        expect(Object.keys(knobs), family).toEqual(expect.arrayContaining(Object.keys(settings)));
    }
    const knobs = Object.fromEntries(retentionTable().map((one) => [one.family, one.knobs]));
    expect(knobs.hy3).toEqual({ preservedThinking: undefined });
    expect(knobs["qwen3.6"]).toEqual({ enableThinking: true, preserveThinking: false });
    expect(knobs["laguna-s-2.1"]).toEqual({});
  });

  it("is in docs/families.md as the schemas have it", () => {
    const page = readFileSync(new URL("../../docs/families.md", import.meta.url), "utf8");
    expect(withTables(page), "run npx tsx scripts/generate-families.ts").toBe(page);
  });
});

describe("resolveConfig", () => {
  const nameOrPath = "Qwen/Qwen3-8B";

  it("finds the family by the exact name, and hands shared options on", () => {
    expect(resolveConfig({ nameOrPath })).toMatchObject({ name: "qwen3", enableThinking: true });
    expect(
      resolveConfig({
        nameOrPath,
        config: { name: "auto", thinkingRetention: "all", contentSpecials: "template", validate: "template" },
      }),
    ).toMatchObject({ name: "qwen3", thinkingRetention: "all", contentSpecials: "template", validate: "template" });
  });

  it("prefers an explicit config, whatever the name", () => {
    expect(resolveConfig({ nameOrPath: undefined, config: { name: "qwen3" } }).name).toBe("qwen3");
    expect(resolveConfig({ nameOrPath: "zai-org/GLM-5", config: { name: "qwen3" } }).name).toBe("qwen3");
  });

  it("merges template variables over the config", () => {
    const chatTemplateKwargs = { enable_thinking: false, unset: undefined };
    expect(resolveConfig({ nameOrPath, chatTemplateKwargs })).toMatchObject({ enableThinking: false });
    const config = { name: "qwen3", enableThinking: true, thinkingRetention: "all" } as const;
    expect(resolveConfig({ nameOrPath, config, chatTemplateKwargs })).toEqual({
      ...config,
      enableThinking: false,
      contentSpecials: "text",
      validate: "strict",
      patched: false,
    });
  });

  it("gives the default renderer every variable", () => {
    const { config } = mergeTemplateKwargs({ name: "default", templateKwargs: { a: 1, b: 1 } }, { b: 2, c: 3 });
    expect(config).toEqual({ name: "default", templateKwargs: { a: 1, b: 2, c: 3 } });
  });

  it("refuses variables that the template lacks, and wrong values by the variable's name", () => {
    const error = refusal(() => resolveConfig({ nameOrPath, chatTemplateKwargs: { foo: 1 } }));
    expect(error?.code).toBe("invalid_config");
    expect(error?.message).toContain('Unsupported chatTemplateKwargs for "qwen3": foo. Allowed: enable_thinking.');
    const wrong = refusal(() => resolveConfig({ nameOrPath, chatTemplateKwargs: { enable_thinking: "no" } }));
    expect(wrong?.message).toContain('chatTemplateKwargs.enable_thinking: expected a boolean, found "no"');
    expect(refusal(() => resolveConfig({ nameOrPath, chatTemplateKwargs: { enableThinking: true } }))?.code).toBe(
      "invalid_config",
    );
  });

  it("renders an unknown model by its own template", () => {
    for (const name of [undefined, "acme/x", "__proto__", "constructor", "/models/qwen3-8b/"]) {
      expect(
        resolveConfig({ nameOrPath: name, config: { name: "auto", identify: true, contentSpecials: "template" } }),
      ).toEqual(checkConfig({ name: "default", contentSpecials: "template" }));
    }
  });

  it("says what an unknown model cannot have", () => {
    const of = (options: object) => refusal(() => resolveConfig({ nameOrPath: "acme/x", ...options }));
    expect(of({ chatTemplateKwargs: { enable_thinking: false } })?.message).toContain(
      "Without a family, chatTemplateKwargs cannot be checked.",
    );
    expect(of({ config: { name: "auto", thinkingRetention: "all" } })?.message).toContain(
      "thinkingRetention cannot be kept",
    );
    const vision = of({ nameOrPath: "/models/Qwen3-VL-8B-Instruct" });
    expect(vision?.message).toContain("images cannot be placed");
    expect(vision?.message).toContain('{ name: "qwen3-vl" }');
  });

  it("says which families have a variable that this one lacks", () => {
    const error = refusal(() => resolveConfig({ nameOrPath, chatTemplateKwargs: { clear_thinking: false } }));
    expect(error?.message).toContain("clear_thinking exists for: glm-5, glm-5.1, glm-5.3.");
  });
});

describe("defaults of models", () => {
  const small = "Qwen/Qwen3.5-0.8B";
  const resolved = (nameOrPath: string | undefined, config?: RendererConfigInput, chatTemplateKwargs?: object) =>
    resolveConfig({ nameOrPath, config, chatTemplateKwargs: { ...chatTemplateKwargs } });

  it("stand before the family's, by the exact name, for an explicit config too", () => {
    expect(resolved(small)).toMatchObject({ enableThinking: false });
    expect(resolved(small, { name: "qwen3.5", addVisionId: true })).toMatchObject({ enableThinking: false });
    expect(resolved("Qwen/Qwen3.5-4B")).toMatchObject({ enableThinking: true });
    expect(resolved("/models/Qwen3.5-0.8B", { name: "qwen3.5" })).toMatchObject({ enableThinking: true });
    expect(resolved(undefined, { name: "qwen3.5" })).toMatchObject({ enableThinking: true });
    expect(resolved(small, { name: "qwen3.6" })).toMatchObject({ enableThinking: true });
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(resolved(name, { name: "qwen3.5" })).toEqual(checkConfig({ name: "qwen3.5" }));
    }
  });

  it("stand behind what the user wrote", () => {
    expect(resolved(small, { name: "qwen3.5", enableThinking: true })).toMatchObject({ enableThinking: true });
    expect(resolved(small, undefined, { enable_thinking: true })).toMatchObject({ enableThinking: true });
    const config = resolved("Qwen/Qwen3.5-4B");
    expect(resolved(small, config as RendererConfigInput)).toBe(config);
  });

  it("are known for the models that differ", () => {
    expect(resolved("google/gemma-4-31B-it")).toMatchObject({ prefillEmptyThought: true });
    expect(resolved("google/gemma-4-E4B-it")).toMatchObject({ prefillEmptyThought: false });
    expect(resolved("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16")).toMatchObject({ readsLowEffort: true });
    expect(resolved("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")).toMatchObject({ readsLowEffort: false });
  });

  it("fit the schema, and belong to the family by the model map", () => {
    for (const { name } of familyConfigs) {
      const { modelDefaults = {} } = familyConfig(name)!;
      for (const [model, fields] of Object.entries(modelDefaults)) {
        expect(modelMap[model]).toBe(name);
        expect(checkConfig({ name, ...fields } as RendererConfigInput)).toMatchObject(fields);
      }
    }
  });

  it("leave nothing open: every model's config is concrete", () => {
    for (const model of Object.keys(modelMap)) {
      const config = resolved(model) as unknown as Record<string, unknown>;
      if ("enableThinking" in config) expect(typeof config.enableThinking, model).toBe("boolean");
      expect(Object.values(config), model).not.toContain(null);
    }
  });
});

describe("tables", () => {
  it("name only known families and models", () => {
    for (const family of Object.values(modelMap)) expect(familyNames).toContain(family);
    for (const model of Object.keys(multimodalModels)) expect(modelMap).toHaveProperty([model]);
  });
});
