import type { Import, Statement } from "./ast.ts";
import {
  accept,
  acceptWord,
  type Cursor,
  expectName,
  expectWord,
  isType,
  isWord,
  peek,
  peekSecond,
  take,
} from "./cursor.ts";
import { closeTag } from "./parseBody.ts";
import { parseExpression } from "./parseExpression.ts";
import { isConstantName } from "./parsePrimary.ts";
import { parseBoundName } from "./parseTarget.ts";
import { SyntaxFault } from "./syntaxFault.ts";

/** A tag that loads another template, from behind its name on; `at` is where the tag begins. Throws a SyntaxFault. */
export function parseImport(cursor: Cursor, at: number, tag: Import["tag"]): Statement {
  if (tag === "extends" && !cursor.topLevel)
    throw new SyntaxFault(`"extends" cannot stand inside another statement than "if"`, at);
  const template = parseExpression(cursor);
  const names: string[] = [];
  let ignoreMissing = false;
  if (tag === "include") {
    ignoreMissing = isWord(peek(cursor), "ignore") && isWord(peekSecond(cursor), "missing");
    if (ignoreMissing) skip(cursor, 2);
    acceptContext(cursor);
  } else if (tag === "import") {
    expectWord(cursor, "as");
    names.push(parseBoundName(cursor));
    acceptContext(cursor);
  } else if (tag === "from") {
    expectWord(cursor, "import");
    names.push(...importedNames(cursor));
  }
  return { kind: "import", tag, template, ignoreMissing, names, at, end: closeTag(cursor) };
}

function importedNames(cursor: Cursor): readonly string[] {
  const names: string[] = [];
  for (;;) {
    if (acceptContext(cursor)) return names;
    const { value: name, at } = expectName(cursor);
    if (isConstantName(name)) throw new SyntaxFault(`"${name}" is a constant and cannot be bound`, at);
    if (name.startsWith("_")) throw new SyntaxFault(`"${name}" begins with "_" and cannot be imported`, at);
    names.push(acceptWord(cursor, "as") ? parseBoundName(cursor) : name);
    if (acceptContext(cursor) || !isType(cursor, ",")) return names;
    accept(cursor, ",");
  }
}

/** `with context`, `without context` */
function acceptContext(cursor: Cursor): boolean {
  const token = peek(cursor);
  if (!(isWord(token, "with") || isWord(token, "without")) || !isWord(peekSecond(cursor), "context")) return false;
  skip(cursor, 2);
  return true;
}

function skip(cursor: Cursor, count: number): void {
  for (let skipped = 0; skipped < count; skipped += 1) take(cursor);
}
