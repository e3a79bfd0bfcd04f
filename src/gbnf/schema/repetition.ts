import { repeat, sequence } from "../expressions.ts";
import { type GbnfExpression, maxRepetitions } from "../types.ts";
import type { SchemaContext } from "./context.ts";
import { under } from "./fields.ts";
import { unsupported } from "./problems.ts";

/** Longest count that one repetition spells; larger minimums are several. */
const chunk = 1000;
/** From so many on, what is repeated gets a rule: llama.cpp counts what is in a group as often as it is repeated. */
const many = 20;

/** llama.cpp has a limit on repetitions: a larger minimum becomes several, a larger maximum none. */
export function repeated(
  { settings, loosen }: SchemaContext,
  item: GbnfExpression,
  limits: readonly [min: number, max: number | null],
  pointer: string,
  keyword: string,
): GbnfExpression {
  const [min, max] = limits;
  if (min >= maxRepetitions * chunk) {
    unsupported(under(pointer, keyword), `${min} repetitions are too many`, "Ask for fewer");
  }
  const composed = item.kind !== "reference" && item.kind !== "class" && item.kind !== "any" && item.kind !== "literal";
  const once = composed && (max ?? min) > many ? settings.builder.rule("repeated", item) : item;
  const parts: GbnfExpression[] = [];
  let [least, most] = limits;
  for (; least > chunk; least -= chunk) {
    parts.push(repeat(once, { min: chunk, max: chunk }));
    if (most !== null) most -= chunk;
  }
  if (most !== null && most >= maxRepetitions) {
    loosen(pointer, keyword, `a maximum of ${max} is more than llama.cpp counts`);
    most = null;
  }
  return sequence(...parts, repeat(once, { min: least, max: most }));
}
