import { equalJson, type JsonInput } from "../../messages/index.ts";
import { countOf, fieldsOf, isList, isObject, type SchemaObject, textsOf, wholeNumber } from "./fields.ts";

export type MergeResult =
  | { readonly ok: true; readonly schema: SchemaObject; readonly dropped: readonly string[] }
  /** Nothing fits both. */
  | { readonly ok: false; readonly keyword: string };

type Merged = { readonly value: JsonInput } | "impossible" | "dropped";

/** One schema that says what two say; `dropped` are keywords of the second one that found no place. */
export function mergeSchemas(a: SchemaObject, b: SchemaObject): MergeResult {
  const schema = new Map(a);
  const dropped: string[] = [];
  for (const [keyword, value] of b) {
    const before = schema.get(keyword);
    if (before === undefined) {
      schema.set(keyword, value);
      continue;
    }
    const merged = mergeKeyword(keyword, before, value);
    if (merged === "impossible") return { ok: false, keyword };
    if (merged === "dropped") dropped.push(keyword);
    else schema.set(keyword, merged.value);
  }
  return settleConstants(schema, dropped);
}

const comments = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
]);

function mergeKeyword(keyword: string, a: JsonInput, b: JsonInput): Merged {
  if (comments.has(keyword) || equalJson(a, b)) return { value: a };
  switch (keyword) {
    case "type": {
      const types = commonTypes(isList(a) ? a : [a], isList(b) ? b : [b]);
      return types.length === 0 ? "impossible" : { value: types.length === 1 ? types[0] : types };
    }
    case "enum":
      return isList(a) && isList(b)
        ? { value: a.filter((one) => b.some((other) => equalJson(one, other))) }
        : "dropped";
    case "const":
      return "impossible";
    case "required":
      return { value: [...new Set([...textsOf(a), ...textsOf(b)])] };
    case "properties":
      return isObject(a) && isObject(b) ? { value: mergeProperties(fieldsOf(a), fieldsOf(b)) } : "dropped";
    case "items":
    case "additionalProperties":
    case "additionalItems":
      return { value: both(a, b) };
    case "minimum":
    case "exclusiveMinimum":
      return larger(a, b, true);
    case "maximum":
    case "exclusiveMaximum":
      return larger(a, b, false);
    case "minLength":
    case "minItems":
      return { value: Math.max(countOf(a) ?? 0, countOf(b) ?? 0) };
    case "maxLength":
    case "maxItems":
      return { value: Math.min(countOf(a) ?? Number.MAX_SAFE_INTEGER, countOf(b) ?? Number.MAX_SAFE_INTEGER) };
    case "anyOf":
    case "oneOf":
    case "allOf":
      return keyword === "allOf" && isList(a) && isList(b) ? { value: [...a, ...b] } : "dropped";
    default:
      return "dropped";
  }
}

function commonTypes(a: readonly JsonInput[], b: readonly JsonInput[]): JsonInput[] {
  const common = a.filter((type) => b.includes(type));
  const narrowed = (x: readonly JsonInput[], y: readonly JsonInput[]) =>
    x.includes("integer") && !common.includes("integer") && !common.includes("number") && y.includes("number");
  return narrowed(a, b) || narrowed(b, a) ? [...common, "integer"] : common;
}

function mergeProperties(a: SchemaObject, b: SchemaObject): SchemaObject {
  const properties = new Map(a);
  for (const [name, schema] of b) {
    const before = properties.get(name);
    properties.set(name, before === undefined ? schema : both(before, schema));
  }
  return properties;
}

function both(a: JsonInput, b: JsonInput): JsonInput {
  if (a === false || b === false) return false;
  if (a === true || b === true) return a === true ? b : a;
  return equalJson(a, b) ? a : new Map<string, JsonInput>([["allOf", [a, b]]]);
}

function larger(a: JsonInput, b: JsonInput, wanted: boolean): Merged {
  const [x, y] = [wholeNumber(a, "down"), wholeNumber(b, "down")];
  return x === undefined || y === undefined ? "dropped" : { value: x > y === wanted ? a : b };
}

function settleConstants(schema: Map<string, JsonInput>, dropped: readonly string[]): MergeResult {
  const constant = schema.get("const");
  const options = schema.get("enum");
  if (isList(options) && constant !== undefined) {
    if (!options.some((one) => equalJson(one, constant))) return { ok: false, keyword: "const" };
    schema.delete("enum");
  }
  return isList(schema.get("enum")) && (schema.get("enum") as readonly JsonInput[]).length === 0
    ? { ok: false, keyword: "enum" }
    : { ok: true, schema, dropped };
}
