import fc from "fast-check";
import { expect } from "vitest";
import { layoutGrammar } from "../../src/autoparser/grammar/index.ts";
import { matches, parseGbnf, sampleGbnf, whyNot } from "../../src/gbnf/index.ts";
import { type ToolSpec, toolName } from "../../src/messages/index.ts";
import { type ParsedResponse, type ResponseLayout, spellResponse, textParser } from "../../src/parse/index.ts";
import { fits, fromTrigger, schemaOf, schemaTools, startOf, uses } from "./grammarUses.ts";
import { toolMap } from "./layoutReading.ts";

type Choice = "auto" | "required";

const strings = fc
  .array(fc.constantFrom(..."a|it's|\"|\\|{|}|<b>|</parameter>|'|,|)|é|🚀| |\n|\t|:".split("|")), { maxLength: 8 })
  .map((parts) => parts.join(""));

function parsed(layout: ResponseLayout, tools: readonly ToolSpec[], text: string): ParsedResponse {
  const parser = textParser(layout, { beginning: startOf(layout), tools: toolMap(tools) });
  parser.push(text);
  return parser.end().response;
}

/** What the parser reports as canonical, the grammar accepts. How many responses were so. */
export function checkSpelled(name: string, layout: ResponseLayout, toolChoice: Choice, numRuns: number): number {
  const beginning = startOf(layout);
  let accepted = 0;
  fc.assert(
    fc.property(uses(name, layout, strings), ({ tools, response }) => {
      const text = spellResponse(layout, response, beginning);
      const read = parsed(layout, tools, text);
      // Texts that hold the layout's own markers may read as something else.
      if (!read.canonical || read.toolCalls.length !== response.toolCalls.length) return;
      if (read.toolCalls.some(({ status }) => status !== "ok" && status !== "ambiguous_arguments")) return;
      const grammar = layoutGrammar(layout, { tools, toolChoice, beginning })!;
      const held = fromTrigger(grammar, text);
      expect(held, text).not.toBeNull();
      expect(whyNot(parseGbnf(grammar.gbnf), held ?? "")?.message ?? null, `${held}`).toBeNull();
      accepted++;
    }),
    { numRuns },
  );
  return accepted;
}

/** What the grammar generates, the parser reads as calls that fit their tools' schemas. */
export function checkSampled(layout: ResponseLayout, toolChoice: Choice, numRuns: number): void {
  const beginning = startOf(layout);
  const grammar = layoutGrammar(layout, { tools: schemaTools, toolChoice, beginning })!;
  const gbnf = parseGbnf(grammar.gbnf);
  fc.assert(
    fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), (stream) => {
      const text = sampleGbnf(gbnf, () => stream.next().value, { budget: 300 });
      expect(matches(gbnf, text)).toBe(true);
      const { toolCalls, content } = parsed(layout, schemaTools, text);
      expect(toolCalls.length, text).toBeGreaterThan(0);
      if (layout.content.afterCalls !== true) expect(content.trim(), text).toBe("");
      for (const { name: called, status, arguments: args } of toolCalls) {
        expect(status, text).toBe("ok");
        const schema = schemaOf(schemaTools.find((tool) => toolName(tool) === called));
        expect(fits(schema, args), `${JSON.stringify(args)} in ${text}`).toBe(true);
      }
    }),
    { numRuns },
  );
}
