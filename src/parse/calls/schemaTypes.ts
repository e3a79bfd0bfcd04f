import { type JsonInput, JsonNumber } from "../../messages/index.ts";

/**
 * The JSON types that a schema allows ("integer" counts as "number"); null where it does not say: no schema, `$ref`, no
 * `type`, or anything that cannot be decided from the schema alone.
 */
export function schemaTypes(schema: JsonInput | undefined): ReadonlySet<string> | null {
  const fields = fieldsOf(schema);
  if (fields === undefined) return null;
  const types = new Set<string>();
  const alternatives = fields("anyOf") ?? fields("oneOf");
  if (Array.isArray(alternatives)) {
    for (const one of alternatives as readonly JsonInput[]) {
      const inner = schemaTypes(one);
      if (inner === null) return null;
      for (const type of inner) types.add(type);
    }
  } else if (Array.isArray(fields("enum"))) {
    for (const value of fields("enum") as readonly JsonInput[]) types.add(typeOfJson(value));
  } else if (fields("const") !== undefined) types.add(typeOfJson(fields("const") as JsonInput));
  else {
    for (const type of [fields("type")].flat()) {
      if (typeof type !== "string") return null;
      types.add(type === "integer" ? "number" : type);
    }
  }
  if (fields("nullable") === true) types.add("null");
  return types;
}

export function typeOfJson(value: JsonInput): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (value instanceof JsonNumber || typeof value === "bigint") return "number";
  return typeof value;
}

function fieldsOf(schema: JsonInput | undefined): ((name: string) => JsonInput | undefined) | undefined {
  if (schema instanceof Map) return (name) => schema.get(name);
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined;
  return (name) => (Object.hasOwn(schema, name) ? (schema as Record<string, JsonInput>)[name] : undefined);
}
