import type { Comparison, ComparisonOperator, Expression } from "./ast.ts";
import { accept, acceptWord, type Cursor, deeper, isType, isWord, lastEnd, peek, peekSecond, take } from "./cursor.ts";
import { parsePostfix, parseSuffixes } from "./parsePostfix.ts";
import { parsePrimary } from "./parsePrimary.ts";

/*
 * From loose to tight, all of them to the left:
 *
 *   a if b else c    (to the right)
 *   or
 *   and
 *   not              (before its operand)
 *   == != < <= > >= in, not in    a chain is one comparison
 *   + -
 *   ~                a chain is one concatenation
 *   * / // %
 *   **               so `-2 ** 2` is 4
 *   - +              (before its operand); filters and tests are applied to the negated value
 *   . [] ()  then  | is ()
 */

/** An expression that no comma ends. Throws a SyntaxFault, as every function of this file. */
export function parseExpression(cursor: Cursor): Expression {
  return deeper(cursor, parseConditional);
}

/** As `parseExpression`, but an `if` behind it is left to the statement. */
export function parseUnconditional(cursor: Cursor): Expression {
  return deeper(cursor, parseOr);
}

/** One expression, or a tuple of several, that stands without parentheses. */
export function parseTuple(cursor: Cursor, parse: (cursor: Cursor) => Expression = parseExpression): Expression {
  const { at } = peek(cursor);
  const list = commaSeparated(cursor, parse);
  return list.isTuple ? { kind: "tuple", items: list.items, at, end: lastEnd(cursor) } : list.items[0]!;
}

/** At least one item; a comma, also one behind the only item, makes it a tuple. */
export function commaSeparated<T>(
  cursor: Cursor,
  parse: (cursor: Cursor) => T,
): { items: readonly T[]; isTuple: boolean } {
  const items = [parse(cursor)];
  const isTuple = isType(cursor, ",");
  while (accept(cursor, ",") && !isTupleEnd(cursor)) items.push(parse(cursor));
  return { items, isTuple };
}

function isTupleEnd(cursor: Cursor): boolean {
  return isType(cursor, "printEnd") || isType(cursor, "tagEnd") || isType(cursor, ")");
}

function parseConditional(cursor: Cursor): Expression {
  const { at } = peek(cursor);
  let then = parseOr(cursor);
  while (acceptWord(cursor, "if")) {
    const test = parseOr(cursor);
    const otherwise = acceptWord(cursor, "else") ? parseExpression(cursor) : null;
    then = { kind: "conditional", test, then, otherwise, at, end: lastEnd(cursor) };
  }
  return then;
}

function parseOr(cursor: Cursor): Expression {
  const { at } = peek(cursor);
  let left = parseAnd(cursor);
  while (acceptWord(cursor, "or")) {
    const right = parseAnd(cursor);
    left = { kind: "logic", operator: "or", left, right, at, end: lastEnd(cursor) };
  }
  return left;
}

function parseAnd(cursor: Cursor): Expression {
  const { at } = peek(cursor);
  let left = parseNot(cursor);
  while (acceptWord(cursor, "and")) {
    const right = parseNot(cursor);
    left = { kind: "logic", operator: "and", left, right, at, end: lastEnd(cursor) };
  }
  return left;
}

function parseNot(cursor: Cursor): Expression {
  if (!isWord(peek(cursor), "not")) return parseComparison(cursor);
  const { at } = take(cursor);
  const operand = deeper(cursor, parseNot);
  return { kind: "unary", operator: "not", operand, at, end: lastEnd(cursor) };
}

function parseComparison(cursor: Cursor): Expression {
  const { at } = peek(cursor);
  const first = parseSum(cursor);
  let operator = takeComparison(cursor);
  if (operator === null) return first;
  const rest: Comparison["rest"][number][] = [];
  while (operator !== null) {
    rest.push({ operator, operand: parseSum(cursor) });
    operator = takeComparison(cursor);
  }
  return { kind: "comparison", first, rest, at, end: lastEnd(cursor) };
}

function takeComparison(cursor: Cursor): ComparisonOperator | null {
  const token = peek(cursor);
  switch (token.type) {
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      take(cursor);
      return token.type;
    case "name":
      if (token.value === "in") {
        take(cursor);
        return "in";
      }
      if (token.value === "not" && isWord(peekSecond(cursor), "in")) {
        take(cursor);
        take(cursor);
        return "not in";
      }
      return null;
    default:
      return null;
  }
}

function parseSum(cursor: Cursor): Expression {
  const { at } = peek(cursor);
  let left = parseConcat(cursor);
  for (;;) {
    const operator = peek(cursor).type;
    if (operator !== "+" && operator !== "-") return left;
    take(cursor);
    const right = parseConcat(cursor);
    left = { kind: "binary", operator, left, right, at, end: lastEnd(cursor) };
  }
}

function parseConcat(cursor: Cursor): Expression {
  const { at } = peek(cursor);
  const first = parseProduct(cursor);
  if (!isType(cursor, "~")) return first;
  const parts = [first];
  while (accept(cursor, "~")) parts.push(parseProduct(cursor));
  return { kind: "concat", parts, at, end: lastEnd(cursor) };
}

function parseProduct(cursor: Cursor): Expression {
  const { at } = peek(cursor);
  let left = parsePower(cursor);
  for (;;) {
    const operator = peek(cursor).type;
    if (operator !== "*" && operator !== "/" && operator !== "//" && operator !== "%") return left;
    take(cursor);
    const right = parsePower(cursor);
    left = { kind: "binary", operator, left, right, at, end: lastEnd(cursor) };
  }
}

function parsePower(cursor: Cursor): Expression {
  const { at } = peek(cursor);
  let left = parseFiltered(cursor);
  while (accept(cursor, "**")) {
    const right = parseFiltered(cursor);
    left = { kind: "binary", operator: "**", left, right, at, end: lastEnd(cursor) };
  }
  return left;
}

function parseFiltered(cursor: Cursor): Expression {
  const { at } = peek(cursor);
  return parseSuffixes(cursor, parseSigned(cursor), at);
}

function parseSigned(cursor: Cursor): Expression {
  const token = peek(cursor);
  if (token.type !== "-" && token.type !== "+") return parsePostfix(cursor, parsePrimary(cursor), token.at);
  take(cursor);
  const operand = deeper(cursor, parseSigned);
  return { kind: "unary", operator: token.type, operand, at: token.at, end: lastEnd(cursor) };
}
