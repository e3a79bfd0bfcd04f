import {
  type JsonInput,
  JsonNumber,
  objectEntries,
  pythonStr,
  pythonStrip,
  type ToolSpec,
  toolFunction,
} from "../messages/index.ts";
import type { SpanWriter } from "../tokens/index.ts";
import { printedValue } from "./functionCallText.ts";
import { toolValue } from "./toolValue.ts";

/*
 * Tools listed in XML:
 *
 *   # Tools … <tools>
 *   <function>
 *   <name>…</name>
 *   <description>…</description>
 *   <parameters>
 *   <parameter>
 *   <name>…</name>
 *   <type>…</type>
 *   <description>…</description>
 *   <{field}>…</{field}>
 *   </parameter>
 *   <{field}>…</{field}>
 *   </parameters>
 *   <{field}>…</{field}>
 *   </function>
 *   </tools> … how to call them
 */

/** In what listings differ. */
export interface FunctionListing {
  /** Fields of a parameter that stand behind its description, as JSON whatever they hold; the others keep their order. */
  readonly parameterFields: readonly string[];
  /** Fields of the schema that stand behind its others, as JSON. */
  readonly schemaFields: readonly string[];
  readonly json: (value: JsonInput) => string;
}

export const FUNCTIONS_HEAD = "# Tools\n\nYou have access to the following functions:\n\n<tools>";

export const FUNCTIONS_TAIL =
  "\n</tools>\n\nIf you choose to call a function ONLY reply in the following format with NO suffix:\n\n" +
  "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n" +
  "<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n" +
  "</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n" +
  "- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within " +
  "<tool_call></tool_call> XML tags\n" +
  "- Required parameters MUST be specified\n" +
  "- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after\n" +
  "- If there is no function call available, answer the question like normal with your current knowledge and do not tell " +
  "the user about function calls\n</IMPORTANT>";

export function writeFunctionListing(
  out: SpanWriter,
  tools: readonly ToolSpec[],
  listing: FunctionListing,
): SpanWriter {
  out.scaffold(FUNCTIONS_HEAD);
  for (const tool of tools) out.scaffold("\n").foreign(functionText(tool, listing));
  return out.scaffold(FUNCTIONS_TAIL);
}

function functionText(tool: ToolSpec, listing: FunctionListing): string {
  const fields = fieldsOf(toolFunction(toolValue(tool) as ToolSpec) as JsonInput);
  const schema = fieldsOf(fields.get("parameters"));
  const parameters = [...fieldsOf(schema.get("properties"))].flatMap(([name, parameter]) =>
    parameterLines(name, fieldsOf(parameter), listing),
  );
  return [
    "<function>",
    element("name", pythonStr(fields.get("name") ?? "")),
    ...description(fields),
    "<parameters>",
    ...parameters,
    ...otherLines(schema, ["type", "properties", ...listing.schemaFields], listing),
    ...jsonLines(schema, listing.schemaFields, listing),
    "</parameters>",
    ...otherLines(fields, ["type", "name", "description", "parameters"], listing),
    "</function>",
  ].join("\n");
}

function parameterLines(name: string, fields: Fields, listing: FunctionListing): string[] {
  const type = fields.get("type");
  return [
    "<parameter>",
    element("name", name),
    ...(type === undefined ? [] : [element("type", pythonStr(type))]),
    ...description(fields),
    ...jsonLines(fields, listing.parameterFields, listing),
    ...otherLines(fields, ["name", "type", "description", ...listing.parameterFields], listing),
    "</parameter>",
  ];
}

function description(fields: Fields): string[] {
  const text = fields.get("description");
  return text === undefined ? [] : [element("description", pythonStrip(pythonStr(text)))];
}

function jsonLines(fields: Fields, names: readonly string[], { json }: FunctionListing): string[] {
  return names.flatMap((name) => {
    const value = fields.get(name);
    return value === undefined ? [] : [element(name, json(value))];
  });
}

function otherLines(fields: Fields, handled: readonly string[], { json }: FunctionListing): string[] {
  return [...fields].flatMap(([name, value]) =>
    handled.includes(name) ? [] : [element(name, printedValue(value, json))],
  );
}

const element = (name: string, text: string): string => `<${name}>${text}</${name}>`;

type Fields = ReadonlyMap<string, JsonInput>;

/** An object's fields; what is no object has none. */
function fieldsOf(value: JsonInput | undefined): Fields {
  const isObject =
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
  return new Map(isObject ? objectEntries(value as Fields) : []);
}
