import type { z } from "zod";
import { TitoError } from "../errors.ts";
import { describe, isRecord } from "../messages/messageError.ts";
import { variants } from "./rendererConfig.ts";

type Fields = Readonly<Record<string, unknown>>;

/** @throws TitoError `invalid_config` when no variant has the config's name. */
export function variantOf(config: unknown): { readonly name: string; readonly schema: z.ZodObject } {
  const name = isRecord(config) ? config.name : undefined;
  const schema = typeof name === "string" ? variants.get(name) : undefined;
  if (typeof name === "string" && schema !== undefined) return { name, schema };
  const field = isRecord(config) ? "name" : "config";
  const expected = isRecord(config) ? "a family's name" : "an object with a name";
  const actual = describe(isRecord(config) ? name : config);
  throw new TitoError(
    "invalid_config",
    `${field}: expected ${expected}, found ${actual}. Use one of ${[...variants.keys()].join(", ")}.`,
    { details: { variant: undefined, field, expected, actual } },
  );
}

/** All that is wrong with a config of the variant, in one error. `labels`: field → how the user wrote it. */
export function configError(
  variant: string,
  config: Fields,
  issues: readonly z.core.$ZodIssue[],
  labels: Readonly<Record<string, string>>,
): TitoError {
  const problems = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => unknownField(variant, key, config[key]))
      : [wrongValue(issue, config, labels)],
  );
  const sentences = problems.map(({ sentence }) => sentence);
  const { field, expected, actual } = problems[0]!;
  const list = sentences.length === 1 ? sentences[0] : sentences.map((sentence) => `\n- ${sentence}`).join("");
  return new TitoError("invalid_config", `Config "${variant}": ${list}`, {
    details: { variant, field, expected, actual, problems: sentences },
  });
}

interface ConfigProblem {
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
  readonly sentence: string;
}

function unknownField(variant: string, field: string, value: unknown): ConfigProblem {
  const problem = { field, expected: "no such field", actual: describe(value) };
  const own = variants.get(variant)?.shape ?? {};
  const camel = camelCase(field);
  if (camel !== field && Object.hasOwn(own, camel)) {
    const remedy = `Write ${camel}; the template's own names belong into chatTemplateKwargs.`;
    return { ...problem, sentence: `unknown field "${field}" for "${variant}". ${remedy}` };
  }
  const others = variantsWith(camel);
  const remedy =
    others.length > 0 ? `it exists for: ${others.join(", ")}.` : `its fields are ${Object.keys(own).join(", ")}.`;
  return { ...problem, sentence: `unknown field "${field}" for "${variant}"; ${remedy}` };
}

function wrongValue(issue: z.core.$ZodIssue, config: Fields, labels: Readonly<Record<string, string>>): ConfigProblem {
  const [first, ...rest] = issue.path.map(String);
  const field = [labels[first ?? ""] ?? first, ...rest].join(".");
  const expected = expectedOf(issue);
  const found = issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)?.[key], config);
  const actual = describe(found);
  return {
    field,
    expected,
    actual,
    sentence: `${field}: expected ${expected}, found ${actual}. Correct it or leave it out.`,
  };
}

const typeNames: Readonly<Record<string, string>> = {
  int: "a whole number",
  array: "an array",
  object: "an object",
  record: "an object",
};

function expectedOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return typeNames[issue.expected] ?? `a ${issue.expected}`;
  if (issue.code === "invalid_value") return issue.values.map((value) => JSON.stringify(value)).join(" or ");
  return issue.message;
}

/** Names of the variants that have this field. */
export function variantsWith(field: string): string[] {
  return [...variants].filter(([, { shape }]) => Object.hasOwn(shape, field)).map(([name]) => name);
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
