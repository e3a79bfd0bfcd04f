import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { TitoError } from "../errors.ts";
import {
  checkConfig,
  defineFamilyConfig,
  effectiveRetention,
  familyNames,
  familySchema,
  mergeTemplateKwargs,
  modelMap,
  multimodalModels,
  qwen3Config,
  type RendererConfig,
  type RendererConfigInput,
  rendererConfigSchema,
  resolveConfig,
} from "./index.ts";
import { checkRetention } from "./retention.ts";

function refusal(run: () => unknown): TitoError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error as TitoError;
  }
}
const invalid = (config: unknown) => refusal(() => checkConfig(config as RendererConfigInput));

describe("checkConfig", () => {
  it("fills defaults in and freezes", () => {
    const config = checkConfig({ name: "qwen3" });
    expect(config).toEqual({ name: "qwen3", contentSpecials: "text", validate: "strict", enableThinking: true });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it("changes nothing the second time", () => {
    const once = checkConfig({ name: "qwen3", enableThinking: false, thinkingRetention: "all" });
    expect(checkConfig(once as RendererConfigInput)).toEqual(once);
  });

  it.each<[unknown, Record<string, unknown>, string]>([
    [
      { name: "qwen3", addVisionId: true },
      { variant: "qwen3", field: "addVisionId", actual: "true" },
      '"qwen3" has no field addVisionId. Its fields are name,',
    ],
    [{ name: "qwen3", enable_thinking: true }, { variant: "qwen3", field: "enable_thinking" }, "Write enableThinking"],
    [
      { name: "auto", enableThinking: false },
      { variant: "auto", field: "enableThinking" },
      '"auto" has no field enableThinking',
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

  it("knows the families that it lacks", () => {
    expect(invalid({ name: "glm-5" })).toMatchObject({ code: "family_not_available", details: { family: "glm-5" } });
  });
});

describe("rendererConfigSchema", () => {
  it("can be embedded in another schema", () => {
    const run = z.object({ renderer: rendererConfigSchema });
    expect(run.parse({ renderer: { name: "qwen3" } }).renderer).toMatchObject({ enableThinking: true });
    expect(run.safeParse({ renderer: { name: "qwen3", foo: 1 } }).success).toBe(false);
  });

  it("gives one strict variant per name in JSON Schema", () => {
    const json = z.toJSONSchema(rendererConfigSchema, { io: "input" });
    const variants = (json.anyOf ?? json.oneOf ?? []) as { additionalProperties?: unknown }[];
    expect(variants.length).toBe(rendererConfigSchema.options.length);
    for (const variant of variants) expect(variant.additionalProperties).toBe(false);
  });
});

describe("retention", () => {
  const family = defineFamilyConfig({
    name: "example",
    schema: familySchema("example", { keep: z.boolean().default(true) }),
    templateFields: { keep: "keep" },
    impliedRetention: ({ keep }) =>
      keep === undefined ? undefined : { knob: "keep", retention: keep ? "all" : "tool_cycle" },
    templateRetention: ({ keep }) => (keep ? "all" : "tool_cycle"),
  });

  it("contradicts a knob that is set, not its default", () => {
    const check = (given: object) => refusal(() => checkRetention(family, { name: "example", ...given }));
    expect(check({ thinkingRetention: "tool_cycle" })).toBeUndefined();
    expect(check({ keep: true, thinkingRetention: "all" })).toBeUndefined();
    expect(check({ keep: true })).toBeUndefined();
    const error = check({ keep: true, thinkingRetention: "tool_cycle" });
    expect(error).toMatchObject({ code: "invalid_config", details: { expected: "all", actual: "tool_cycle" } });
    expect(error?.message).toContain('keep: true means thinkingRetention "all"');
  });

  it("is checked with the config", () => {
    const spy = vi.spyOn(qwen3Config, "impliedRetention");
    spy.mockReturnValue({ knob: "enableThinking", retention: "all" });
    const error = invalid({ name: "qwen3", enableThinking: false, thinkingRetention: "tool_cycle" });
    spy.mockRestore();
    expect(error).toMatchObject({ code: "invalid_config", details: { field: "thinkingRetention" } });
  });

  it("is explicit, or else the template's", () => {
    const of = (config: RendererConfigInput) => effectiveRetention(checkConfig(config) as RendererConfig);
    expect(of({ name: "qwen3" })).toBe("tool_cycle");
    expect(of({ name: "qwen3", enableThinking: false })).toBe("all");
    expect(of({ name: "qwen3", enableThinking: false, thinkingRetention: "tool_cycle" })).toBe("tool_cycle");
    expect(of({ name: "default" })).toBe("template");
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

  it("says what to do about an unknown model", () => {
    const error = refusal(() => resolveConfig({ nameOrPath: "/models/qwen3-8b/" }));
    expect(error).toMatchObject({ code: "unknown_model", details: { similar: ["Qwen/Qwen3-8B"] } });
    expect(error?.message).toContain('Pass an explicit config, such as { name: "qwen3" }');
    for (const name of [undefined, "acme/x", "__proto__", "constructor"]) {
      expect(refusal(() => resolveConfig({ nameOrPath: name }))?.code).toBe("unknown_model");
    }
    expect(refusal(() => resolveConfig({ nameOrPath: "zai-org/GLM-5" }))).toMatchObject({
      code: "family_not_available",
      details: { family: "glm-5", model: "zai-org/GLM-5" },
    });
  });
});

describe("tables", () => {
  it("name only known families and models", () => {
    for (const family of Object.values(modelMap)) expect(familyNames).toContain(family);
    for (const model of Object.keys(multimodalModels)) expect(modelMap).toHaveProperty([model]);
  });
});
