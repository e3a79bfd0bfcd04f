import type { Expression, NamespaceTarget, Parameter, Target } from "./ast.ts";
import { accept, type Cursor, expect, expectName, isType, lastEnd, peek, peekSecond, take } from "./cursor.ts";
import { commaSeparated, parseExpression } from "./parseExpression.ts";
import { isConstantName, parsePrimary } from "./parsePrimary.ts";
import { SyntaxFault } from "./syntaxFault.ts";

/**
 * What stands before `=` or `in`: names, and for `set` also `namespace.name`. Inside a loop `loop` is bound by `with` alone.
 * Throws a SyntaxFault.
 */
export function parseTarget(cursor: Cursor, statement: "for" | "set" | "with"): Target {
  const { at } = peek(cursor);
  const takesLoop = statement === "with" || cursor.loops === 0;
  const list = commaSeparated(cursor, (inner) =>
    statement === "set" && isNamespaceTarget(inner)
      ? parseNamespaceTarget(inner)
      : toTarget(parsePrimary(inner), takesLoop),
  );
  return list.isTuple ? { kind: "targets", items: list.items, at, end: lastEnd(cursor) } : list.items[0]!;
}

function isNamespaceTarget(cursor: Cursor): boolean {
  const token = peek(cursor);
  return token.type === "name" && !isConstantName(token.value as string) && peekSecond(cursor).type === ".";
}

function parseNamespaceTarget(cursor: Cursor): NamespaceTarget {
  const { value: name, at } = expectName(cursor);
  take(cursor);
  const { value: attribute, end } = expectName(cursor);
  return { kind: "namespace", name, attribute, at, end };
}

function toTarget(expression: Expression, takesLoop: boolean): Target {
  const { at, end } = expression;
  if (expression.kind === "tuple") {
    return { kind: "targets", items: expression.items.map((item) => toTarget(item, takesLoop)), at, end };
  }
  if (expression.kind === "name") {
    if (expression.name === "loop" && !takesLoop) throw new SyntaxFault(`"loop" cannot be assigned to in a loop`, at);
    return expression;
  }
  const what = expression.kind === "constant" ? "a constant" : `an expression of the kind "${expression.kind}"`;
  throw new SyntaxFault(`nothing can be assigned to ${what}`, at);
}

/** A name that a statement binds. Throws a SyntaxFault for that of a constant. */
export function parseBoundName(cursor: Cursor): string {
  const { value, at } = expectName(cursor);
  if (isConstantName(value)) throw new SyntaxFault(`"${value}" is a constant and cannot be bound`, at);
  return value;
}

/** `(a, b=1)` of a macro or call block. Throws a SyntaxFault. */
export function parseParameters(cursor: Cursor): readonly Parameter[] {
  expect(cursor, "(", `"("`);
  const parameters: Parameter[] = [];
  const names = new Set<string>();
  let defaults = false;
  while (!isType(cursor, ")")) {
    if (parameters.length > 0) expect(cursor, ",", `"," or ")"`);
    const { at } = peek(cursor);
    const name = parseBoundName(cursor);
    if (names.has(name)) throw new SyntaxFault(`the parameter "${name}" stands twice`, at);
    names.add(name);
    const fallback = accept(cursor, "=") ? parseExpression(cursor) : null;
    if (defaults && fallback === null)
      throw new SyntaxFault(`the parameter "${name}" needs a default, because the one before it has one`, at);
    defaults = fallback !== null;
    parameters.push({ name, fallback });
  }
  take(cursor);
  return parameters;
}
