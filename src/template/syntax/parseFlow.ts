import type { Expression, If, Print, Statement } from "./ast.ts";
import { acceptWord, type Cursor, expect, expectWord, isType, take } from "./cursor.ts";
import { closeTag, inside, openBody, parseBody } from "./parseBody.ts";
import { parseExpression, parseTuple, parseUnconditional } from "./parseExpression.ts";
import { parseStatements } from "./parseStatements.ts";
import { parseTarget } from "./parseTarget.ts";
import { SyntaxFault } from "./syntaxFault.ts";

/*
 * The statements that decide what runs. Each function starts behind the tag's name and takes the statement to behind its last
 * tag; `at` is where its first tag begins. All throw a SyntaxFault.
 */

/** `{% print a, b %}` */
export function parsePrint(cursor: Cursor, at: number): readonly Print[] {
  const values: Expression[] = [];
  while (!isType(cursor, "tagEnd")) {
    if (values.length > 0) expect(cursor, ",", `"," or "%}"`);
    values.push(parseExpression(cursor));
  }
  const end = closeTag(cursor);
  return values.map((value) => ({ kind: "print", value, at, end }));
}

export function parseIf(cursor: Cursor, at: number): Statement {
  const branches: Omit<If, "otherwise">[] = [];
  let otherwise: readonly Statement[] = [];
  let branchAt = at;
  for (;;) {
    const test = parseTuple(cursor, parseUnconditional);
    const end = openBody(cursor);
    const body = parseStatements(cursor, { tag: "if", at, ends: ["elif", "else", "endif"] });
    branches.push({ kind: "if", test, body, at: branchAt, end });
    branchAt = cursor.tokens[cursor.index - 1]!.at;
    const { value } = take(cursor);
    if (value === "elif") continue;
    if (value === "else") {
      openBody(cursor);
      otherwise = parseBody(cursor, "if", at);
    }
    break;
  }
  closeTag(cursor);
  for (const branch of branches.slice(1).reverse()) otherwise = [{ ...branch, otherwise }];
  return { ...branches[0]!, otherwise };
}

export function parseFor(cursor: Cursor, at: number): Statement {
  cursor.loops += 1;
  const target = parseTarget(cursor, "for");
  expectWord(cursor, "in");
  const iterable = parseTuple(cursor, parseUnconditional);
  const test = acceptWord(cursor, "if") ? parseExpression(cursor) : null;
  const recursive = acceptWord(cursor, "recursive");
  const end = openBody(cursor);
  const body = inside(cursor, { breakable: true }, () =>
    parseStatements(cursor, { tag: "for", at, ends: ["endfor", "else"] }),
  );
  let otherwise: readonly Statement[] = [];
  if (take(cursor).value === "else") {
    openBody(cursor);
    // A recursive loop is a function, and its `else` stands in it.
    const breakable = cursor.breakable && !recursive;
    otherwise = inside(cursor, { breakable }, () => parseBody(cursor, "for", at));
  }
  closeTag(cursor);
  cursor.loops -= 1;
  return { kind: "for", target, iterable, test, recursive, body, otherwise, at, end };
}

export function parseLoopControl(cursor: Cursor, at: number, kind: "break" | "continue"): Statement {
  if (!cursor.breakable) throw new SyntaxFault(`"${kind}" stands in no loop that it could leave`, at);
  return { kind, at, end: closeTag(cursor) };
}
