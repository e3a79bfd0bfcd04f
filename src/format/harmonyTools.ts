/*
 * Tools as Harmony declares them: a namespace of TypeScript types.
 *
 *   # Tools⏎⏎## functions⏎⏎namespace functions {⏎⏎
 *   // {description}⏎
 *   type {name} = (_: {⏎
 *   // {property's description}⏎
 *   {property}?: string, // default: "x"⏎
 *   }) => any;⏎⏎
 *   } // namespace functions
 */
import {
  type JsonInput,
  JsonNumber,
  objectEntries,
  parseJson,
  type ToolSpec,
  toolFunction,
} from "../messages/index.ts";
import { serdeJson } from "./serdeJson.ts";

/** Tools that share a name before the dot. Without tools the description is all that is said. */
export interface HarmonyNamespace {
  readonly name: string;
  readonly description?: string;
  readonly tools: readonly HarmonyTool[];
}

export interface HarmonyTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema; undefined for a tool that takes nothing. */
  readonly parameters: JsonInput | undefined;
}

/** The namespace of the user's own tools. */
export function functionsNamespace(tools: readonly ToolSpec[]): HarmonyNamespace {
  return { name: "functions", tools: tools.map(harmonyTool) };
}

function harmonyTool(tool: ToolSpec): HarmonyTool {
  const { name, description, parameters } = toolFunction(tool);
  const schema = typeof parameters === "string" ? parseJson(parameters) : parameters;
  return { name: name ?? "", description: description ?? "", parameters: schema ?? undefined };
}

/** The section of a system or developer message that declares tools. */
export function harmonyTools(namespaces: readonly HarmonyNamespace[]): string {
  return ["# Tools", ...namespaces.map(namespaceText)].join("\n\n");
}

function namespaceText({ name, description, tools }: HarmonyNamespace): string {
  const about = rustLines(description ?? "");
  if (tools.length === 0) return [`## ${name}\n`, ...about].join("\n");
  return [
    `## ${name}\n`,
    ...about.map(comment),
    `namespace ${name} {\n`,
    ...tools.flatMap((tool) => [...rustLines(tool.description).map(comment), `${toolType(tool)}\n`]),
    `} // namespace ${name}`,
  ].join("\n");
}

const comment = (line: string): string => `// ${line}`;

function toolType({ name, parameters }: HarmonyTool): string {
  return `type ${name} = (${parameters === undefined ? "" : `_: ${typeText(parameters, "")}`}) => any;`;
}

/** Lines as Rust's `str::lines` has them: CRLF ends a line, too, and the last line's end begins no other. */
function rustLines(text: string): string[] {
  const lines = text.split("\n").map((line, i, all) => (i < all.length - 1 ? line.replace(/\r$/, "") : line));
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function typeText(schema: JsonInput, indent: string): string {
  const alternatives = field(schema, "oneOf");
  if (Array.isArray(alternatives)) {
    const types = alternatives.map((one) => `\n${indent} | ${nullableType(one, `${indent}   `)}${ownNotes(one)}`);
    return types.join("");
  }
  const type = field(schema, "type");
  if (Array.isArray(type)) {
    const names = type.filter((one) => typeof one === "string").map((one) => (one === "integer" ? "number" : one));
    return names.length > 0 ? names.join(" | ") : "any";
  }
  switch (type) {
    case "object":
      return objectType(schema, indent);
    case "array": {
      const items = field(schema, "items");
      return items === undefined ? "Array<any>" : `${typeText(items, indent)}[]`;
    }
    case "string":
      return literals(schema).join(" | ") || "string";
    case "integer":
      return "number";
    case "number":
    case "boolean":
      return type;
    default:
      return "any";
  }
}

function objectType(schema: JsonInput, indent: string): string {
  const description = text(schema, "description");
  const about = description === undefined ? "" : `${indent}// ${description}\n`;
  const required = list(schema, "required");
  const properties = fields(field(schema, "properties")).map(([name, property]) => {
    const label = `${indent}${name}${required.includes(name) ? "" : "?"}:`;
    return Array.isArray(field(property, "oneOf"))
      ? alternativesProperty(label, property, indent)
      : plainProperty(label, property, indent);
  });
  return `${about}{\n${properties.join("")}${indent}}`;
}

function plainProperty(label: string, property: JsonInput, indent: string): string {
  const isPlain = field(property, "oneOf") === undefined;
  const description = isPlain ? text(property, "description") : undefined;
  const about = description === undefined ? "" : `${indent}// ${description}\n`;
  const note = isPlain ? defaultNote(property) : undefined;
  return (
    `${titleLines(property, indent)}${about}${exampleLines(property, indent)}` +
    `${label} ${nullableType(property, `${indent}    `)},${note === undefined ? "" : ` // ${note}`}\n`
  );
}

/** A property of several types: one a line, the notes of each behind it unless the property's own say the same. */
function alternativesProperty(label: string, property: JsonInput, indent: string): string {
  const variants = list(property, "oneOf");
  const description = text(property, "description");
  const isSaidAbove = description !== undefined && description !== text(variants[0], "description");
  const note = defaultNote(property);
  const lines = variants.map((variant, i) => {
    const own = text(variant, "description");
    const isSaid = own === undefined || own === description || (i === 0 && isSaidAbove);
    const notes = [isSaid ? undefined : own, defaultNote(variant)].filter((one) => one !== undefined);
    return `${indent} | ${nullableType(variant, `${indent}   `)}${notes.length > 0 ? ` // ${notes.join(" ")}` : ""}\n`;
  });
  return (
    `${titleLines(property, indent)}${exampleLines(property, indent)}` +
    `${isSaidAbove ? `${indent}// ${description}\n` : ""}${note === undefined ? "" : `${indent}// ${note}\n`}` +
    `${label}\n${lines.join("")}${indent},\n`
  );
}

function titleLines(property: JsonInput, indent: string): string {
  const title = text(property, "title");
  return title === undefined ? "" : `${indent}// ${title}\n${indent}//\n`;
}

function exampleLines(property: JsonInput, indent: string): string {
  const examples = list(property, "examples");
  if (examples.length === 0) return "";
  const shown = examples.filter((one) => typeof one === "string").map((one) => `${indent}// - "${one}"\n`);
  return `${indent}// Examples:\n${shown.join("")}`;
}

function nullableType(schema: JsonInput, indent: string): string {
  const type = typeText(schema, indent);
  return field(schema, "nullable") === true && !type.includes("null") ? `${type} | null` : type;
}

/** Notes behind an alternative that stands where no property is, such as an array's items. */
function ownNotes(schema: JsonInput): string {
  const value = field(schema, "default");
  const isLiteral = typeof value === "string" && list(schema, "enum").length > 0;
  // Here Harmony quotes the default of an enum, as it does nowhere else.
  const note = isLiteral ? `default: ${serdeJson(value)}` : defaultNote(schema);
  const notes = [text(schema, "description"), note].filter((one) => one !== undefined);
  return notes.length > 0 ? ` // ${notes.join(" ")}` : "";
}

function defaultNote(schema: JsonInput): string | undefined {
  const value = field(schema, "default");
  if (value === undefined) return undefined;
  if (typeof value !== "string") return `default: ${serdeJson(value)}`;
  return `default: ${list(schema, "enum").length > 0 ? value : `"${value}"`}`;
}

const literals = (schema: JsonInput): string[] =>
  list(schema, "enum")
    .filter((one) => typeof one === "string")
    .map((one) => `"${one}"`);

function fields(value: JsonInput | undefined): [string, JsonInput][] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof JsonNumber) return [];
  return objectEntries(value as ReadonlyMap<string, JsonInput>);
}

function field(schema: JsonInput | undefined, name: string): JsonInput | undefined {
  if (schema instanceof Map) return schema.get(name);
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined;
  return Object.hasOwn(schema, name) ? (schema as Record<string, JsonInput>)[name] : undefined;
}

function list(schema: JsonInput | undefined, name: string): readonly JsonInput[] {
  const value = field(schema, name);
  return Array.isArray(value) ? value : [];
}

function text(schema: JsonInput | undefined, name: string): string | undefined {
  const value = field(schema, name);
  return typeof value === "string" ? value : undefined;
}
