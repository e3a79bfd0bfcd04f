import { type GbnfExpression, literal, optional, sequence } from "../../gbnf/index.ts";
import { fieldsOf, isObject } from "../../gbnf/schema/fields.ts";
import { type JsonInput, type ToolFunction, tryParseJson } from "../../messages/index.ts";
import type { CallElement, CallsLayout, ObjectElement } from "../../parse/layout/layout.ts";
import { anySpace, type GrammarContext, looseText, schemaValue } from "./grammarContext.ts";
import { leadingMarker } from "./leadingMarker.ts";
import { callId, callNumber, objectCall } from "./objectCall.ts";
import { innerStrings } from "./quotedTexts.ts";
import { taggedArguments } from "./taggedArguments.ts";

/** White space behind a call's last text: it stands also between two calls. */
export const trailingSpace = ({ call }: CallsLayout): string => {
  const last = call.at(-1);
  return last?.kind === "text" ? last.text.slice(last.text.trimEnd().length) : "";
};

/** A call to a tool, without white space at its ends. */
export function callRule(context: GrammarContext, calls: CallsLayout, tool: ToolFunction): GbnfExpression {
  const { call, section, separator } = calls;
  const { name } = tool;
  const parameters = parametersOf(tool);
  const [first] = call;
  const after = [section?.close ?? "", separator + (first?.kind === "text" ? first.text : "")].filter(
    (one) => one !== "",
  );
  const parts = call.map((element, at): GbnfExpression => {
    switch (element.kind) {
      case "text": {
        const text = at === call.length - 1 ? element.text.trimEnd() : element.text;
        return at === 0 ? opener(context, text, call[1]) : literal(text);
      }
      case "name":
        return literal(name);
      case "id":
        return element.namesFunction === true
          ? sequence(optional(literal("functions.")), literal(name), optional(sequence(literal(":"), callNumber())))
          : callId();
      case "index":
        return callNumber();
      case "json":
        return jsonArguments(context, name, parameters);
      case "object":
        return objectCall(context, element, name, objectArguments(context, element, name, parameters));
      default:
        return taggedArguments(context, element, { tool: name, parameters, rest: textsFrom(call, at + 1), after });
    }
  });
  return context.builder.rule(`call-${name}`, sequence(...parts));
}

/** The first text of calls: behind its marker, and before JSON, stands any white space. */
export function opener(context: GrammarContext, text: string, next: CallElement | undefined): GbnfExpression {
  const core = text.trim();
  const behind = text.slice(text.trimEnd().length);
  const marker = leadingMarker(core);
  const rest = core.slice(marker.length);
  const isJson = next?.kind === "json" || next?.kind === "object";
  const between = rest.slice(0, rest.length - rest.trimStart().length);
  const isFree = behind !== "" || isJson || (rest === "" && marker !== "");
  const end = isFree ? anySpace(context, behind) : literal("");
  const bracket = isJson ? (/\s+[[{]$/.exec(core)?.[0] ?? "") : "";
  const head = core.slice(marker.length, core.length - bracket.length).trimStart();
  const parts = [
    ...(marker === "" ? [] : [literal(marker)]),
    ...(marker === "" || rest === "" ? [] : [anySpace(context, between)]),
    literal(head),
    ...(bracket === "" ? [] : [looseText(context, bracket)]),
  ];
  return sequence(...parts, end);
}

/** The arguments' schema: an object's. */
function parametersOf({ parameters }: ToolFunction): JsonInput {
  const read = typeof parameters === "string" ? tryParseJson(parameters) : null;
  const schema = read === null ? parameters : read.ok ? read.value : undefined;
  if (!isObject(schema)) return new Map([["type", "object"]]);
  const fields = fieldsOf(schema);
  const isTyped = ["type", "$ref", "anyOf", "oneOf", "allOf"].some((keyword) => fields.has(keyword));
  return isTyped ? schema : new Map([...fields, ["type", "object"]]);
}

const jsonArguments = (context: GrammarContext, name: string, parameters: JsonInput): GbnfExpression =>
  schemaValue(context, parameters, name, { name: `${name}-arguments` });

function objectArguments(
  context: GrammarContext,
  { argumentsAreText }: ObjectElement,
  name: string,
  parameters: JsonInput,
): GbnfExpression {
  if (argumentsAreText !== true) return jsonArguments(context, name, parameters);
  const strings = innerStrings();
  const space = optional(literal(" "));
  const text = schemaValue(context, parameters, name, {
    strings,
    keys: strings,
    space,
    name: `${name}-arguments-text`,
  });
  return sequence(literal('"'), text, literal('"'));
}

function textsFrom(call: readonly CallElement[], from: number): string {
  let text = "";
  for (const element of call.slice(from)) {
    if (element.kind !== "text") break;
    text += element.text;
  }
  return text;
}
