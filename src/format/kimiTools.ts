import {
  compareCodePoints,
  type JsonInput,
  JsonNumber,
  objectEntries,
  pythonJson,
  pythonStr,
  type ToolSpec,
  toolFunction,
} from "../messages/index.ts";
import { toolValue } from "./toolValue.ts";

/*
 * Tools as Kimi K2.5 declares them, in the manner of TypeScript:
 *
 *   # Tools
 *
 *   ## functions
 *   namespace functions {
 *   // {description}
 *   type {name} = (_: {
 *     // {description of a parameter}
 *     // {constraint: value, …}
 *     {parameter}?: string | null
 *   }) => any;
 *   }
 *
 * Parameters are sorted, required ones first; schemas under `$defs` become interfaces before the function's type.
 */

/** Null where a schema has something that the declaration has no words for, such as `oneOf` or no type at all. */
export function declareTools(tools: readonly ToolSpec[]): string | null {
  try {
    const functions = tools.map(declareTool).filter((text) => text !== "");
    return functions.length === 0 ? "" : `# Tools\n\n## functions\nnamespace functions {\n${functions.join("\n")}\n}\n`;
  } catch (error) {
    if (error === NO_WORDS) return null;
    throw error;
  }
}

/** Thrown from deep inside a schema, and caught in `declareTools`. */
const NO_WORDS = Symbol("a schema that cannot be declared");

const STEP = "  ";

/** A schema, read: its comments and its type, for any indentation. */
interface Type {
  comments(indent: string): string;
  print(indent: string): string;
}

interface ObjectType extends Type {
  readonly members: readonly Member[];
}

interface Member {
  readonly name: string;
  readonly optional: boolean;
  print(indent: string): string;
}

/** What a function's schemas may refer to. */
interface Scope {
  readonly definitions: Map<string, JsonInput>;
  refersToRoot: boolean;
}

type Fields = ReadonlyMap<string, JsonInput>;

function declareTool(tool: ToolSpec): string {
  const { type } = tool as { readonly type?: string };
  const fn = fieldsOf(toolFunction(toolValue(tool) as ToolSpec) as JsonInput);
  if ((type && type !== "function") || !fn || fn.size === 0) return "";
  const scope: Scope = { definitions: new Map(), refersToRoot: false };
  const parameters = parametersOf(fn.get("parameters"));
  const root = objectType(parameters, scope);
  // A definition that refers to the root does not make it an interface: what it refers to stays undeclared.
  const { refersToRoot } = scope;
  const interfaces: string[] = [];
  if (refersToRoot) {
    const members = root.members.map((member) => member.print(STEP)).join(",\n");
    interfaces.push(`interface parameters {${members && `\n${members}\n`}}`);
  }
  const definitions = [...scope.definitions];
  for (const [name, schema] of definitions) {
    const description = (fieldsOf(schema) ?? unsaid()).get("description");
    const type = readType(schema, scope).print("");
    interfaces.push(`${description ? `${commented(description)}\n` : ""}interface ${name} ${type}`);
  }
  // Definitions inside of definitions are beyond the published encoder, too.
  if (scope.definitions.size > definitions.length) return unsaid();
  const description = fn.get("description");
  const argument = refersToRoot ? "parameters" : root.print("");
  return [
    ...interfaces,
    ...(description ? [commented(description)] : []),
    `type ${pythonStr(fn.get("name") ?? "function")} = (_: ${argument}) => any;`,
  ].join("\n");
}

function parametersOf(value: JsonInput | undefined): Fields {
  return fieldsOf(value ?? null) ?? (value ? unsaid() : new Map());
}

function readType(schema: JsonInput, scope: Scope): Type {
  if (typeof schema === "boolean") return plain(schema ? "any" : "null");
  const fields = fieldsOf(schema) ?? unsaid();
  if (fields.has("$ref")) return described(fields, [], refName(fields, scope));
  if (fields.has("anyOf")) {
    const types = itemsOf(fields.get("anyOf")).map((one) => readType(one, scope));
    return described(fields, [], (indent) => types.map((one) => one.print(indent)).join(" | "));
  }
  if (fields.has("enum")) return described(fields, [], itemsOf(fields.get("enum")).map(literal).join(" | "));
  const type = fields.get("type");
  if (Array.isArray(type)) return described(fields, [], type.map((one) => unionNames.get(one) ?? unsaid()).join(" | "));
  if (type === "object") return objectType(fields, scope);
  if (type === "array") return arrayType(fields, scope);
  if (typeof type === "string") {
    return described(fields, constraints.get(type) ?? [], type === "integer" ? "number" : type);
  }
  return fields.size === 0 ? plain("any") : unsaid();
}

const numeric = ["maximum", "minimum"];
const constraints: ReadonlyMap<string, readonly string[]> = new Map([
  ["string", ["maxLength", "minLength", "pattern"]],
  ["number", numeric],
  ["integer", numeric],
]);

const unionNames: ReadonlyMap<unknown, string> = new Map([
  ["string", "string"],
  ["number", "number"],
  ["integer", "number"],
  ["boolean", "boolean"],
  ["null", "null"],
  ["object", "{}"],
  ["array", "Array<any>"],
]);

function refName(fields: Fields, scope: Scope): string {
  const ref = fields.get("$ref");
  if (ref === "#") {
    scope.refersToRoot = true;
    return "parameters";
  }
  const name = typeof ref === "string" && ref.startsWith("#/$defs/") ? (ref.split("/").at(-1) as string) : unsaid();
  return fieldsOf(scope.definitions.get(name) ?? null) ? name : unsaid();
}

function objectType(fields: Fields, scope: Scope): ObjectType {
  for (const [name, schema] of entriesOf(fields.get("$defs"))) scope.definitions.set(name, schema);
  const others = otherMembers(fields.get("additionalProperties"), scope);
  const required = new Set(fields.has("required") ? itemsOf(fields.get("required")) : []);
  const members = entriesOf(fields.get("properties")).map(([name, schema]) =>
    member(name, schema, !required.has(name), scope),
  );
  const sorted = members.toSorted(
    (a, b) => Number(a.optional) - Number(b.optional) || compareCodePoints(a.name, b.name),
  );
  const type = described(fields, [], (indent) => {
    const inner = indent + STEP;
    const lines = [
      ...sorted.map((one) => one.print(inner)),
      ...(others ? [`${inner}[k: string]: ${others.print(inner)}`] : []),
    ];
    return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n${indent}}`;
  });
  return { ...type, members };
}

function otherMembers(schema: JsonInput | undefined, scope: Scope): Type | null {
  if (schema === undefined || schema === null) return null;
  return typeof schema === "boolean" ? plain(schema ? "any" : "never") : readType(schema, scope);
}

function member(name: string, schema: JsonInput, optional: boolean, scope: Scope): Member {
  const type = readType(schema, scope);
  const byDefault = fieldsOf(schema)?.get("default") ?? null;
  return {
    name,
    optional,
    print(indent) {
      const note = byDefault === null ? "" : `${indent}// Default: ${pythonJson(byDefault)}\n`;
      return `${type.comments(indent)}${note}${indent}${name}${optional ? "?" : ""}: ${type.print(indent)}`;
    },
  };
}

function arrayType(fields: Fields, scope: Scope): Type {
  const items = fields.get("items") ?? null;
  const item = isNothing(items) ? plain("any") : readType(items, scope);
  return described(fields, ["maxItems", "minItems"], (indent) => {
    const inner = indent + STEP;
    const comments = item.comments(inner);
    return comments ? `Array<\n${comments}${inner}${item.print(inner)}\n${indent}>` : `Array<${item.print(indent)}>`;
  });
}

function isNothing(value: JsonInput): boolean {
  return !value || (Array.isArray(value) ? value.length === 0 : fieldsOf(value)?.size === 0);
}

function plain(text: string): Type {
  return { comments: () => "", print: () => text };
}

/** A type with its description and its constraints, which are given in the order of their names. */
function described(fields: Fields, constraints: readonly string[], print: string | Type["print"]): Type {
  const description = fields.get("description");
  const limits = constraints.filter((name) => fields.has(name));
  return {
    comments(indent) {
      const lines = description ? [commented(description, indent)] : [];
      const limit = limits.map((name) => `${name}: ${pythonStr(fields.get(name) as JsonInput)}`).join(", ");
      if (limit !== "") lines.push(`${indent}// ${limit}`);
      return lines.map((line) => `${line}\n`).join("");
    },
    print: typeof print === "string" ? () => print : print,
  };
}

function commented(description: JsonInput, indent = ""): string {
  if (typeof description !== "string") return unsaid();
  return description
    .split("\n")
    .map((line) => line && `${indent}// ${line}`)
    .join("\n");
}

/** Text is not escaped, everything else is JSON. */
function literal(value: JsonInput): string {
  return typeof value === "string" ? `"${value}"` : pythonJson(value, { ensureAscii: true });
}

function fieldsOf(value: JsonInput): Fields | null {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof JsonNumber) return null;
  return value instanceof Map ? value : new Map(objectEntries(value as { readonly [key: string]: JsonInput }));
}

function entriesOf(value: JsonInput | undefined): [string, JsonInput][] {
  return value === undefined ? [] : [...(fieldsOf(value) ?? unsaid())];
}

function itemsOf(value: JsonInput | undefined): readonly JsonInput[] {
  return Array.isArray(value) ? value : unsaid();
}

function unsaid(): never {
  throw NO_WORDS;
}
