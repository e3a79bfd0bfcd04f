import { parseTemplate } from "../../src/template/syntax/parser.ts";
import { SyntaxFault } from "../../src/template/syntax/syntaxFault.ts";

/** What is wrong with a template, which has to be wrong. */
export function fault(template: string): SyntaxFault {
  try {
    parseTemplate(template);
  } catch (error) {
    if (error instanceof SyntaxFault) return error;
    throw error;
  }
  throw new Error(`accepted: ${template}`);
}
