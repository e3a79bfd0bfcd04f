import { isPythonSpace } from "../../messages/python/index.ts";
import type { Parameter, Statement, With } from "./ast.ts";
import { accept, acceptWord, type Cursor, expect, expectName, isType, peek } from "./cursor.ts";
import { namesAreUnique } from "./parseArguments.ts";
import { closeTag, inside, openBody, parseBody, parseFunctionBody, parseInner } from "./parseBody.ts";
import { parseExpression, parseTuple } from "./parseExpression.ts";
import { parseBodyFilters, parseFilter } from "./parsePostfix.ts";
import { parseBoundName, parseParameters, parseTarget } from "./parseTarget.ts";
import { SyntaxFault } from "./syntaxFault.ts";
import { undeclaredNames } from "./undeclaredNames.ts";

/*
 * The statements that bind names or wrap a body. Each function starts behind the tag's name and takes the statement to behind
 * its last tag; `at` is where its first tag begins. All throw a SyntaxFault.
 */

export function parseSet(cursor: Cursor, at: number): Statement {
  const target = parseTarget(cursor, "set");
  if (accept(cursor, "=")) {
    const value = parseTuple(cursor);
    return { kind: "assign", target, value, at, end: closeTag(cursor) };
  }
  const filter = parseBodyFilters(cursor, peek(cursor).at);
  const end = openBody(cursor);
  return { kind: "assignBlock", target, filter, body: parseInner(cursor, "set", at), at, end };
}

export function parseMacro(cursor: Cursor, at: number): Statement {
  const name = parseBoundName(cursor);
  const parameters = parseParameters(cursor);
  const end = openBody(cursor);
  const body = parseFunctionBody(cursor, "macro", at);
  refuseCaller(parameters, body, at);
  return { kind: "macro", name, parameters, body, at, end };
}

export function parseCallBlock(cursor: Cursor, at: number): Statement {
  const parameters = isType(cursor, "(") ? parseParameters(cursor) : [];
  const callAt = peek(cursor).at;
  const call = parseExpression(cursor);
  if (call.kind !== "call") throw new SyntaxFault(`"call" needs a call, as in {% call name() %}`, callAt);
  const { named } = call.arguments;
  if (named.some(({ name }) => name === "caller") && namesAreUnique(named))
    throw new SyntaxFault(`the argument "caller" is given by "call" itself`, callAt);
  const end = openBody(cursor);
  const body = parseFunctionBody(cursor, "call", at);
  refuseCaller(parameters, body, at);
  return { kind: "callBlock", call, parameters, body, at, end };
}

function refuseCaller(parameters: readonly Parameter[], body: readonly Statement[], at: number): void {
  const caller = parameters.find(({ name }) => name === "caller");
  if (caller?.fallback === null && undeclaredNames(body, ["caller"]).size > 0)
    throw new SyntaxFault(`the parameter "caller" is special: leave it out or give it a default`, at);
}

export function parseFilterBlock(cursor: Cursor, at: number): Statement {
  const filterAt = peek(cursor).at;
  let filter = parseFilter(cursor, null, filterAt);
  while (accept(cursor, "|")) filter = parseFilter(cursor, filter, filterAt);
  const end = openBody(cursor);
  return { kind: "filterBlock", filter, body: parseInner(cursor, "filter", at), at, end };
}

export function parseWith(cursor: Cursor, at: number): Statement {
  const assignments: With["assignments"][number][] = [];
  while (!isType(cursor, "tagEnd")) {
    if (assignments.length > 0) expect(cursor, ",", `"," or "%}"`);
    const target = parseTarget(cursor, "with");
    expect(cursor, "=", `"="`);
    assignments.push({ target, value: parseExpression(cursor) });
  }
  const end = closeTag(cursor);
  return { kind: "with", assignments, body: parseInner(cursor, "with", at), at, end };
}

/** Its body is a function, because the tag is a call block underneath. */
export function parseGeneration(cursor: Cursor, at: number): Statement {
  const end = openBody(cursor);
  return { kind: "generation", body: parseFunctionBody(cursor, "generation", at), at, end };
}

export function parseBlock(cursor: Cursor, at: number): Statement {
  const { value: name, at: nameAt } = expectName(cursor);
  if (cursor.blockNames.has(name)) throw new SyntaxFault(`a second block "${name}"`, nameAt);
  cursor.blockNames.add(name);
  const scoped = acceptWord(cursor, "scoped");
  const required = acceptWord(cursor, "required");
  const end = openBody(cursor);
  const body = inside(cursor, { breakable: false }, () => parseBody(cursor, "block", at));
  if (required && !body.every(isBlank)) throw new SyntaxFault(`the required block "${name}" must be empty`, at);
  acceptWord(cursor, name);
  closeTag(cursor);
  return { kind: "block", name, scoped, required, body, at, end };
}

function isBlank(statement: Statement): boolean {
  return statement.kind === "text" && Array.from(statement.text).every((char) => isPythonSpace(char.codePointAt(0)!));
}

export function parseAutoescape(cursor: Cursor, at: number): Statement {
  const enabled = parseExpression(cursor);
  const end = openBody(cursor);
  return { kind: "autoescape", enabled, body: parseInner(cursor, "autoescape", at), at, end };
}
