import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createRenderer,
  formatReport,
  type RendererConfigInput,
  resolveRenderer,
  verifyRenderer,
} from "../../src/index.ts";
import { matchesTemplate, templateConversations } from "../../src/testing/index.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { familyTemplate, overlayTokenizer } from "../support/overlayTokenizer.ts";

const fixtures = requireFixtures();
const folder = fixtures ?? "";

/** Families with the template that they follow, and what they are identified as without being told. */
const identical: readonly (readonly [family: string, config: Readonly<Record<string, unknown>>])[] = [
  ["qwen3", {}],
  ["qwen3.5", {}],
  ["glm-5", {}],
  // The template of M2 names the model otherwise than that of M2.5.
  ["minimax-m2", { modelIdentity: "You are a helpful assistant." }],
  ["nemotron-3", {}],
  // The template prints the day.
  ["llama-3", { dateString: expect.stringMatching(/^\d\d [A-Z][a-z]{2} \d{4}$/) }],
  ["laguna-xs.2", {}],
  ["laguna-s-2.1", {}],
  ["hy3", {}],
];

/** Families of which the fixtures hold a template of another revision, and what stands in the report. */
const revisions = [
  ["kimi-k2", "a helpful assistant"],
  ["gpt-oss", "messages[0].content"],
  ["gemma4", "<|channel>thought"],
  ["deepseek-v4", "## Tools"],
  ["laguna-xs-2.1", "assistant made by Poolside"],
] as const;

describe.skipIf(fixtures === undefined)("families against their templates", () => {
  describe.each(identical)("%s", (family, fields) => {
    const tokenizer = overlayTokenizer(folder, family);
    const renderer = createRenderer(tokenizer, { name: family } as RendererConfigInput);

    test.each(["quick", "full"] as const)("%s", (level) => {
      const report = verifyRenderer(renderer, { level });
      expect(report.ok, formatReport(report)).toBe(true);
      expect(report.compared).toBeGreaterThanOrEqual(level === "quick" ? 9 : 50);
    });

    test("random conversations", () => {
      fc.assert(matchesTemplate(renderer), { numRuns: 40 });
    });

    test("its template has it under any name", () => {
      const { identical: match, config, by } = resolveRenderer(tokenizer, { name: "auto", identify: true });
      expect(match?.config).toEqual({ name: family, ...fields });
      expect(match?.sameVariables.length).toBeGreaterThan(0);
      expect({ by, config }).toMatchObject({ by: "identified", config: { name: family, ...fields } });
      const report = verifyRenderer(createRenderer(tokenizer, config), { level: "full" });
      expect(report.ok, formatReport(report)).toBe(true);
    });
  });

  test.each(revisions)("%s differs from a template of another revision", (family, shown) => {
    const tokenizer = overlayTokenizer(folder, family);
    const report = verifyRenderer(createRenderer(tokenizer, { name: family } as RendererConfigInput));
    expect(report.ok).toBe(false);
    expect(formatReport(report)).toContain(shown);
    expect(resolveRenderer(tokenizer).identical?.family).not.toBe(family);
    expect(() =>
      fc.assert(matchesTemplate(createRenderer(tokenizer, { name: family } as RendererConfigInput))),
    ).toThrow();
  });

  test("thinking off by default is found, too", () => {
    const template = familyTemplate(folder, "qwen3.5").replace(
      "enable_thinking is defined and enable_thinking is false",
      "enable_thinking is not defined or enable_thinking is false",
    );
    const { identical: match } = resolveRenderer(overlayTokenizer(folder, "qwen3.5", template));
    expect(match?.config).toEqual({ name: "qwen3.5", enableThinking: false });
  });

  test("conversations of one's own, where a family is known to differ", () => {
    const renderer = createRenderer(overlayTokenizer(folder, "gemma4"), {
      name: "gemma4",
      prefillEmptyThought: true,
    });
    const questions = templateConversations(renderer).map(({ messages }) => ({
      messages: messages.slice(0, messages.findIndex(({ role }) => role === "user") + 1),
      tools: [],
    }));
    fc.assert(matchesTemplate(renderer, { samples: questions }), { numRuns: 40 });
  });
});
