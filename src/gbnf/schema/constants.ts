import { type JsonInput, pythonJson } from "../../messages/index.ts";
import { literal, sequence } from "../expressions.ts";
import type { GbnfExpression } from "../types.ts";
import { fieldsOf, isList, isObject } from "./fields.ts";
import { type SchemaSettings, spelled } from "./options.ts";

/** One value, compact, with its numbers as they are written. */
export function constant(settings: SchemaSettings, value: JsonInput): GbnfExpression {
  if (settings.plainStrings) return literal(dump(value));
  if (typeof value === "string") return spelled(settings.strings, value);
  if (isList(value)) {
    return sequence(literal("["), ...separated(value.map((item) => constant(settings, item))), literal("]"));
  }
  if (!isObject(value)) return literal(dump(value));
  const pairs = [...fieldsOf(value)].map(([name, field]) =>
    sequence(spelled(settings.keys, name), literal(":"), constant(settings, field)),
  );
  return sequence(literal("{"), ...separated(pairs), literal("}"));
}

const separated = (items: readonly GbnfExpression[]): GbnfExpression[] =>
  items.flatMap((item, index) => (index === 0 ? [item] : [literal(","), item]));

const dump = (value: JsonInput): string => pythonJson(value, { separators: [",", ":"] });
