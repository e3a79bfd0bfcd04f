import {
  type JsonInput,
  JsonNumber,
  objectEntries,
  pythonStr,
  type ToolSpec,
  toolFunction,
} from "../messages/index.ts";
import { inKeyOrder, isFields, listed, quoted, type ValuePiece, valuePieces } from "./gemmaValues.ts";
import { toolValue } from "./toolValue.ts";

/*
 * A tool as Gemma's format declares it; fields that the schema lacks are left out, types are written in capitals:
 *
 *   declaration:{name}{description:▸…▸,parameters:{properties:{{key}:{…,type:▸STRING▸},…},required:[▸{key}▸],type:▸OBJECT▸}}
 */

export function declarationPieces(tool: ToolSpec): ValuePiece[] {
  const fields = fieldsOf(toolFunction(toolValue(tool) as ToolSpec) as JsonInput);
  const parts = [[`description:`, ...quoted(textOf(fields.get("description")))]];
  const parameters = fieldsOf(fields.get("parameters"));
  if (parameters.size > 0) parts.push(["parameters:{", ...listed(schemaParts(parameters)), "}"]);
  if (fields.has("response"))
    parts.push(["response:{", ...listed(responseParts(fieldsOf(fields.get("response")))), "}"]);
  return [`declaration:${textOf(fields.get("name"))}{`, ...listed(parts), "}"];
}

function schemaParts(schema: Fields): ValuePiece[][] {
  const properties = fieldsOf(schema.get("properties"));
  const parts: ValuePiece[][] = [];
  if (properties.size > 0) parts.push(["properties:", ...propertiesPieces(properties)]);
  if (isSet(schema.get("required"))) parts.push(requiredPieces(schema.get("required")));
  if (isSet(schema.get("type"))) parts.push(["type:", ...quoted(typeOf(schema))]);
  return parts;
}

function responseParts(response: Fields): ValuePiece[][] {
  const parts: ValuePiece[][] = [];
  const description = response.get("description");
  if (isSet(description)) parts.push(["description:", ...quoted(textOf(description))]);
  if (typeOf(response) === "OBJECT") parts.push(["type:", ...quoted("OBJECT")]);
  return parts;
}

function propertiesPieces(properties: Fields): ValuePiece[] {
  const members = inKeyOrder([...properties]).map(([key, schema]) => [
    `${key}:{`,
    ...listed(propertyParts(fieldsOf(schema))),
    "}",
  ]);
  return ["{", ...listed(members), "}"];
}

const keywords = new Set(["description", "type", "properties", "required", "nullable"]);

function propertyParts(schema: Fields): ValuePiece[][] {
  const type = typeOf(schema);
  const description = schema.get("description");
  const choices = schema.get("enum");
  const items = fieldsOf(schema.get("items"));
  const required = schema.get("required");
  const parts: ValuePiece[][] = [];
  if (isSet(description)) parts.push(["description:", ...quoted(textOf(description))]);
  if (type === "STRING" && isSet(choices)) parts.push(["enum:", ...valuePieces(choices, "quoted")]);
  if (type === "ARRAY" && items.size > 0) parts.push(["items:{", ...listed(itemsParts(items)), "}"]);
  if (isSet(schema.get("nullable"))) parts.push(["nullable:true"]);
  if (type === "OBJECT") {
    // Without properties all fields that are no keywords of a schema stand in their place.
    const properties = isFields(schema.get("properties"))
      ? fieldsOf(schema.get("properties"))
      : new Map([...schema].filter(([key]) => !keywords.has(key)));
    parts.push(["properties:", ...propertiesPieces(properties)]);
    if (isSet(required)) parts.push(requiredPieces(required));
  }
  parts.push(["type:", ...quoted(type)]);
  return parts;
}

function itemsParts(items: Fields): ValuePiece[][] {
  return inKeyOrder([...items])
    .filter(([, value]) => value !== null)
    .map(([key, value]) => {
      if (key === "properties") return ["properties:", ...propertiesPieces(fieldsOf(value))];
      if (key === "required") return requiredPieces(value);
      if (key !== "type") return [`${key}:`, ...valuePieces(value, "quoted")];
      const type = Array.isArray(value) ? value.map((one: JsonInput) => pythonStr(one).toUpperCase()) : typeOf(items);
      return ["type:", ...valuePieces(type, "quoted")];
    });
}

function requiredPieces(names: JsonInput | undefined): ValuePiece[] {
  const items = Array.isArray(names) ? names.map((name: JsonInput) => quoted(pythonStr(name))) : [];
  return ["required:[", ...listed(items), "]"];
}

/** In capitals; of several types the list as Python prints it. */
const typeOf = (schema: Fields): string => textOf(schema.get("type")).toUpperCase();

const textOf = (value: JsonInput | undefined): string => (isSet(value) ? pythonStr(value) : "");

type Fields = ReadonlyMap<string, JsonInput>;

/** What is no object has no fields. */
const fieldsOf = (value: JsonInput | undefined): Fields => new Map(isFields(value) ? objectEntries(value) : []);

/** As Python takes a value for true. */
function isSet(value: JsonInput | undefined): value is JsonInput {
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof JsonNumber) return Number(value.text) !== 0;
  return isFields(value) ? objectEntries(value).length > 0 : Boolean(value);
}
