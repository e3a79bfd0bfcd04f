import { empty, type GbnfExpression, literal, oneOf, optional, repeat, sequence } from "../../gbnf/index.ts";
import { quoteJson } from "../../messages/index.ts";
import type { ObjectElement } from "../../parse/layout/layout.ts";
import type { GrammarContext } from "./grammarContext.ts";

interface Member {
  readonly path: readonly string[];
  readonly value: GbnfExpression;
  readonly isOptional?: boolean;
}

/** A call's id: letters, digits and what ids are joined with. */
export const callId = (): GbnfExpression =>
  repeat(
    oneOf([
      [0x30, 0x39],
      [0x41, 0x5a],
      [0x61, 0x7a],
      [0x5f, 0x5f],
      [0x2d, 0x2e],
      [0x3a, 0x3a],
    ]),
    { max: 64 },
  );

export const callNumber = (): GbnfExpression => repeat(oneOf([[0x30, 0x39]]), { min: 1, max: 4 });

/** A call as one JSON object, members in the layout's order. */
export function objectCall(
  context: GrammarContext,
  element: ObjectElement,
  name: string,
  args: GbnfExpression,
): GbnfExpression {
  const members: Member[] =
    element.name.length === 0
      ? [{ path: [name], value: args }]
      : [
          { path: element.name, value: literal(quoteJson(name, false)) },
          { path: element.arguments, value: args },
        ];
  if (element.name.length > 0 && element.id !== null) {
    const isNumber = element.idIs === "index";
    const value = sequence(literal('"'), isNumber ? callNumber() : callId(), literal('"'));
    members.push({ path: element.id, value, isOptional: !isNumber });
  }
  return nested(context, members, [], element.order);
}

function nested(
  context: GrammarContext,
  members: readonly Member[],
  prefix: readonly string[],
  order: ObjectElement["order"],
): GbnfExpression {
  const { space } = context;
  const own = members.filter(({ path }) => prefix.every((key, at) => path[at] === key));
  const keys = [...new Set([...order.map(({ key }) => key), ...own.map(({ path }) => path[prefix.length])])];
  const pairs = keys.flatMap((key) => {
    const fixed = order.find((one) => one.key === key)?.fixed;
    const member = own.find(({ path }) => path[prefix.length] === key);
    if (fixed === undefined && member === undefined) return [];
    const isWhole = member?.path.length === prefix.length + 1;
    const value =
      fixed !== undefined ? literal(fixed) : isWhole ? member.value : nested(context, members, [...prefix, key], []);
    const pair = sequence(literal(quoteJson(key, false)), space, literal(":"), space, value);
    return [{ pair, isOptional: isWhole && member?.isOptional === true }];
  });
  const comma = sequence(space, literal(","), space);
  let hasFirst = false;
  const list = pairs.map(({ pair, isOptional }) => {
    if (hasFirst) return isOptional ? optional(sequence(comma, pair)) : sequence(comma, pair);
    hasFirst = !isOptional;
    return isOptional ? optional(sequence(pair, comma)) : pair;
  });
  return sequence(literal("{"), space, ...(list.length === 0 ? [empty()] : list), space, literal("}"));
}

/** How the object begins, up to its name and its quotation mark; in the layout's style, and without white space. */
export function objectBeginnings({ name: path, order, style }: ObjectElement, name: string): readonly string[] {
  const styles = [
    { item: style.itemSeparator, key: style.keySeparator },
    { item: ",", key: ":" },
  ];
  const texts = styles.map(({ item, key }) => {
    let text = "{";
    for (const one of order) {
      if (one.key === path[0] || path.length === 0) break;
      if (one.fixed === undefined) return null;
      text += `${quoteJson(one.key, false)}${key}${one.fixed}${item}`;
    }
    const keys = path.length === 0 ? [] : path;
    text += keys.map((one) => `${quoteJson(one, false)}${key}`).join("{");
    return text + quoteJson(name, false);
  });
  return [...new Set(texts.filter((text) => text !== null))];
}
