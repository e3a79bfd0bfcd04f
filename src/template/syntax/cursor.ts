import { SyntaxFault } from "./syntaxFault.ts";
import { describeToken, type Token, type TokenType } from "./tokens.ts";

/** How deep statements and expressions may stand inside each other; Jinja's own parser gives up earlier. */
const DEEPEST = 150;

/** A place in the tokens, and what the statements around it allow. */
export interface Cursor {
  readonly tokens: readonly Token[];
  index: number;
  depth: number;
  /** `for` statements around this place, macros and blocks between or not. */
  loops: number;
  /** `break` would leave a loop. */
  breakable: boolean;
  topLevel: boolean;
  readonly blockNames: Set<string>;
}

export function cursorOver(tokens: readonly Token[]): Cursor {
  return { tokens, index: 0, depth: 0, loops: 0, breakable: false, topLevel: true, blockNames: new Set() };
}

export function peek(cursor: Cursor): Token {
  return cursor.tokens[cursor.index]!;
}

/** The token after the next. */
export function peekSecond(cursor: Cursor): Token {
  return cursor.tokens[Math.min(cursor.index + 1, cursor.tokens.length - 1)]!;
}

/** The next token, left behind unless it is the last. */
export function take(cursor: Cursor): Token {
  const token = cursor.tokens[cursor.index]!;
  if (token.type !== "eof") cursor.index += 1;
  return token;
}

export function isType(cursor: Cursor, type: TokenType): boolean {
  return cursor.tokens[cursor.index]!.type === type;
}

export function isWord(token: Token, word: string): boolean {
  return token.type === "name" && token.value === word;
}

export function accept(cursor: Cursor, type: TokenType): boolean {
  if (cursor.tokens[cursor.index]!.type !== type) return false;
  take(cursor);
  return true;
}

export function acceptWord(cursor: Cursor, word: string): boolean {
  if (!isWord(cursor.tokens[cursor.index]!, word)) return false;
  take(cursor);
  return true;
}

/** Takes a token of the type; `wanted` is what the message calls it. */
export function expect(cursor: Cursor, type: TokenType, wanted: string): Token {
  const token = peek(cursor);
  if (token.type !== type) throw new SyntaxFault(`${wanted} is expected here, not ${describeToken(token)}`, token.at);
  return take(cursor);
}

export function expectWord(cursor: Cursor, word: string): Token {
  const token = peek(cursor);
  if (!isWord(token, word)) throw new SyntaxFault(`"${word}" is expected here, not ${describeToken(token)}`, token.at);
  return take(cursor);
}

export function expectName(cursor: Cursor): Token & { readonly value: string } {
  return expect(cursor, "name", "a name") as Token & { readonly value: string };
}

/** Behind the last token that was taken. */
export function lastEnd(cursor: Cursor): number {
  return cursor.tokens[cursor.index - 1]!.end;
}

/** Runs `parse` one level deeper. Throws a SyntaxFault where that is too deep. */
export function deeper<T>(cursor: Cursor, parse: (cursor: Cursor) => T): T {
  if (cursor.depth >= DEEPEST) throw new SyntaxFault(`nested more than ${DEEPEST} levels deep`, peek(cursor).at);
  cursor.depth += 1;
  const result = parse(cursor);
  cursor.depth -= 1;
  return result;
}
