import { alternatives, type GbnfExpression, literal, repeat, sequence } from "../../gbnf/index.ts";
import { fieldsOf, isList, isObject, textsOf } from "../../gbnf/schema/fields.ts";
import type { JsonInput } from "../../messages/index.ts";
import type { TaggedElement, ValueForm } from "../../parse/layout/layout.ts";
import { type ArgumentPlace, argumentValue } from "./argumentValue.ts";
import { spellAutomaton, withoutPatterns } from "./automaton.ts";
import type { GrammarContext } from "./grammarContext.ts";
import { inAnyOrder } from "./inAnyOrder.ts";
import { type SchemaBranch, schemaBranches } from "./schemaBranches.ts";

/** Deeper tags are free text. */
const deepest = 4;

/** A value as nested tags: an object's by its keys, a list's by the word for an item. */
export function elementValue(
  context: GrammarContext,
  element: TaggedElement,
  form: ValueForm,
  branch: SchemaBranch,
  place: ArgumentPlace,
  depth = 0,
): GbnfExpression {
  const { builder } = context;
  const { type, schema } = branch;
  const item = form.writing.kind === "elements" ? form.writing.item : "item";
  const leaf = element.values.find(({ writing }) => writing.kind === "raw") ?? form;
  const free = () => spellAutomaton(builder, withoutPatterns(place.endings), "free-tags");
  const tag = (key: string, value: JsonInput): GbnfExpression => {
    const open = `${element.namePrefix}${key}${leaf.between}`;
    const close = leaf.suffix.replaceAll("{name}", () => key);
    const inner: ArgumentPlace = { ...place, key, endings: [[...open], [...close]] };
    const values = schemaBranches(value, place.root).map((one) =>
      elementValue(context, element, form, one, inner, depth + 1),
    );
    return sequence(literal(open), alternatives(...values), literal(close));
  };
  if (depth > deepest) return free();
  if (type === "object") {
    const properties = schema.get("properties");
    if (!isObject(properties)) return free();
    const required = textsOf(schema.get("required"));
    const items = [...fieldsOf(properties)].map(([key, value]) => ({
      item: builder.rule(`${place.tool}-${place.key}-${key}`, tag(key, value)),
      required: required.includes(key),
    }));
    return inAnyOrder(builder, `${place.tool}-${place.key}`, items, literal(""), null);
  }
  if (type === "array") {
    const items = schema.get("items") ?? true;
    const min = Number(schema.get("minItems") ?? 0);
    const max = schema.get("maxItems");
    if (isList(items) || schema.has("prefixItems")) return free();
    const one = builder.rule(`${place.tool}-${place.key}-item`, tag(item, items));
    return repeat(one, { min: Math.min(min, 1000), max: max === undefined || Number(max) > 1000 ? null : Number(max) });
  }
  return argumentValue(context, branch, type === "string" ? { kind: "raw" } : { kind: "json" }, {
    ...place,
    endings: place.endings,
  });
}
