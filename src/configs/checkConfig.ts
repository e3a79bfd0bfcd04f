import type { z } from "zod";
import { TitoError } from "../errors.ts";
import { describe, isRecord } from "../messages/messageError.ts";
import { familyNames, isFamilyName } from "./familyNames.ts";
import { familyConfig, type RendererConfigInput, rendererConfigSchema } from "./rendererConfig.ts";
import { checkRetention } from "./retention.ts";

/** The variant's config with defaults filled in; that of `auto` still names no family. */
export type CheckedConfig = Readonly<z.output<typeof rendererConfigSchema>>;

export interface CheckConfigOptions {
  /** How the user wrote a field, where that is not the field's own name. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Checks a config and fills its defaults in. Contradictions are looked for among the fields that are given, so check what
 * the user wrote, not what an earlier check returned.
 *
 * @throws TitoError `invalid_config` (an unknown field, a wrong value, a contradiction), `family_not_available`; `details`
 * holds `{ variant, field, expected, actual }`.
 */
export function checkConfig(config: RendererConfigInput, options: CheckConfigOptions = {}): CheckedConfig {
  const name = checkName(config);
  const result = rendererConfigSchema.safeParse(config);
  if (!result.success) throw configError(name, config, result.error.issues, options.labels ?? {});
  const family = familyConfig(name);
  if (family !== undefined) checkRetention(family, config);
  return Object.freeze(result.data);
}

function checkName(config: unknown): string {
  const name = isRecord(config) ? config.name : undefined;
  if (typeof name !== "string" || !(name === "auto" || name === "default" || isFamilyName(name))) {
    const field = isRecord(config) ? "name" : "config";
    const expected = isRecord(config) ? "a family's name" : "an object with a name";
    const actual = describe(isRecord(config) ? name : config);
    throw new TitoError(
      "invalid_config",
      `${field}: expected ${expected}, found ${actual}. Use one of auto, default, ${familyNames.join(", ")}.`,
      { details: { variant: undefined, field, expected, actual } },
    );
  }
  if (name !== "auto" && name !== "default" && familyConfig(name) === undefined) throw familyNotAvailable(name);
  return name;
}

export function familyNotAvailable(name: string, model?: string): TitoError {
  const available = familyNames.filter((other) => familyConfig(other) !== undefined);
  const subject = model === undefined ? `The family "${name}"` : `The family "${name}" of the model "${model}"`;
  return new TitoError(
    "family_not_available",
    `${subject} is not in this version. Use a model of ${available.join(", ")}, or a later version.`,
    { details: { family: name, model, available } },
  );
}

function configError(
  variant: string,
  config: RendererConfigInput,
  issues: readonly z.core.$ZodIssue[],
  labels: Readonly<Record<string, string>>,
): TitoError {
  const problems = issues.flatMap((issue) => problemsOf(issue, variant, config, labels));
  const sentences = problems.map(({ sentence }) => sentence);
  const { field, expected, actual } = problems[0]!;
  return new TitoError("invalid_config", `Config "${variant}": ${sentences.join(" ")}`, {
    details: { variant, field, expected, actual, problems: sentences },
  });
}

interface ConfigProblem {
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
  readonly sentence: string;
}

function problemsOf(
  issue: z.core.$ZodIssue,
  variant: string,
  config: RendererConfigInput,
  labels: Readonly<Record<string, string>>,
): ConfigProblem[] {
  const fields = fieldsOf(variant);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const camel = camelCase(key);
      const remedy =
        camel !== key && fields.includes(camel)
          ? `Write ${camel}; the template's own names belong into chatTemplateKwargs.`
          : `Its fields are ${fields.join(", ")}.`;
      const actual = describe((config as unknown as Record<string, unknown>)[key]);
      const expected = "no such field";
      return { field: key, expected, actual, sentence: `"${variant}" has no field ${key}. ${remedy}` };
    });
  }
  const [first, ...rest] = issue.path.map(String);
  const field = [labels[first ?? ""] ?? first, ...rest].join(".");
  const expected = expectedOf(issue);
  const actual = describe(
    issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)?.[key], config),
  );
  return [
    {
      field,
      expected,
      actual,
      sentence: `${field}: expected ${expected}, found ${actual}. Correct it or leave it out.`,
    },
  ];
}

function expectedOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `a ${issue.expected}`;
  if (issue.code === "invalid_value") return issue.values.map((value) => JSON.stringify(value)).join(" or ");
  return issue.message;
}

function fieldsOf(variant: string): string[] {
  const schema = rendererConfigSchema.options.find((option) => option.shape.name.value === variant);
  return Object.keys(schema?.shape ?? {});
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
