import type { Expression, Slice, Statement } from "./ast.ts";
import { SyntaxFault } from "./syntaxFault.ts";
import type { Token } from "./tokens.ts";

/** Python's own limit is 200 parentheses, and Jinja writes at least one for every level. */
const DEEPEST = 250;

const OPERATIONS: ReadonlySet<(Expression | Slice)["kind"]> = new Set([
  "tuple",
  "list",
  "dict",
  "attribute",
  "subscript",
  "slice",
  "call",
  "filter",
  "test",
  "unary",
  "binary",
  "logic",
  "concat",
  "comparison",
  "conditional",
] as const);

/**
 * Throws a SyntaxFault where an expression is deeper than any that Jinja compiles, so that the code that walks it may recurse: a
 * chain of operators or filters is as deep as it is long. Only a template that has a very long tag is looked at.
 */
export function refuseDeepExpressions(tokens: readonly Token[], body: readonly Statement[]): void {
  if (!hasLongTag(tokens)) return;
  const left: { readonly node: object; readonly depth: number }[] = [{ node: body, depth: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, depth } = next;
    if (depth > DEEPEST)
      throw new SyntaxFault(`an expression more than ${DEEPEST} levels deep`, (node as { at: number }).at);
    for (const part of Object.values(node)) {
      if (typeof part !== "object" || part === null) continue;
      left.push({ node: part, depth: isOperation(part) ? depth + 1 : depth });
    }
  }
}

function isOperation(node: object): boolean {
  return "kind" in node && OPERATIONS.has(node.kind as Expression["kind"]);
}

function hasLongTag(tokens: readonly Token[]): boolean {
  let length = 0;
  for (const { type } of tokens) {
    length = type === "tagBegin" || type === "printBegin" ? 0 : length + 1;
    if (length > DEEPEST) return true;
  }
  return false;
}
