import type { Statement } from "./ast.ts";
import { type Cursor, deeper, expect, isWord, peek, take } from "./cursor.ts";
import {
  parseAutoescape,
  parseBlock,
  parseCallBlock,
  parseFilterBlock,
  parseGeneration,
  parseMacro,
  parseSet,
  parseWith,
} from "./parseBlocks.ts";
import { parseTuple } from "./parseExpression.ts";
import { parseFor, parseIf, parseLoopControl, parsePrint } from "./parseFlow.ts";
import { parseImport } from "./parseImport.ts";
import { SyntaxFault } from "./syntaxFault.ts";
import { describeToken } from "./tokens.ts";

/** The statement around a body, where it begins, and the tags that end the body. */
export interface Around {
  readonly tag: string;
  readonly at: number;
  readonly ends: readonly string[];
}

/** The whole template, or a body up to the name in the tag that ends it. Throws a SyntaxFault. */
export function parseStatements(cursor: Cursor, around: Around | null): readonly Statement[] {
  const body: Statement[] = [];
  for (;;) {
    const token = take(cursor);
    switch (token.type) {
      case "text":
        body.push({ kind: "text", text: token.value as string, at: token.at, end: token.end });
        break;
      case "printBegin": {
        const value = parseTuple(cursor);
        const { end } = expect(cursor, "printEnd", `an operator or "}}"`);
        body.push({ kind: "print", value, at: token.at, end });
        break;
      }
      case "tagBegin":
        if (around?.ends.some((end) => isWord(peek(cursor), end))) return body;
        deeper(cursor, () => parseTag(cursor, token.at, around, body));
        break;
      case "eof":
        if (around === null) return body;
        throw new SyntaxFault(`"${around.tag}" is never closed with ${listOf(around.ends)}`, around.at);
      default:
        throw new SyntaxFault(`unexpected ${describeToken(token)}`, token.at);
    }
  }
}

type ParseStatement = (cursor: Cursor, at: number) => Statement;

const STATEMENTS: ReadonlyMap<string, ParseStatement> = new Map<string, ParseStatement>([
  ["if", parseIf],
  ["for", parseFor],
  ["break", (cursor, at) => parseLoopControl(cursor, at, "break")],
  ["continue", (cursor, at) => parseLoopControl(cursor, at, "continue")],
  ["set", parseSet],
  ["macro", parseMacro],
  ["call", parseCallBlock],
  ["filter", parseFilterBlock],
  ["with", parseWith],
  ["generation", parseGeneration],
  ["block", parseBlock],
  ["autoescape", parseAutoescape],
  ["include", (cursor, at) => parseImport(cursor, at, "include")],
  ["import", (cursor, at) => parseImport(cursor, at, "import")],
  ["from", (cursor, at) => parseImport(cursor, at, "from")],
  ["extends", (cursor, at) => parseImport(cursor, at, "extends")],
]);

function parseTag(cursor: Cursor, at: number, around: Around | null, body: Statement[]): void {
  const { value, at: nameAt } = expect(cursor, "name", "the name of a tag");
  const tag = value as string;
  if (tag === "print") {
    body.push(...parsePrint(cursor, at));
    return;
  }
  const parse = STATEMENTS.get(tag);
  if (parse === undefined) throw unknownTag(tag, nameAt, around);
  body.push(parse(cursor, at));
}

function unknownTag(tag: string, at: number, around: Around | null): SyntaxFault {
  const message = `"${tag}" is no tag that can stand here`;
  if (around === null) return new SyntaxFault(message, at);
  return new SyntaxFault(`${message}: the "${around.tag}" around it still waits for ${listOf(around.ends)}`, at);
}

function listOf(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(" or ");
}
