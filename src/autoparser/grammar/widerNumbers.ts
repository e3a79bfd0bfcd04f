import {
  alternatives,
  type Gbnf,
  type GbnfExpression,
  type GbnfRule,
  literal,
  oneOf,
  printExpression,
  repeat,
  sequence,
} from "../../gbnf/index.ts";

const digit = oneOf([[0x30, 0x39]]);
const whole = (max: number): GbnfExpression =>
  alternatives(literal("0"), sequence(oneOf([[0x31, 0x39]]), repeat(digit, { max })));
const decimals = (max: number): GbnfExpression => repeat(digit, { min: 1, max });

/** As many digits as a number of 64 bits or a double may print, and some more; not so many that a model gets lost in them. */
const mostDigits = 40;

const limited: readonly { readonly name: RegExp; readonly narrow: string; readonly wide: GbnfExpression }[] = [
  { name: /^integral-part/, narrow: printExpression(whole(15)), wide: whole(mostDigits) },
  { name: /^decimal-part/, narrow: printExpression(decimals(16)), wide: decimals(mostDigits) },
];

/** Schemas' rules for numbers stop at 16 digits, as llama.cpp's do; arguments have more (`0.30000000000000004`). */
export function widerNumbers(gbnf: Gbnf): Gbnf {
  const widened = (rule: GbnfRule): GbnfRule => {
    const known = limited.find(({ name, narrow }) => name.test(rule.name) && printExpression(rule.body) === narrow);
    return known === undefined ? rule : { ...rule, body: known.wide };
  };
  return { ...gbnf, rules: gbnf.rules.map(widened) };
}
