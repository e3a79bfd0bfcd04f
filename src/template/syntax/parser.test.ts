import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTemplate } from "./parser.ts";
import { SyntaxFault } from "./syntaxFault.ts";

describe("parseTemplate", () => {
  const pieces = fc.constantFrom(
    ...["{{ a }}", "{% if a %}", "{% else %}", "{% endif %}", "{% for a in b %}", "{% endfor %}", "{% set a = ", " %}"],
    ...[
      "{{",
      "}}",
      "{%",
      "%}",
      " ",
      "a",
      "if",
      "is",
      "not",
      "in",
      "(",
      ")",
      "[",
      "]",
      ",",
      ".",
      "1",
      "'s'",
      "|",
      "x\n",
    ],
  );

  it("gives a tree or a fault that lies in the template", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const template = parts.join("");
        try {
          parseTemplate(template);
        } catch (error) {
          if (!(error instanceof SyntaxFault)) throw error;
          expect(error.at).toBeGreaterThanOrEqual(0);
          expect(error.at).toBeLessThanOrEqual(template.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});
