import { alternatives, literal, noneOf, oneOf, optional, repeat, sequence } from "../expressions.ts";
import type { CodePointRange, GbnfExpression } from "../types.ts";
import { control } from "./characters.ts";
import { quoted, type SchemaSettings, type StringSpelling, spelled } from "./options.ts";

export interface ObjectProperty {
  readonly name: string;
  readonly value: GbnfExpression;
  readonly required: boolean;
}

/** The most properties whose every order has its own rule: there are 2 to this power. */
export const mostInAnyOrder = 6;

/** An object with these properties, and with any number of `additional` pairs behind them. */
export function objectBody(
  settings: SchemaSettings,
  hint: string,
  properties: readonly ObjectProperty[],
  additional: GbnfExpression | null,
): GbnfExpression {
  const { builder, space } = settings;
  const pairs = properties.map(({ name, value, required }) => {
    const pair = sequence(spelled(settings.keys, name), space, literal(":"), space, value);
    return { pair: builder.rule(`${hint}-${name}-kv`, pair), name, required };
  });
  const open = sequence(literal("{"), space);
  const close = literal("}");
  if (pairs.length === 0 && additional === null) return sequence(open, close);
  const comma = sequence(literal(","), space);
  const more = additional === null ? null : repeat(sequence(comma, additional));
  const ordered = settings.propertyOrder === "requiredFirst" ? requiredFirst(pairs) : pairs;
  const inAnyOrder = settings.propertyOrder === "any" && pairs.length <= mostInAnyOrder;
  const list = inAnyOrder
    ? anyOrder(settings, hint, pairs, comma, additional, more)
    : inOrder(settings, hint, ordered, comma, additional, more);
  return sequence(open, list, space, close);
}

interface Pair {
  readonly pair: GbnfExpression;
  readonly name: string;
  readonly required: boolean;
}

const requiredFirst = (pairs: readonly Pair[]): Pair[] => [
  ...pairs.filter(({ required }) => required),
  ...pairs.filter(({ required }) => !required),
];

function inOrder(
  { builder }: SchemaSettings,
  hint: string,
  pairs: readonly Pair[],
  comma: GbnfExpression,
  additional: GbnfExpression | null,
  more: GbnfExpression | null,
): GbnfExpression {
  // rest: what follows when a pair stands before; from the last pair to the first.
  let rest: GbnfExpression = more ?? sequence();
  const options: GbnfExpression[] = additional === null ? [] : [sequence(additional, more!)];
  let mayBeEmpty = true;
  for (const { pair, name, required } of pairs.toReversed()) {
    if (required) {
      options.length = 0;
      mayBeEmpty = false;
    }
    options.unshift(sequence(pair, rest));
    const next = sequence(comma, pair);
    const body = sequence(required ? next : optional(next), rest);
    // Several options go on here: they share a rule.
    rest = required || pairs.length < 3 ? body : builder.rule(`${hint}-${name}-rest`, body);
  }
  const list = alternatives(...options);
  return mayBeEmpty ? optional(list) : list;
}

function anyOrder(
  { builder }: SchemaSettings,
  hint: string,
  pairs: readonly Pair[],
  comma: GbnfExpression,
  additional: GbnfExpression | null,
  more: GbnfExpression | null,
): GbnfExpression {
  // Additional pairs may stand between the others, too.
  const between = more ?? sequence();
  const all = (1 << pairs.length) - 1;
  const mayEnd = (left: number) => pairs.every(({ required }, i) => !required || (left & (1 << i)) === 0);
  const rests = new Map<number, GbnfExpression>();
  const rest = (left: number): GbnfExpression => {
    const known = rests.get(left);
    if (known !== undefined) return known;
    const list = steps(left, (pair) => sequence(comma, pair));
    const body = sequence(between, mayEnd(left) ? optional(list) : list);
    const rule = left === 0 ? body : builder.rule(`${hint}-after-${all ^ left}`, body);
    rests.set(left, rule);
    return rule;
  };
  const steps = (left: number, spell: (pair: GbnfExpression) => GbnfExpression): GbnfExpression => {
    const open = pairs.flatMap(({ pair }, i) =>
      (left & (1 << i)) === 0 ? [] : [sequence(spell(pair), rest(left & ~(1 << i)))],
    );
    return open.length === 0 ? sequence() : alternatives(...open);
  };
  const first = steps(all, (pair) => pair);
  const opened = additional === null ? [] : [sequence(additional, rest(all))];
  const list = alternatives(...(pairs.length === 0 ? [] : [first]), ...opened);
  return mayEnd(all) ? optional(list) : list;
}

/**
 * Any key but these. As llama.cpp does it, a key may not be the beginning of one of them either, and its first character
 * that differs may be any; `exact` keys are just other keys, as long as they spell no character by an escape without need.
 */
export function otherKey(settings: SchemaSettings, names: readonly string[]): GbnfExpression {
  const { keys, exact } = settings;
  const root: TrieNode = { children: new Map(), ends: false };
  for (const name of names) {
    let node = root;
    for (const character of keys.spell(name)) {
      const code = character.codePointAt(0)!;
      const next = node.children.get(code) ?? { children: new Map(), ends: false };
      node.children.set(code, next);
      node = next;
    }
    node.ends = true;
  }
  const body = trieBody(root, keys, exact);
  return quoted(keys, root.ends ? body : optional(body));
}

interface TrieNode {
  readonly children: Map<number, TrieNode>;
  ends: boolean;
}

function trieBody(node: TrieNode, keys: StringSpelling, exact: boolean): GbnfExpression {
  const codes = [...node.children.keys()].sort((a, b) => a - b);
  const options = codes.map((code) => {
    const child = node.children.get(code)!;
    const rest = child.children.size === 0 ? repeat(keys.character, { min: 1 }) : trieBody(child, keys, exact);
    return sequence(oneOf([[code, code]]), exact && child.children.size > 0 && !child.ends ? optional(rest) : rest);
  });
  return alternatives(...options, ...otherStarts(codes, keys, exact));
}

/** Characters that none of the keys has here, with what may follow. */
function otherStarts(codes: readonly number[], keys: StringSpelling, exact: boolean): GbnfExpression[] {
  const taken = codes.map((code): CodePointRange => [code, code]);
  const more = repeat(keys.character);
  if (!exact || keys.member === undefined) {
    const quote = (keys.close.kind === "literal" ? keys.close.text : '"').codePointAt(0)!;
    return [sequence(noneOf([[quote, quote], ...taken]), more)];
  }
  const escaped = codes.includes(0x5c) ? [] : [sequence(literal("\\"), oneOf('"\\bfnrt'), more)];
  return [sequence(noneOf([control, [0x22, 0x22], [0x5c, 0x5c], ...taken]), more), ...escaped];
}
