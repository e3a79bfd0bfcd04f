import type { Arguments, Expression, Filter, Slice } from "./ast.ts";
import { accept, acceptWord, type Cursor, expect, expectName, isType, isWord, lastEnd, peek, take } from "./cursor.ts";
import { NO_ARGUMENTS, parseArguments } from "./parseArguments.ts";
import { parseExpression } from "./parseExpression.ts";
import { parsePrimary } from "./parsePrimary.ts";
import { SyntaxFault } from "./syntaxFault.ts";

/** Attributes, subscripts and calls behind `subject`, which starts at `at`. Throws a SyntaxFault. */
export function parsePostfix(cursor: Cursor, subject: Expression, at: number): Expression {
  let value = subject;
  for (;;) {
    switch (peek(cursor).type) {
      case ".":
        value = parseAttribute(cursor, value, at);
        break;
      case "[":
        value = parseSubscript(cursor, value, at);
        break;
      case "(":
        value = parseCall(cursor, value, at);
        break;
      default:
        return value;
    }
  }
}

/** Filters, tests, and calls of their results. Throws a SyntaxFault. */
export function parseSuffixes(cursor: Cursor, subject: Expression, at: number): Expression {
  let value = subject;
  for (;;) {
    const token = peek(cursor);
    if (accept(cursor, "|")) value = parseFilter(cursor, value, at);
    else if (isWord(token, "is")) value = parseTest(cursor, value, at);
    else if (token.type === "(") value = parseCall(cursor, value, at);
    else return value;
  }
}

/** `| a | b(…)` for the body of a block, or null where there is no filter. */
export function parseBodyFilters(cursor: Cursor, at: number): Filter | null {
  let filter: Filter | null = null;
  while (accept(cursor, "|")) filter = parseFilter(cursor, filter, at);
  return filter;
}

/** A filter from its name on. */
export function parseFilter(cursor: Cursor, operand: Expression | null, at: number): Filter {
  const name = dottedName(cursor);
  const args = isType(cursor, "(") ? parseArguments(cursor) : NO_ARGUMENTS;
  return { kind: "filter", operand, name, arguments: args, at, end: lastEnd(cursor) };
}

function dottedName(cursor: Cursor): string {
  let name = expectName(cursor).value;
  while (accept(cursor, ".")) name += `.${expectName(cursor).value}`;
  return name;
}

function parseTest(cursor: Cursor, operand: Expression, at: number): Expression {
  take(cursor);
  const negated = acceptWord(cursor, "not");
  const name = dottedName(cursor);
  const args = isType(cursor, "(") ? parseArguments(cursor) : testArgument(cursor);
  const test: Expression = { kind: "test", operand, name, arguments: args, at, end: lastEnd(cursor) };
  return negated ? { kind: "unary", operator: "not", operand: test, at, end: test.end } : test;
}

/** `x is divisibleby 3`: one argument may stand without parentheses. Any word but three is taken for it, even `if`. */
function testArgument(cursor: Cursor): Arguments {
  const token = peek(cursor);
  switch (token.type) {
    case "name":
      if (token.value === "else" || token.value === "or" || token.value === "and") return NO_ARGUMENTS;
      if (token.value === "is")
        throw new SyntaxFault(`"is" cannot follow a test directly: put the first test in parentheses`, token.at);
      break;
    case "string":
    case "integer":
    case "float":
    case "[":
    case "{":
      break;
    default:
      return NO_ARGUMENTS;
  }
  return { ...NO_ARGUMENTS, positional: [parsePostfix(cursor, parsePrimary(cursor), token.at)] };
}

function parseCall(cursor: Cursor, callee: Expression, at: number): Expression {
  const args = parseArguments(cursor);
  return { kind: "call", callee, arguments: args, at, end: lastEnd(cursor) };
}

function parseAttribute(cursor: Cursor, object: Expression, at: number): Expression {
  take(cursor);
  const token = take(cursor);
  if (token.type === "name") return { kind: "attribute", object, name: token.value as string, at, end: token.end };
  if (token.type !== "integer") throw new SyntaxFault(`a name or an integer is expected behind "."`, token.at);
  const index: Expression = { kind: "constant", value: token.value, at: token.at, end: token.end };
  return { kind: "subscript", object, index, at, end: token.end };
}

function parseSubscript(cursor: Cursor, object: Expression, at: number): Expression {
  const open = take(cursor);
  const indices: (Expression | Slice)[] = [];
  while (!isType(cursor, "]")) {
    if (indices.length > 0) expect(cursor, ",", `"," or "]"`);
    indices.push(parseIndex(cursor));
  }
  const { end } = take(cursor);
  if (indices.length === 1) return { kind: "subscript", object, index: indices[0]!, at, end };
  const items = indices.map((index) => {
    if (index.kind === "slice") throw new SyntaxFault("a slice cannot stand among other indices", index.at);
    return index;
  });
  return { kind: "subscript", object, index: { kind: "tuple", items, at: open.at, end }, at, end };
}

function parseIndex(cursor: Cursor): Expression | Slice {
  const { at } = peek(cursor);
  const start = isType(cursor, ":") ? null : parseExpression(cursor);
  if (!accept(cursor, ":")) return start!;
  const stop = isType(cursor, ":") ? null : parseBound(cursor);
  const step = accept(cursor, ":") ? parseBound(cursor) : null;
  return { kind: "slice", start, stop, step, at, end: lastEnd(cursor) };
}

function parseBound(cursor: Cursor): Expression | null {
  return isType(cursor, "]") || isType(cursor, ",") ? null : parseExpression(cursor);
}
