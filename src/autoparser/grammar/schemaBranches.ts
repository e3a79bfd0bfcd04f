import { fieldsOf, isList, isObject, type SchemaObject } from "../../gbnf/schema/fields.ts";
import { resolveReference } from "../../gbnf/schema/references.ts";
import { type JsonInput, JsonNumber } from "../../messages/index.ts";
import type { JsonType } from "../../parse/layout/layout.ts";

/** The part of a schema that is about values of one type. */
export interface SchemaBranch {
  readonly type: JsonType;
  readonly schema: SchemaObject;
}

const allTypes: readonly JsonType[] = ["string", "number", "boolean", "null", "array", "object"];
const maxDepth = 40;

/** A schema by the types of its values, which formats may write in different ways. */
export function schemaBranches(schema: JsonInput, root: JsonInput, depth = 0): readonly SchemaBranch[] {
  if (!isObject(schema) || depth > maxDepth) return schema === false ? [] : untyped(new Map());
  const fields = fieldsOf(schema);
  const reference = fields.get("$ref");
  if (typeof reference === "string") return schemaBranches(resolveReference(root, reference, "/$ref"), root, depth + 1);
  const without = (name: string): [string, JsonInput][] => [...fields].filter(([key]) => key !== name);
  if (fields.get("nullable") === true) {
    return [
      ...schemaBranches(new Map(without("nullable")), root, depth + 1),
      { type: "null", schema: new Map([["type", "null"]]) },
    ];
  }
  for (const union of ["oneOf", "anyOf"]) {
    const options = fields.get(union);
    if (!isList(options)) continue;
    const base = without(union).filter(([key]) => !annotations.has(key));
    return options.flatMap((option) =>
      schemaBranches(base.length === 0 ? option : new Map([...base, ["allOf", [option]]]), root, depth + 1),
    );
  }
  if (fields.has("const")) return [{ type: typeOf(fields.get("const")!), schema: fields }];
  const values = fields.get("enum");
  if (isList(values)) {
    const types = [...new Set(values.map(typeOf))];
    return types.map((type) => ({ type, schema: new Map([["enum", values.filter((one) => typeOf(one) === type)]]) }));
  }
  const type = fields.get("type");
  if (isList(type)) {
    return type.flatMap((one) => schemaBranches(new Map([...fields, ["type", one]]), root, depth + 1));
  }
  const parts = fields.get("allOf");
  if (isList(parts)) {
    const types = [fields, ...parts].flatMap((part) =>
      part === fields
        ? typeof type === "string"
          ? [type as JsonType]
          : []
        : [...new Set(schemaBranches(part as JsonInput, root, depth + 1).map((one) => one.type))],
    );
    const [only] = parts;
    if (parts.length === 1 && without("allOf").every(([key]) => annotations.has(key))) {
      return schemaBranches(only, root, depth + 1);
    }
    return [...new Set(types)].slice(0, 1).map((one) => ({ type: one, schema: fields }));
  }
  if (typeof type === "string") return [{ type: type as JsonType, schema: fields }];
  if (fields.has("properties") || fields.has("required")) return [{ type: "object", schema: fields }];
  if (fields.has("items") || fields.has("prefixItems")) return [{ type: "array", schema: fields }];
  if (fields.has("pattern") || fields.has("minLength") || fields.has("maxLength")) {
    return [{ type: "string", schema: fields }];
  }
  return untyped(fields);
}

const annotations = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$comment",
  "deprecated",
  "$defs",
  "definitions",
]);

const untyped = (fields: SchemaObject): SchemaBranch[] =>
  allTypes.map((type) => ({ type, schema: new Map([...fields, ["type", type]]) }));

export function typeOf(value: JsonInput): JsonType {
  if (value === null) return "null";
  if (isList(value)) return "array";
  if (value instanceof JsonNumber) return /^-?[0-9]+$/.test(value.text) ? "integer" : "number";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  if (typeof value === "bigint") return "integer";
  return isObject(value) ? "object" : (typeof value as JsonType);
}

/** A part of a schema that can stand alone: it takes the definitions with it. */
export function withDefinitions(schema: SchemaObject, root: JsonInput): SchemaObject {
  if (!isObject(root) || !namesReference(schema)) return schema;
  const all = fieldsOf(root);
  const definitions = ["$defs", "definitions"].flatMap((name): [string, JsonInput][] =>
    all.has(name) ? [[name, all.get(name)!]] : [],
  );
  return new Map([...definitions, ...schema]);
}

function namesReference(value: JsonInput): boolean {
  if (isList(value)) return value.some(namesReference);
  if (!isObject(value)) return false;
  const fields = fieldsOf(value);
  return fields.has("$ref") || [...fields.values()].some(namesReference);
}

const textLimits = new Set(["pattern", "format"]);
const textLengths = new Set(["minLength", "maxLength"]);
const data = new Set(["enum", "const", "default", "examples"]);

/** The schema with no limits on texts, or none on their lengths, for spellings that cannot follow them. */
export function withoutTextLimits(schema: JsonInput, which: "all" | "lengths" = "all"): JsonInput {
  if (isList(schema)) return schema.map((one) => withoutTextLimits(one, which));
  if (!isObject(schema)) return schema;
  return new Map(
    [...fieldsOf(schema)].flatMap(([key, value]): [string, JsonInput][] => {
      if (which === "all" && textLimits.has(key) && typeof value === "string") return [];
      if (textLengths.has(key) && !isObject(value)) return [];
      return [[key, data.has(key) ? value : withoutTextLimits(value, which)]];
    }),
  );
}
