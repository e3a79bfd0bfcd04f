import type { Arguments, Expression } from "./ast.ts";
import { accept, type Cursor, expect, isType, peek, peekSecond, take } from "./cursor.ts";
import { parseExpression } from "./parseExpression.ts";
import { SyntaxFault } from "./syntaxFault.ts";

export const NO_ARGUMENTS: Arguments = { positional: [], named: [], spread: null, namedSpread: null };

/**
 * Words that Python does not take as the name of an argument. A call with one of them is made with a dictionary, where a name
 * may stand twice; the last one counts.
 */
const PYTHON_WORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

/** `(a, b=c, *d, **e)`. Throws a SyntaxFault. */
export function parseArguments(cursor: Cursor): Arguments {
  expect(cursor, "(", `"("`);
  const positional: Expression[] = [];
  const named: { name: string; value: Expression; at: number }[] = [];
  let spread: Expression | null = null;
  let namedSpread: Expression | null = null;
  while (!isType(cursor, ")")) {
    const token = peek(cursor);
    if (namedSpread !== null) throw new SyntaxFault(`nothing can follow "**" in a call`, token.at);
    if (token.type === "*") {
      if (spread !== null) throw new SyntaxFault(`a second "*" in a call`, token.at);
      take(cursor);
      spread = parseExpression(cursor);
    } else if (accept(cursor, "**")) namedSpread = parseExpression(cursor);
    else if (token.type === "name" && peekSecond(cursor).type === "=") {
      take(cursor);
      take(cursor);
      named.push({ name: token.value as string, value: parseExpression(cursor), at: token.at });
    } else {
      if (spread !== null || named.length > 0)
        throw new SyntaxFault(
          `an argument without a name stands behind ${spread ? `"*"` : "one with a name"}`,
          token.at,
        );
      positional.push(parseExpression(cursor));
    }
    if (!accept(cursor, ",")) break;
  }
  expect(cursor, ")", `"," or ")"`);
  refuseRepeated(named);
  return { positional, named: named.map(({ name, value }) => ({ name, value })), spread, namedSpread };
}

/** Whether a repeated name is an error in this call. */
export function namesAreUnique(named: readonly { readonly name: string }[]): boolean {
  return !named.some(({ name }) => PYTHON_WORDS.has(name));
}

function refuseRepeated(named: readonly { readonly name: string; readonly at: number }[]): void {
  const seen = new Set<string>();
  for (const { name, at } of named) {
    if (seen.has(name) && namesAreUnique(named)) throw new SyntaxFault(`the argument "${name}" is given twice`, at);
    seen.add(name);
  }
}
