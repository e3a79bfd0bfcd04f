import fc from "fast-check";
import type { GrammarTrigger, ToolGrammar } from "../../src/autoparser/grammar/index.ts";
import { type JsonInput, pythonJson, type ToolSpec } from "../../src/messages/index.ts";
import type { LayoutBeginning, ResponseLayout, SpokenCall, SpokenResponse } from "../../src/parse/index.ts";
import { toolUses } from "../../src/testing/index.ts";

/** Tools with what schemas are made of. */
export const schemaTools: readonly ToolSpec[] = [
  {
    type: "function",
    function: {
      name: "get_weather",
      parameters: {
        type: "object",
        properties: {
          location: { type: "string" },
          unit: { type: "string", enum: ["celsius", "fahrenheit"] },
          days: { type: "integer", minimum: 1, maximum: 14 },
        },
        required: ["location"],
      },
    },
  },
  {
    type: "function",
    function: {
      name: "calculate",
      parameters: {
        type: "object",
        properties: {
          expr: { type: "string" },
          precision: { type: "number" },
          exact: { type: "boolean" },
          options: {
            type: "object",
            properties: { round: { type: "boolean" }, bases: { type: "array", items: { type: "integer" } } },
            required: ["round"],
          },
        },
        required: ["expr", "exact"],
      },
    },
  },
  {
    type: "function",
    function: {
      name: "book",
      parameters: {
        type: "object",
        $defs: { guest: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
        properties: {
          guests: { type: "array", items: { $ref: "#/$defs/guest" }, minItems: 1 },
          code: { type: "string", pattern: "^[A-Z]{3}-[0-9]{2}$" },
          day: { type: "string", format: "date" },
        },
        required: ["guests", "code", "day"],
      },
    },
  },
  { type: "function", function: { name: "ping", parameters: { type: "object", properties: {} } } },
];

export interface Use {
  readonly tools: readonly ToolSpec[];
  readonly response: SpokenResponse;
}

/** Responses with calls that fit their tools, as a layout can write them. */
export function uses(name: string, layout: ResponseLayout, strings: fc.Arbitrary<string>): fc.Arbitrary<Use> {
  const { calls, reasoning } = layout;
  const hasIds = calls?.call.some((one) => one.kind === "id" || (one.kind === "object" && one.id !== null));
  const hasTags = calls?.call.some(
    (one) => one.kind === "tagged" && one.values.some(({ writing }) => writing.kind === "elements"),
  );
  const given = fc.array(toolUses(strings), { minLength: 1, maxLength: calls?.parallel ? 3 : 1 });
  return fc
    .record({ given, thought: fc.option(strings), id: fc.stringMatching(/^[a-zA-Z0-9]{9}$/) })
    .map(({ given: all, thought, id }) => {
      // Tools count as last defined.
      const last = new Map(all.map((use) => [use.name, use]));
      const kept = all.filter((use) => JSON.stringify(last.get(use.name)?.tool) === JSON.stringify(use.tool));
      const toolCalls = kept
        .filter(
          (use) => !(hasTags && Object.values(use.arguments).some((one) => typeof one === "object" && one !== null)),
        )
        .map(
          (use, index): SpokenCall => ({
            name: use.name,
            argumentsText: pythonJson(use.arguments),
            id: hasIds ? (name.startsWith("Kimi") ? `functions.${use.name}:${index}` : id) : undefined,
          }),
        );
      const isThought = reasoning !== null && thought !== null && thought.trim() !== "";
      return {
        tools: [...last.values()].map(({ tool }) => tool),
        response: { content: "", reasoning: isThought ? thought : null, toolCalls },
      };
    })
    .filter(({ response }) => response.toolCalls.length > 0);
}

export const startOf = (layout: ResponseLayout): LayoutBeginning =>
  layout.glue.length > 0 ? { in: "glue" } : { in: "start", closed: false };

/** What a lazy grammar gets to see of a response; null: nothing triggers it. */
export function fromTrigger({ triggers, lazy }: ToolGrammar, text: string): string | null {
  if (!lazy) return text;
  const place = ({ text: trigger, ...one }: GrammarTrigger): number =>
    !("atStart" in one) || one.atStart !== true
      ? text.indexOf(trigger)
      : text.trimStart().startsWith(trigger)
        ? text.indexOf(trigger)
        : -1;
  const places = triggers.map(place).filter((at) => at >= 0);
  return places.length === 0 ? null : text.slice(Math.min(...places));
}

/** Whether a value fits a schema, as far as these schemas go. */
export function fits(schema: unknown, value: unknown, root: unknown = schema): boolean {
  const fields = schema as Record<string, unknown>;
  if (typeof fields.$ref === "string") {
    const steps = fields.$ref.split("/").slice(1);
    return fits(
      steps.reduce((at, step) => (at as Record<string, unknown>)[step], root),
      value,
      root,
    );
  }
  if (Array.isArray(fields.enum)) return fields.enum.includes(value);
  switch (fields.type) {
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      const properties = fields.properties as Record<string, unknown> | undefined;
      const required = (fields.required ?? []) as string[];
      const entries = Object.entries(value);
      const known = properties === undefined || entries.every(([key]) => Object.hasOwn(properties, key));
      return (
        known &&
        required.every((key) => Object.hasOwn(value, key)) &&
        entries.every(([key, one]) => properties === undefined || fits(properties[key], one, root))
      );
    }
    case "array":
      return (
        Array.isArray(value) &&
        value.length >= Number(fields.minItems ?? 0) &&
        value.every((one) => fits(fields.items, one, root))
      );
    case "string": {
      const pattern =
        fields.format === "date" ? "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" : (fields.pattern as string | undefined);
      return typeof value === "string" && (pattern === undefined || new RegExp(pattern).test(value));
    }
    case "integer":
      return (
        typeof value === "number" &&
        Number.isInteger(value) &&
        value >= Number(fields.minimum ?? value) &&
        value <= Number(fields.maximum ?? value)
      );
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    default:
      return fields.type === "null" ? value === null : true;
  }
}

export const schemaOf = (tool: ToolSpec | undefined): JsonInput =>
  (tool as { readonly function: { readonly parameters: JsonInput } } | undefined)?.function.parameters ?? null;
