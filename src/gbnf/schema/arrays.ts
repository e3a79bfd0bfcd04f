import { empty, literal, optional, sequence } from "../expressions.ts";
import type { GbnfExpression } from "../types.ts";
import type { SchemaContext } from "./context.ts";
import { countOf, isList, type SchemaObject, under } from "./fields.ts";
import { Impossible } from "./problems.ts";
import { repeated } from "./repetition.ts";

/** A list: items with a schema each, then any number of others; `items` and `prefixItems` in all their meanings. */
export function arrayBody(context: SchemaContext, schema: SchemaObject, pointer: string, hint: string): GbnfExpression {
  const { visit } = context;
  const { builder, space } = context.settings;
  const { first, firstKey, more, moreKey } = readItems(schema);
  const min = countOf(schema.get("minItems")) ?? first.length;
  const most = countOf(schema.get("maxItems")) ?? Number.POSITIVE_INFINITY;
  const max = more === null ? Math.min(most, first.length) : most;
  if (min > max && (schema.has("minItems") || schema.has("maxItems"))) {
    throw new Impossible(pointer, `a list of ${min} to ${max} items cannot be`, "Correct minItems and maxItems");
  }
  const comma = sequence(literal(","), space);
  let list: GbnfExpression = empty();
  if (more !== null && max > first.length) {
    const value = visit(more, under(pointer, moreKey), `${hint}-item`);
    const item = value.kind === "reference" ? value : builder.rule(`${hint}-item`, value);
    const next = builder.rule(`${hint}-more`, sequence(comma, item));
    const least = Math.max(0, min - first.length);
    const rest = max === Number.POSITIVE_INFINITY ? null : max - first.length;
    if (first.length > 0) list = repeated(context, next, [least, rest], pointer, "maxItems");
    else {
      const others = [Math.max(0, least - 1), rest === null ? null : rest - 1] as const;
      const full = sequence(item, repeated(context, next, others, pointer, "maxItems"));
      list = least === 0 ? optional(full) : full;
    }
  }
  for (let index = Math.min(first.length, max) - 1; index >= 0; index--) {
    const value = visit(first[index], under(pointer, firstKey, index), `${hint}-tuple-${index}`);
    const here = sequence(...(index === 0 ? [] : [comma]), value, list);
    list = index < min ? here : optional(here);
  }
  return sequence(literal("["), space, list, space, literal("]"));
}

/** Schemas of the first items, and of all others (null: there are none), with the keywords they stand under. */
function readItems(schema: SchemaObject) {
  const [items, prefix] = [schema.get("items"), schema.get("prefixItems")];
  if (isList(items)) {
    const others = schema.get("additionalItems") ?? false;
    return { first: items, firstKey: "items", more: others === false ? null : others, moreKey: "additionalItems" };
  }
  if (isList(prefix)) {
    const more = items === undefined || items === false ? null : items;
    return { first: prefix, firstKey: "prefixItems", more, moreKey: "items" };
  }
  // llama.cpp takes a `prefixItems` that is no list for `items`.
  const more = items ?? prefix ?? true;
  const moreKey = items === undefined ? "prefixItems" : "items";
  return { first: [], firstKey: "prefixItems", more: more === false ? null : more, moreKey };
}
