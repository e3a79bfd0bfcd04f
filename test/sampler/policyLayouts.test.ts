import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layoutGrammar } from "../../src/autoparser/grammar/index.ts";
import { matches, parseGbnf, sampleGbnf } from "../../src/gbnf/index.ts";
import type { Renderer, RendererConfigInput } from "../../src/index.ts";
import { toolName } from "../../src/messages/index.ts";
import {
  type LayoutBeginning,
  type ResponseLayout,
  responseLayout,
  type SpokenResponse,
  textParser,
} from "../../src/parse/index.ts";
import { families } from "../../src/renderers/registry.ts";
import { familyRenderer } from "../support/families.ts";
import { fits, schemaOf, schemaTools, uses } from "../support/grammarUses.ts";
import { toolMap } from "../support/layoutReading.ts";

const names = [...families.keys()];

const strings = fc
  .array(fc.constantFrom(..."a|it's|\"|\\|{|}|<b>|'|,|)|é|🚀| |\n|:".split("|")), { maxLength: 8 })
  .map((parts) => parts.join(""));

const beginningOf = (layout: ResponseLayout): LayoutBeginning =>
  layout.glue.length > 0 ? { in: "glue" } : { in: "start", closed: true };

const aCall = { content: "", reasoning: null, toolCalls: [{ name: "ping", argumentsText: "{}", id: undefined }] };

function ended({ tokenizer, grammar }: Renderer, text: string, response: SpokenResponse): number[] {
  const stop = grammar.kind === "framed" ? grammar.stopOf?.(response) : undefined;
  return [...tokenizer.encode(text), stop ?? grammar.stops[0]];
}

describe.each(names)("%s", (name) => {
  describe.each([false, true])("patched: %s", (patched) => {
    const renderer = familyRenderer({ name, patched } as RendererConfigInput);
    const layout = responseLayout(renderer.grammar)!;
    const prompt = { reasoning: "closed" } as const;

    test("what the family writes, its layout reads alike", () => {
      let alike = 0;
      fc.assert(
        fc.property(uses(name.startsWith("kimi") ? "Kimi" : name, layout, strings), ({ tools, response }) => {
          const spoken = { ...response, reasoning: null };
          const text = renderer.grammar.spell(spoken, false);
          const own = renderer.parseResponse(ended(renderer, text, spoken), { prompt, tools });
          if (!own.canonical || own.toolCalls.length !== spoken.toolCalls.length) return;
          const parser = textParser(layout, { beginning: beginningOf(layout), tools: toolMap(tools) });
          parser.push(text);
          const { content, toolCalls } = parser.end().response;
          const said = (calls: typeof toolCalls) => calls.map((one) => [one.name, one.arguments, one.status]);
          expect(said(toolCalls), text).toEqual(said(own.toolCalls));
          expect(content.trim()).toBe(own.content.trim());
          alike++;
        }),
        { numRuns: 40 },
      );
      expect(alike).toBeGreaterThan(15);
    });

    test.skipIf(layout.reasoning === null)("reasoning and words, too", () => {
      const words = fc.constantFrom("It is so.", "One\nTwo", "{a: 1}", "é🚀");
      const bare = { toolCalls: [] };
      fc.assert(
        fc.property(words, words, (reasoning, content) => {
          const text = renderer.grammar.spell({ ...bare, reasoning, content }, true);
          const ids = ended(renderer, text, { ...bare, reasoning, content });
          const own = renderer.parseResponse(ids, { prompt: { reasoning: "open" } });
          const parser = textParser(layout, { beginning: { in: "reasoning" }, tools: null });
          parser.push(text);
          const read = parser.end().response;
          expect(read.content.trim()).toBe(own.content.trim());
          expect(read.reasoning?.text.trim()).toBe(own.reasoning?.text.trim());
        }),
        { numRuns: 10 },
      );
    });

    test.each(["required", "auto"] as const)(
      "what its grammar makes (%s), the family reads as calls that fit",
      (toolChoice) => {
        const beginning = beginningOf(layout);
        const grammar = layoutGrammar(layout, { tools: schemaTools, toolChoice, beginning, extent: "call" })!;
        const gbnf = parseGbnf(grammar.gbnf);
        fc.assert(
          fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), (stream) => {
            const text = sampleGbnf(gbnf, () => stream.next().value, { budget: 300 });
            expect(matches(gbnf, text)).toBe(true);
            const { toolCalls } = renderer.parseResponse(ended(renderer, text, aCall), { prompt, tools: schemaTools });
            expect(toolCalls.length, text).toBeGreaterThan(0);
            for (const { name: called, status, arguments: args } of toolCalls) {
              expect(status, text).toBe("ok");
              const schema = schemaOf(schemaTools.find((tool) => toolName(tool) === called));
              expect(fits(schema, args), `${JSON.stringify(args)} in ${text}`).toBe(true);
            }
          }),
          { numRuns: 12 },
        );
      },
    );
  });
});
