import type { ConstantValue, Expression, Name } from "./ast.ts";
import { accept, type Cursor, expect, isType, lastEnd, peek, take } from "./cursor.ts";
import { parseExpression, parseTuple } from "./parseExpression.ts";
import { SyntaxFault } from "./syntaxFault.ts";
import { describeToken } from "./tokens.ts";

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

/** Whether a name is that of a constant, so that nothing can be assigned to it. */
export function isConstantName(name: string): boolean {
  return CONSTANTS.has(name);
}

/** A name, a literal, or what stands in parentheses. Every word may be a name, `if` and `in` too. Throws a SyntaxFault. */
export function parsePrimary(cursor: Cursor): Expression {
  const token = peek(cursor);
  switch (token.type) {
    case "name":
      return parseName(cursor);
    case "string": {
      take(cursor);
      let value = token.value as string;
      while (isType(cursor, "string")) value += take(cursor).value as string;
      return constant(value, token.at, lastEnd(cursor));
    }
    case "integer":
    case "float":
      take(cursor);
      return constant(token.value, token.at, token.end);
    case "(": {
      take(cursor);
      const inside = isType(cursor, ")") ? null : parseTuple(cursor);
      const { end } = expect(cursor, ")", `"," or ")"`);
      return inside ?? { kind: "tuple", items: [], at: token.at, end };
    }
    case "[":
      return parseList(cursor);
    case "{":
      return parseDict(cursor);
    default:
      throw new SyntaxFault(`an expression is expected here, not ${describeToken(token)}`, token.at);
  }
}

function parseName(cursor: Cursor): Expression {
  const { value, at, end } = take(cursor);
  const name = value as string;
  const known = CONSTANTS.get(name);
  return known === undefined ? ({ kind: "name", name, at, end } satisfies Name) : constant(known, at, end);
}

function constant(value: ConstantValue, at: number, end: number): Expression {
  return { kind: "constant", value, at, end };
}

function parseList(cursor: Cursor): Expression {
  const { at } = take(cursor);
  const items: Expression[] = [];
  while (!isType(cursor, "]")) {
    items.push(parseExpression(cursor));
    if (!accept(cursor, ",")) break;
  }
  const { end } = expect(cursor, "]", `"," or "]"`);
  return { kind: "list", items, at, end };
}

function parseDict(cursor: Cursor): Expression {
  const { at } = take(cursor);
  const pairs: (readonly [Expression, Expression])[] = [];
  while (!isType(cursor, "}")) {
    const key = parseExpression(cursor);
    expect(cursor, ":", `":"`);
    pairs.push([key, parseExpression(cursor)]);
    if (!accept(cursor, ",")) break;
  }
  const { end } = expect(cursor, "}", `"," or "}"`);
  return { kind: "dict", pairs, at, end };
}
