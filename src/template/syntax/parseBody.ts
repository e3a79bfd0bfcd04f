import type { Statement } from "./ast.ts";
import { accept, type Cursor, expect, take } from "./cursor.ts";
import { parseStatements } from "./parseStatements.ts";

/** Behind the tag's end. Throws a SyntaxFault, as every function of this file. */
export function closeTag(cursor: Cursor): number {
  return expect(cursor, "tagEnd", `"%}"`).end;
}

/** As `closeTag`, for a tag that opens a body: there a colon may stand before the end. */
export function openBody(cursor: Cursor): number {
  accept(cursor, ":");
  return closeTag(cursor);
}

/** What the code of a body may do: leave a loop that is around it. */
export interface BodyRules {
  readonly breakable: boolean;
}

/** Runs `parse` as the inside of another statement. */
export function inside<T>(cursor: Cursor, rules: BodyRules, parse: () => T): T {
  const { breakable, topLevel } = cursor;
  cursor.breakable = rules.breakable;
  cursor.topLevel = false;
  const result = parse();
  cursor.breakable = breakable;
  cursor.topLevel = topLevel;
  return result;
}

/** The body of the tag that begins at `at`, up to the name in its end tag, which is taken, too. */
export function parseBody(cursor: Cursor, tag: string, at: number): readonly Statement[] {
  const body = parseStatements(cursor, { tag, at, ends: [`end${tag}`] });
  take(cursor);
  return body;
}

/** A body that runs in place, with its end tag. */
export function parseInner(cursor: Cursor, tag: string, at: number): readonly Statement[] {
  const body = inside(cursor, { breakable: cursor.breakable }, () => parseBody(cursor, tag, at));
  closeTag(cursor);
  return body;
}

/** A body that is a function of its own, with its end tag: it cannot leave a loop that is around it. */
export function parseFunctionBody(cursor: Cursor, tag: string, at: number): readonly Statement[] {
  const body = inside(cursor, { breakable: false }, () => parseBody(cursor, tag, at));
  closeTag(cursor);
  return body;
}
