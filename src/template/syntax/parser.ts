import type { Statement } from "./ast.ts";
import { cursorOver } from "./cursor.ts";
import { lex, normaliseSource } from "./lexer.ts";
import { parseStatements } from "./parseStatements.ts";
import { refuseDeepExpressions } from "./refuseDeepExpressions.ts";

export interface ParsedTemplate {
  /** The text that every `at` and `end` refers to: line breaks are `\n`, and the last one is gone. */
  readonly source: string;
  readonly body: readonly Statement[];
}

/**
 * Reads a Jinja template as Jinja2 3.1 does with `trim_blocks`, `lstrip_blocks`, loop controls and the `generation` tag, and
 * refuses what Jinja2 or Python refuses when such a template is compiled. Whether filters and tests exist is not looked at.
 * Throws a SyntaxFault.
 */
export function parseTemplate(text: string): ParsedTemplate {
  const source = normaliseSource(text);
  const tokens = lex(source);
  const body = parseStatements(cursorOver(tokens), null);
  refuseDeepExpressions(tokens, body);
  return { source, body };
}
