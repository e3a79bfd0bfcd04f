import {
  alternatives,
  empty,
  type GbnfBuilder,
  type GbnfExpression,
  type GbnfReference,
  sequence,
} from "../../gbnf/index.ts";

export interface ListItem {
  readonly item: GbnfExpression;
  readonly required: boolean;
}

/** The most items whose every order has its rules: there are 2 to this power. */
export const mostInAnyOrder = 6;

/**
 * A list with each item once at most, and each required one. In any order, if there are few of them, else in the order
 * given. `additional` may stand anywhere in it, any number of times. `none` is what stands for no items.
 */
export function inAnyOrder(
  builder: GbnfBuilder,
  name: string,
  items: readonly ListItem[],
  separator: GbnfExpression,
  additional: GbnfExpression | null,
  none: GbnfExpression = empty(),
): GbnfExpression {
  const isFree = items.length <= mostInAnyOrder;
  // A state is the set of items that are left, as bits; in order, the number of those that are passed.
  const next = (state: number): (readonly [item: number, state: number])[] => {
    if (isFree) return items.flatMap((_, i) => ((state & (1 << i)) === 0 ? [] : [[i, state & ~(1 << i)] as const]));
    const found: (readonly [number, number])[] = [];
    for (let i = state; i < items.length; i++) {
      found.push([i, i + 1]);
      if (items[i].required) break;
    }
    return found;
  };
  const mayEnd = (state: number): boolean =>
    isFree
      ? items.every(({ required }, i) => !required || (state & (1 << i)) === 0)
      : items.slice(state).every(({ required }) => !required);
  const rules = new Map<number, GbnfReference>();
  const options = (state: number, before: GbnfExpression, end: GbnfExpression): GbnfExpression =>
    alternatives(
      ...next(state).map(([item, then]) => sequence(before, items[item].item, rest(then))),
      ...(additional === null ? [] : [sequence(before, additional, rest(state))]),
      ...(mayEnd(state) ? [end] : []),
    );
  const rest = (state: number): GbnfExpression => {
    const known = rules.get(state);
    if (known !== undefined) return known;
    if (additional === null && next(state).length === 0) return empty();
    const rule = builder.declare(`${name}-rest`);
    rules.set(state, rule);
    builder.define(rule, options(state, separator, empty()));
    return rule;
  };
  return options(isFree ? (1 << items.length) - 1 : 0, empty(), none);
}
