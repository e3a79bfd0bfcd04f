import { alternatives, literal, oneOf, optional, repeat, sequence } from "../expressions.ts";
import type { GbnfExpression } from "../types.ts";
import { digit, hexDigit } from "./characters.ts";

const digits = (count: number) => repeat(digit(), { min: count, max: count });
const range = (from: string, to: string) => oneOf([[from.charCodeAt(0), to.charCodeAt(0)]]);
const hex = (count: number) => repeat(hexDigit(), { min: count, max: count });

const date = (): GbnfExpression =>
  sequence(
    digits(4),
    literal("-"),
    alternatives(sequence(literal("0"), range("1", "9")), sequence(literal("1"), range("0", "2"))),
    literal("-"),
    alternatives(
      sequence(literal("0"), range("1", "9")),
      sequence(range("1", "2"), digit()),
      sequence(literal("3"), range("0", "1")),
    ),
  );

const hour = (): GbnfExpression =>
  alternatives(sequence(range("0", "1"), digit()), sequence(literal("2"), range("0", "3")));
const sixty = (): GbnfExpression => sequence(range("0", "5"), digit());

const time = (): GbnfExpression =>
  sequence(
    hour(),
    literal(":"),
    sixty(),
    literal(":"),
    sixty(),
    optional(sequence(literal("."), digits(3))),
    alternatives(literal("Z"), sequence(alternatives(literal("+"), literal("-")), hour(), literal(":"), sixty())),
  );

const uuid = (): GbnfExpression =>
  sequence(hex(8), literal("-"), hex(4), literal("-"), hex(4), literal("-"), hex(4), literal("-"), hex(12));

/** What a `format` says about a text; undefined for formats without a rule. */
export function formatBody(format: string): GbnfExpression | undefined {
  if (/^uuid[1-5]?$/.test(format)) return uuid();
  if (format === "date") return date();
  if (format === "time") return time();
  return format === "date-time" ? sequence(date(), literal("T"), time()) : undefined;
}
