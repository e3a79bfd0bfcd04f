import { JsonNumber } from "../../messages/index.ts";
import type { GbnfExpression } from "../types.ts";
import type { SchemaContext } from "./context.ts";
import { type SchemaObject, under, wholeNumber } from "./fields.ts";
import { integerRange } from "./integers.ts";
import { Impossible, unsupported } from "./problems.ts";

export const limitKeywords = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"];

/** An integer within the limits of a schema, if it has any. */
export function limitedInteger(
  { settings, primitives }: SchemaContext,
  schema: SchemaObject,
  pointer: string,
): GbnfExpression {
  const min = limitOf(schema, "minimum", "exclusiveMinimum", 1n, pointer);
  const max = limitOf(schema, "maximum", "exclusiveMaximum", -1n, pointer);
  if (min === null && max === null) return primitives.integer();
  if (min !== null && max !== null && min > max) {
    throw new Impossible(pointer, `no integer lies between ${min} and ${max}`, "Correct its limits");
  }
  return integerRange(min, max, settings.exact);
}

/** The narrower of two limits, as one that is included; `exclusive` may also be `true`, for the plain one. */
function limitOf(schema: SchemaObject, plain: string, exclusive: string, step: bigint, pointer: string): bigint | null {
  const up = step > 0n;
  const read = (keyword: string, strict: boolean): bigint | null => {
    const value = schema.get(keyword);
    if (value === undefined || typeof value === "boolean") return null;
    const whole = wholeNumber(value, up ? "up" : "down");
    if (whole === undefined) unsupported(under(pointer, keyword), "it is no number", "Write a number");
    const text = value instanceof JsonNumber ? value.text : String(value);
    // An exclusive limit of 1.5 is the same as an inclusive one.
    return strict && Number(whole) === Number(text) ? whole + step : whole;
  };
  const limit = read(plain, schema.get(exclusive) === true);
  const strict = read(exclusive, true);
  if (limit === null || strict === null) return limit ?? strict;
  return limit > strict === up ? limit : strict;
}
