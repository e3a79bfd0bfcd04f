import type { JsonInput } from "../../messages/index.ts";
import type { GbnfExpression } from "../types.ts";
import type { SchemaContext } from "./context.ts";
import { countOf, type SchemaObject, under } from "./fields.ts";
import { formatBody } from "./formats.ts";
import { anyText, quoted } from "./options.ts";
import { patternBody } from "./pattern.ts";
import { Impossible, unsupported } from "./problems.ts";
import { repeated } from "./repetition.ts";

/** A text with a pattern, a format or a length; null if the schema says nothing of the kind. */
export function narrowedText(
  context: SchemaContext,
  schema: SchemaObject,
  pointer: string,
  hint: string,
): GbnfExpression | null {
  const { strings, builder } = context.settings;
  const typed = schema.get("type") === "string";
  const lengths = ["minLength", "maxLength"].filter((keyword) => schema.has(keyword));
  const pattern = schema.get("pattern");
  if (pattern !== undefined) {
    for (const keyword of lengths) context.loosen(pointer, keyword, 'there is a "pattern", too');
    return patternText(context, pattern, pointer, hint);
  }
  const format = schema.get("format");
  if (typeof format === "string") {
    const body = formatBody(format);
    if (body !== undefined) return builder.rule(format, quoted(strings, body));
    if (typed) context.loosen(pointer, "format", `"${format}" has no rule`);
  }
  if (!typed || lengths.length === 0) return null;
  const min = countOf(schema.get("minLength")) ?? 0;
  const max = countOf(schema.get("maxLength")) ?? null;
  if (max !== null && max < min) {
    throw new Impossible(pointer, `a text of ${min} to ${max} characters cannot be`, "Correct minLength and maxLength");
  }
  const free = min === 0 && max === null;
  const body = free ? anyText(strings) : repeated(context, strings.character, [min, max], pointer, "maxLength");
  return quoted(strings, body);
}

function patternText(context: SchemaContext, pattern: JsonInput, pointer: string, hint: string): GbnfExpression {
  const { strings, exact, builder } = context.settings;
  const at = under(pointer, "pattern");
  if (typeof pattern !== "string") unsupported(at, "it is no text", "Write a regular expression");
  const result = patternBody(pattern, {
    spelling: strings,
    shorthands: exact,
    repeat: (item, min, max) => repeated(context, item, [min, max], pointer, "pattern"),
  });
  if (result.ok) return builder.rule(hint, quoted(strings, result.body));
  const shown = JSON.stringify(pattern);
  if (result.reason === "malformed") {
    unsupported(at, `${shown} is no regular expression: ${result.message}`, "Correct it");
  }
  context.loosen(pointer, "pattern", `${shown} cannot be spelled: ${result.message}`);
  return context.primitives.string();
}
