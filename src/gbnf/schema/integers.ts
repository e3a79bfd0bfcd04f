import { alternatives, literal, oneOf, repeat, sequence } from "../expressions.ts";
import type { GbnfExpression } from "../types.ts";
import { digit } from "./characters.ts";

/** How many digits an integer without a limit may have. */
const mostDigits = 16;

/**
 * Integers from `min` to `max` (null: no limit but the number of digits). `exact` false adds what llama.cpp lets pass: `-0`
 * where negative numbers have a limit, and leading zeros under a negative maximum.
 */
export function integerRange(min: bigint | null, max: bigint | null, exact: boolean): GbnfExpression {
  const zero = exact ? 1n : 0n;
  if (min !== null && min >= 0n) return natural(min, max);
  if (max !== null && max < 0n) {
    const zeros = min === null && !exact ? leadingZeros(-max) : [];
    return negative(alternatives(natural(-max, min === null ? null : -min), ...zeros));
  }
  return alternatives(negative(min === null ? natural(1n, null) : natural(zero, -min)), natural(0n, max));
}

const negative = (digits: GbnfExpression): GbnfExpression => sequence(literal("-"), digits);

function natural(min: bigint, max: bigint | null): GbnfExpression {
  const low = String(min);
  if (max === null) {
    const more = low.length < mostDigits ? [longer(low.length, mostDigits - 1)] : [];
    return alternatives(between(low, "9".repeat(low.length)), ...more);
  }
  const high = String(max);
  if (low.length === high.length) return between(low, high);
  const full = high.length - low.length > 1 ? [longer(low.length, high.length - 2)] : [];
  return alternatives(between(low, "9".repeat(low.length)), ...full, between(`1${"0".repeat(high.length - 1)}`, high));
}

/** A digit other than zero with so many more behind it. */
const longer = (min: number, max: number): GbnfExpression =>
  sequence(oneOf([[0x31, 0x39]]), repeat(digit(), { min, max }));

function leadingZeros(bound: bigint): GbnfExpression[] {
  const text = String(bound);
  const passes = text.length === 1 || text[0] > "1";
  return passes && text.length < mostDigits
    ? [sequence(literal("0"), repeat(digit(), { min: text.length, max: mostDigits - 1 }))]
    : [];
}

/** Texts of digits, as long as `low` and `high` (which are equally long), that lie between these. */
function between(low: string, high: string): GbnfExpression {
  if (low === high) return literal(low);
  const rest = low.length - 1;
  if (low[0] === high[0]) return sequence(literal(low[0]), between(low.slice(1), high.slice(1)));
  const [lowest, highest] = ["0".repeat(rest), "9".repeat(rest)];
  const opensFull = low.slice(1) === lowest;
  const endsFull = high.slice(1) === highest;
  const from = low.charCodeAt(0) + (opensFull ? 0 : 1);
  const to = high.charCodeAt(0) - (endsFull ? 0 : 1);
  return alternatives(
    ...(opensFull ? [] : [sequence(literal(low[0]), between(low.slice(1), highest))]),
    ...(from > to ? [] : [sequence(oneOf([[from, to]]), repeat(digit(), { min: rest, max: rest }))]),
    ...(endsFull ? [] : [sequence(literal(high[0]), between(lowest, high.slice(1)))]),
  );
}
