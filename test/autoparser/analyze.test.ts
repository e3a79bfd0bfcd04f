import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyze, registerHypothesis, responseTextParser } from "../../src/autoparser/index.ts";
import { markersFor, templateChoices, writtenTemplate } from "../support/writtenTemplates.ts";

describe("a template that nobody has seen", () => {
  test("is understood: what it writes of its probes is read as it was said", () => {
    fc.assert(
      fc.property(templateChoices, (choices) => {
        const { limits, hypothesis, check } = analyze(writtenTemplate(choices));
        expect(check.probes.length).toBeGreaterThan(0);
        expect(limits.filter(({ code }) => code === "misread" || code === "tool_format_unknown")).toEqual([]);
        expect(hypothesis === null).toBe(choices.calls === "none");
      }),
      { numRuns: 60 },
    );
  });

  test("shows its markers of reasoning, content and prompt", () => {
    fc.assert(
      fc.property(templateChoices, (choices) => {
        const { layout, header, prefill, stops } = analyze(writtenTemplate(choices));
        const [think, thinkEnd] = markersFor(choices, "think");
        const [say, sayEnd] = markersFor(choices, "say");
        expect([layout.reasoning?.open.trim(), layout.reasoning?.close.trim()]).toEqual(
          choices.reasoning === "none" ? [undefined, undefined] : [think, thinkEnd],
        );
        expect([layout.content.open, layout.content.close]).toEqual(
          choices.content === "plain" ? ["", ""] : [say, sayEnd],
        );
        expect(header).toBe(`<|${choices.word}|>assistant\n`);
        expect(prefill.plain).toBe(choices.prompt === "open" && choices.reasoning !== "none" ? "open" : "none");
        expect(stops[0]).toBe(`<|end_${choices.word}|>`);
      }),
      { numRuns: 40 },
    );
  });

  test("writes exactly what the layout writes, where its arguments are JSON", () => {
    fc.assert(
      fc.property(templateChoices, (choices) => {
        fc.pre(["object", "nested", "nameIsKey", "tagJson"].includes(choices.calls));
        const { check } = analyze(writtenTemplate(choices));
        expect(check.probes.filter(({ exact }) => !exact).map(({ name }) => name)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("what a user knows better", () => {
  const choices = {
    word: "zorp",
    marker: "angle",
    reasoning: "inline",
    prompt: "plain",
    content: "plain",
    calls: "object",
    section: "none",
    ids: false,
  } as const;
  const template = writtenTemplate(choices);

  test("is taken, and checked like a finding", () => {
    const right = analyze(template, { overrides: { reasoning: { open: "<zorp_think>" } } });
    expect(right.limits).toEqual([]);
    const wrong = analyze(template, { overrides: { reasoning: { open: "<nothing>", close: "</nothing>" } } });
    expect(wrong.layout.reasoning?.open).toBe("<nothing>");
    expect(wrong.limits.map(({ code }) => code)).toContain("misread");
  });

  test("what is no finding cannot be overridden", () => {
    const overrides = { reasonning: { open: "<x>" } } as never;
    expect(() => analyze(template, { overrides })).toThrow(expect.objectContaining({ code: "invalid_config" }));
  });

  test("may be a format that is registered, until that is undone", () => {
    const odd = template
      .replace('{"name": "', "{{ '~' }}")
      .replace('", "arguments": ', "{{ ' with ' }}")
      .replace("tojson }}}", "tojson }}");
    const mine = {
      name: "mine",
      propose: () => ({
        calls: {
          lead: "\n",
          section: null,
          separator: "\n",
          call: [
            { kind: "text", text: "<zorp_call>~" },
            { kind: "name" },
            { kind: "text", text: " with " },
            { kind: "json" },
            { kind: "text", text: "</zorp_call>" },
          ],
          parallel: true,
        } as const,
      }),
    };
    const undo = registerHypothesis(mine);
    expect(() => registerHypothesis(mine)).toThrow(expect.objectContaining({ code: "invalid_config" }));
    const { hypothesis, limits } = analyze(odd);
    expect([hypothesis, limits]).toEqual(["mine", []]);
    undo();
    expect(analyze(odd).hypothesis).toBe("tag_with_json");
  });

  test("may be a format of one's own, which is tried first", () => {
    const never = { name: "never", propose: () => null };
    const silent = { name: "silent", propose: () => ({ calls: null }) };
    expect(analyze(template, { hypotheses: [never] }).hypothesis).toBe("json_object");
    const seen: string[] = [];
    const watching = {
      name: "watching",
      propose: (view: { readonly header: string }) => {
        seen.push(view.header);
        return null;
      },
    };
    analyze(template, { hypotheses: [watching, silent] });
    expect(seen).toEqual(["<|zorp|>assistant\n"]);
  });

  test("a template without a format that is known is read as content, and says so", () => {
    const odd = template
      .replace('{"name": "', '{{ "~" }}{{ t.function.name[0] }}-')
      .replace("{{ t.function.arguments | tojson }}", "{{ t.function.arguments | length }}");
    const { layout, limits } = analyze(odd);
    expect(layout.calls).toBeNull();
    expect(limits.map(({ code }) => code)).toContain("tool_format_unknown");
    const parser = responseTextParser(analyze(odd), { tools: null });
    parser.push("words");
    expect(parser.end().response.content).toBe("words");
  });
});
