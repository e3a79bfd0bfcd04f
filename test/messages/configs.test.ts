import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  checkConfig,
  effectiveRetention,
  familyConfig,
  familyNames,
  modelMap,
  multimodalModels,
  type RendererConfig,
  type RendererConfigInput,
  rendererConfigSchema,
  resolveConfig,
} from "../../src/configs/index.ts";
import { type JsonValue, toPlain } from "../../src/messages/index.ts";
import { readCases, requireFixtures } from "../support/fixtures.ts";

const fixtures = requireFixtures();
type Fields = Record<string, unknown>;

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const rename = (fields: Fields, to: (name: string) => string) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [to(name), value]));

interface RecordedResolve {
  readonly id: string;
  readonly name_or_path: string;
  readonly auto: Fields | null;
  readonly chat_template_kwargs: Fields | null;
}

/** A recorded config's fields as this package's: variables that `default` does not know are its template's. */
function input(name: string, fields: Fields): RendererConfigInput {
  if (name !== "default") return { name, ...rename(fields, camel) } as RendererConfigInput;
  const own = ["tool_parser", "reasoning_parser", "thinking_retention"];
  const pick = (mine: boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => own.includes(key) === mine));
  return { name, ...rename(pick(true), camel), templateKwargs: pick(false) };
}

/** A config in the recorded form: unset is null, our own options are left out. */
function recorded(config: Fields): Fields {
  const { contentSpecials, validate, templateKwargs, ...fields } = config;
  const unset = config.name === "default" ? { tool_parser: null, reasoning_parser: null } : {};
  return { thinking_retention: null, ...unset, ...rename(fields, snake), ...(templateKwargs as Fields | undefined) };
}

function outcome(run: () => object): { expect: Fields } | { error: string } {
  try {
    return { expect: recorded(run() as Fields) };
  } catch (error) {
    return { error: (error as { code: string }).code };
  }
}

describe.skipIf(fixtures === undefined)("recorded configs", () => {
  const api = join(fixtures ?? "", "golden/renderers/_api.jsonl");
  const read = (kind: string) => readCases(api, kind).map((one) => toPlain(one as JsonValue) as Fields);
  const available = (name: unknown) =>
    name === "auto" || name === "default" || familyConfig(String(name)) !== undefined;

  it("have the recorded tables", () => {
    expect(modelMap).toEqual(read("model_map")[0]?.expect);
    expect(multimodalModels).toEqual(read("multimodal_models")[0]?.expect);
    const schemas = read("config_schema")[0]?.expect as Fields;
    expect([...familyNames, "auto", "default"].sort()).toEqual(Object.keys(schemas).sort());
  });

  it("have the recorded fields, defaults and template variables", () => {
    const schemas = read("config_schema")[0]?.expect as Record<
      string,
      { fields: Record<string, readonly [type: string, value: unknown]>; template_fields: string[] }
    >;
    for (const { shape } of rendererConfigSchema.options) {
      const name = shape.name.value;
      const ours = Object.keys(shape).filter((key) => !["contentSpecials", "validate", "templateKwargs"].includes(key));
      expect(ours.map(snake).sort(), name).toEqual(Object.keys(schemas[name]!.fields).sort());
      const family = familyConfig(name);
      if (family === undefined) continue;
      expect(Object.keys(family.templateFields).sort(), name).toEqual(schemas[name]!.template_fields);
      const defaults = Object.entries(schemas[name]!.fields).map(([key, [, value]]) => [key, value]);
      expect(recorded(checkConfig({ name } as RendererConfigInput)), name).toEqual(Object.fromEntries(defaults));
    }
  });

  it("are accepted and refused as recorded", () => {
    for (const one of read("config")) {
      if (!available(one.name)) continue;
      const { name, fields, id } = one as { name: string; fields: Fields; id: string };
      const result = outcome(() => checkConfig(input(name, fields)));
      // Python turns "yes" and 1 into True; here a value of the wrong type is a mistake.
      const coerced = fields.enable_thinking === "yes" || fields.enable_thinking === 1;
      if (one.error !== undefined || coerced) expect(result, id).toEqual({ error: "invalid_config" });
      else expect(result, id).toEqual({ expect: one.expect });
    }
  });

  it("are resolved as recorded", () => {
    for (const one of read("resolve")) {
      const { name_or_path, auto, chat_template_kwargs, id } = one as unknown as RecordedResolve;
      const family = modelMap[name_or_path];
      if (family !== undefined && !available(family)) continue;
      const config = auto === null ? undefined : input("auto", auto);
      const result = outcome(() =>
        resolveConfig({ nameOrPath: name_or_path, config, chatTemplateKwargs: chat_template_kwargs ?? undefined }),
      );
      // Python falls back to the template; here an unknown model needs an explicit config.
      if (family === undefined) expect(result, id).toEqual({ error: "unknown_model" });
      else if (one.error !== undefined) expect(result, id).toEqual({ error: "invalid_config" });
      else expect(result, id).toEqual({ expect: one.expect });
    }
  });

  it("keep thinking as recorded", () => {
    for (const name of familyNames.filter((family) => available(family))) {
      for (const one of readCases(join(fixtures ?? "", "golden/renderers", `${name}.jsonl`), "meta")) {
        const { config, expect: expected } = toPlain(one as JsonValue) as { config: Fields; expect: Fields };
        const { name: _, ...fields } = config;
        const resolved = checkConfig(input(name, fields)) as RendererConfig;
        expect(effectiveRetention(resolved), JSON.stringify(config)).toBe(expected.effective_thinking_retention);
      }
    }
  });
});
