import {
  type JsonInput,
  JsonNumber,
  type JsonValue,
  pythonJson,
  pythonRepr,
  quoteJson,
  tryParseJson,
} from "../../messages/index.ts";
import { jsonMembers } from "../calls/jsonMembers.ts";
import type { SpokenCall, SpokenResponse } from "../grammar.ts";
import type {
  CallElement,
  JsonStyle,
  JsonType,
  LayoutBeginning,
  ObjectElement,
  ResponseLayout,
  TaggedElement,
  ValueForm,
} from "./layout.ts";

/**
 * The text that a layout writes for a response, without the token that stops it. `opened`: what the prompt has opened; `true`
 * is reasoning, `false` nothing. Arguments in JSON stay to the letter; where the layout writes them in another way, they are
 * converted.
 */
export function spellResponse(
  layout: ResponseLayout,
  response: SpokenResponse,
  opened: boolean | LayoutBeginning = false,
): string {
  const beginning: LayoutBeginning =
    typeof opened === "boolean" ? (opened ? { in: "reasoning" } : { in: "start", closed: false }) : opened;
  const calls = layout.calls ? spellCalls(layout, response) : "";
  const hasCalls = calls !== "";
  const content = spellContent(layout, response, beginning, hasCalls);
  const reasoning = spellReasoning(layout, response, beginning, hasCalls);
  if (!layout.calls || !hasCalls) return reasoning + content + layout.end;
  if (layout.content.afterCalls) return `${reasoning}${layout.calls.leadAlone ?? ""}${calls}${content}${layout.end}`;
  const lead = response.content !== "" ? layout.calls.lead : (layout.calls.leadAlone ?? "");
  return `${reasoning}${content}${lead}${calls}${layout.end}`;
}

function spellReasoning(
  { reasoning }: ResponseLayout,
  { reasoning: text }: SpokenResponse,
  beginning: LayoutBeginning,
  hasCalls: boolean,
): string {
  if (!reasoning || (beginning.in === "start" && beginning.closed) || beginning.in === "content") return text ?? "";
  if (beginning.in === "reasoning") return `${text ?? ""}${reasoning.close}`;
  if (text === null || (text === "" && reasoning.empty)) return reasoning.empty ?? "";
  return reasoning.mode === "tools_only" && !hasCalls && text === ""
    ? ""
    : `${reasoning.open}${text}${reasoning.close}`;
}

function spellContent(
  { content }: ResponseLayout,
  { content: text, reasoning }: SpokenResponse,
  beginning: LayoutBeginning,
  hasCalls: boolean,
): string {
  const isWrapped =
    content.mode === "always_wrapped" || (content.mode === "wrapped_with_reasoning" && reasoning !== null);
  if (!isWrapped || (text === "" && hasCalls && !content.wrapsEmpty)) return text;
  return `${beginning.in === "content" ? "" : content.open}${text}${content.close}`;
}

function spellCalls({ calls }: ResponseLayout, { toolCalls }: SpokenResponse): string {
  if (!calls || toolCalls.length === 0) return "";
  const texts = toolCalls.map((call, index) =>
    calls.call.map((element) => spellElement(element, call, index)).join(""),
  );
  return `${calls.section?.open ?? ""}${texts.join(calls.separator)}${calls.section?.close ?? ""}`;
}

function spellElement(element: CallElement, call: SpokenCall, index: number): string {
  switch (element.kind) {
    case "text":
      return element.text;
    case "name":
      return call.name;
    case "id":
      return call.id ?? (element.namesFunction ? `functions.${call.name}:${index}` : "");
    case "index":
      return String(index + element.base);
    case "json":
      return call.argumentsText;
    case "object":
      return spellObject(element, call, index);
    default:
      return spellTagged(element, call);
  }
}

/** An object's members as text, in the layout's order; nested ones are joined by their outer key. */
function spellObject(element: ObjectElement, call: SpokenCall, index: number): string {
  const { style } = element;
  const quote = (text: string) => quoteJson(text, false);
  const values: { readonly path: readonly string[]; readonly json: string }[] = [];
  const depth = (style.depth ?? 0) + Math.max(1, element.arguments.length);
  const args = element.argumentsAreText ? quote(call.argumentsText) : indented(call.argumentsText, style, depth);
  if (element.name.length === 0) values.push({ path: [call.name], json: args });
  else {
    values.push({ path: element.name, json: quote(call.name) }, { path: element.arguments, json: args });
    const id = element.idIs === "index" ? String(index) : call.id;
    if (element.id && id !== undefined) values.push({ path: element.id, json: quote(id) });
  }
  const indent = style.indent === null ? null : " ".repeat(style.indent);
  const print = (members: readonly (readonly [string, string])[], depth: number): string => {
    const inner = indent === null ? "" : `\n${indent.repeat(depth + 1)}`;
    const outer = indent === null ? "" : `\n${indent.repeat(depth)}`;
    const texts = members.map(([key, json]) => `${quote(key)}${style.keySeparator}${json}`);
    const separator = indent === null ? style.itemSeparator : style.itemSeparator.trimEnd() + inner;
    return `{${inner}${texts.join(separator)}${outer}}`;
  };
  const nested = (prefix: readonly string[], order: ObjectElement["order"], depth: number): string => {
    const members: (readonly [string, string])[] = [];
    const own = values.filter(({ path }) => prefix.every((key, at) => path[at] === key));
    const keys = [...order.map(({ key }) => key), ...own.map(({ path }) => path[prefix.length])];
    for (const key of new Set(keys)) {
      const fixed = order.find((one) => one.key === key)?.fixed;
      const value = own.find(({ path }) => path[prefix.length] === key);
      if (fixed !== undefined) members.push([key, fixed]);
      else if (value && value.path.length === prefix.length + 1) members.push([key, value.json]);
      else if (value) members.push([key, nested([...prefix, key], [], depth + 1)]);
    }
    return print(members, depth);
  };
  return nested([], element.order, style.depth ?? 0);
}

/** JSON text in a style that indents; to the letter where the style does not. */
function indented(json: string, { indent, itemSeparator, keySeparator }: JsonStyle, depth: number): string {
  if (indent === null) return json;
  const read = tryParseJson(json);
  if (!read.ok) return json;
  const separators = [itemSeparator.trimEnd(), keySeparator] as const;
  return pythonJson(read.value, { indent, separators }).replaceAll("\n", `\n${" ".repeat(indent * depth)}`);
}

function spellTagged(element: TaggedElement, call: SpokenCall): string {
  const read = tryParseJson(call.argumentsText === "" ? "{}" : call.argumentsText);
  const value = read.ok ? read.value : new Map<string, JsonValue>();
  if (!(value instanceof Map)) return `${element.open}${element.close}`;
  const letters = read.ok && call.argumentsText !== "" ? jsonMembers(call.argumentsText) : new Map();
  const entries = [...(value as ReadonlyMap<string, JsonValue>)];
  if (element.sorted) entries.sort(([a], [b]) => compareKeys(a, b));
  const texts = entries.map(([key, one]) => {
    const range = letters.get(key) as readonly [number, number] | undefined;
    const letter = range ? call.argumentsText.slice(range[0], range[1]) : undefined;
    return spellArgument(element, key, one, letter);
  });
  return `${element.open}${texts.join(element.separator)}${element.close}`;
}

const compareKeys = (a: string, b: string): number => {
  const [lower, other] = [a.toLowerCase(), b.toLowerCase()];
  return lower < other ? -1 : lower > other ? 1 : 0;
};

function typeOf(value: JsonValue): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (value instanceof Map) return "object";
  if (value instanceof JsonNumber) return /^-?[0-9]+$/.test(value.text) ? "integer" : "number";
  return typeof value as JsonType;
}

function formOf({ values }: TaggedElement, value: JsonValue): ValueForm | undefined {
  const type = typeOf(value);
  return (
    values.find(({ types }) => types.includes(type)) ??
    values.find(
      ({ types }) =>
        (type === "integer" || type === "number") && (types.includes("number") || types.includes("integer")),
    ) ??
    values[0]
  );
}

function spellArgument(element: TaggedElement, key: string, value: JsonValue, letter: string | undefined): string {
  const form = formOf(element, value);
  if (!form) return "";
  const text = spellValue(element, form, value, letter);
  return `${element.namePrefix}${key}${form.between}${text}${form.suffix.replaceAll("{name}", () => key)}`;
}

function spellValue(element: TaggedElement, form: ValueForm, value: JsonValue, letter: string | undefined): string {
  const { writing } = form;
  if (writing.kind === "raw" && typeof value === "string") {
    const { fence } = writing;
    return fence?.when.some((one) => value.includes(one)) ? fence.open + value + fence.close : value;
  }
  if (writing.kind === "python") return typeof value === "string" ? value : pythonRepr(value as JsonInput);
  if (writing.kind === "literal") return literal(value, writing, element.sorted === true);
  if (writing.kind === "elements") return elements(element, form, value, writing.item);
  return letter ?? pythonJson(value);
}

function literal(
  value: JsonValue,
  writing: { readonly quote?: string | undefined; readonly bareKeys?: boolean | undefined },
  sorted: boolean,
): string {
  const { quote, bareKeys } = writing;
  if (quote === undefined && !bareKeys) return pythonJson(value);
  const mark = (text: string) => (quote === undefined ? quoteJson(text, false) : quote + text + quote);
  const write = (one: JsonValue): string => {
    if (typeof one === "string") return mark(one);
    if (Array.isArray(one)) return `[${(one as readonly JsonValue[]).map(write).join(",")}]`;
    if (!(one instanceof Map)) return pythonJson(one);
    const entries = [...(one as ReadonlyMap<string, JsonValue>)];
    if (sorted) entries.sort(([a], [b]) => compareKeys(a, b));
    return `{${entries.map(([key, inner]) => `${bareKeys ? key : mark(key)}:${write(inner)}`).join(",")}}`;
  };
  return write(value);
}

function elements(element: TaggedElement, form: ValueForm, value: JsonValue, item: string): string {
  const leaf = element.values.find(({ writing }) => writing.kind === "raw") ?? form;
  const tag = (key: string, inner: string) =>
    `${element.namePrefix}${key}${leaf.between}${inner}${leaf.suffix.replaceAll("{name}", () => key)}`;
  const write = (one: JsonValue): string => {
    if (typeof one === "string") return one;
    if (Array.isArray(one)) return (one as readonly JsonValue[]).map((inner) => tag(item, write(inner))).join("");
    if (!(one instanceof Map)) return pythonJson(one);
    return [...(one as ReadonlyMap<string, JsonValue>)].map(([key, inner]) => tag(key, write(inner))).join("");
  };
  return write(value);
}
