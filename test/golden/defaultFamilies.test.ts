import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { messagesOf, type RecordedCase, readCases, toolsOf } from "../../src/conform/cases.ts";
import type { RenderedTokens, TitoError, Tokenizer } from "../../src/index.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { overlayTokenizer } from "../support/overlayTokenizer.ts";
import { type RenderersOfCase, renderersOf, templateFamilies } from "../support/templateFamilies.ts";

const fixtures = requireFixtures();

type Column = "messageIndices" | "sampledMask" | "contentMask";
const columns: readonly Column[] = ["messageIndices", "sampledMask", "contentMask"];

/** A stretch of tokens of which a column says one thing in the family and another thing by the template. */
interface Difference {
  readonly column: Column;
  readonly family: number;
  readonly byTemplate: number;
  readonly text: string;
  readonly before: string;
  readonly after: string;
}

/** A difference that is meant. It speaks of inputs and of the text at hand, never of a case's name. */
interface Rule {
  readonly why: string;
  readonly covers: (difference: Difference, recorded: RecordedCase) => boolean;
}

const isMask = ({ column }: Difference) => column !== "messageIndices";

const thinkingOpener: Rule = {
  why:
    "What opens the thinking of an earlier turn may be the prompt's or the model's. The families go by what the prompt " +
    "of that turn had; the template's own prompt is all that the default renderer knows.",
  covers: (one) =>
    isMask(one) &&
    /^\s*<\/?think[^>]*>\s*$/.test(one.text) &&
    /(?:<\|assistant\|>|<assistant>\n?|<\|im_start\|>assistant\n)$/.test(one.before),
};

const systemOfNobody: Rule = {
  why:
    "The family's system block holds tools and a default text, and is nobody's but for the system message's own words. " +
    "By the template the turn around a message is the message's.",
  covers: ({ column, family, byTemplate }, recorded) =>
    column === "messageIndices" &&
    family === -1 &&
    ["system", "developer"].includes(recorded.plain.messages[byTemplate]?.role),
};

function hugged(tags: RegExp): Rule {
  return {
    why: "A token that holds the end of a tag and the beginning of a body is the body's in the family; else its first byte decides.",
    covers: (one) => one.column === "contentMask" && one.family === 1 && one.text[0] === ">" && tags.test(one.before),
  };
}

const rules: Readonly<Record<(typeof templateFamilies)[number], readonly Rule[]>> = {
  qwen3: [],
  "qwen3.5": [],
  "glm-5": [thinkingOpener],
  "minimax-m2": [
    hugged(/<response$/),
    {
      why: "The recorded system gives the begin-of-text to the first message; by the template it is nobody's.",
      covers: ({ column, text, before, byTemplate }) =>
        column === "messageIndices" && text === "]~!b[" && before === "" && byTemplate === -1,
    },
  ],
  "nemotron-3": [thinkingOpener],
  "llama-3": [
    {
      why: "The template writes the first user's message ahead of its loop; where that has no text, no piece says whose turn it is.",
      covers: ({ column, family, byTemplate }, { plain }) =>
        column === "messageIndices" && byTemplate === -1 && plain.messages[family]?.content.trim() === "",
    },
  ],
  "laguna-xs.2": [
    thinkingOpener,
    systemOfNobody,
    {
      why: "The line that the template writes behind raw words is scaffold in the family; by the template it is before the turn's end.",
      covers: (one, { plain }) =>
        isMask(one) &&
        plain.config.render_assistant_messages_raw === true &&
        one.text === "\n" &&
        one.after.startsWith("</assistant>"),
    },
  ],
  "laguna-s-2.1": [thinkingOpener, systemOfNobody, hugged(/<(?:system|user|tool_response)$/)],
  hy3: [
    systemOfNobody,
    {
      why: "With no_think the family takes no reasoning of an earlier turn as sampled; by the template it is behind what the prompt writes in any case.",
      covers: (one, { plain }) =>
        isMask(one) &&
        (plain.config.reasoning_effort ?? "no_think") === "no_think" &&
        one.text.endsWith("</think:opensource>") &&
        one.before.endsWith("<think:opensource>"),
    },
    {
      why: "With fallback_strategy the template writes no generation prompt, so that a turn's header is the model's.",
      covers: (one, { plain }) =>
        isMask(one) &&
        plain.config.fallback_strategy !== undefined &&
        /^(?:<\/tool_responses:opensource>)?<｜hy_Assistant:opensource｜>/.test(one.text),
    },
  ],
};

function differences(tokenizer: Tokenizer, family: RenderedTokens, byTemplate: RenderedTokens): Difference[] {
  const found: Difference[] = [];
  const text = (from: number, to: number) => tokenizer.decode(family.tokenIds.slice(Math.max(0, from), to));
  for (const column of columns) {
    const [a, b] = [family[column], byTemplate[column]];
    for (let start = 0, end = 0; start < a.length; start = end) {
      end = start + 1;
      if (a[start] === b[start]) continue;
      while (end < a.length && a[end] === a[start] && b[end] === b[start]) end++;
      found.push({
        column,
        family: a[start]!,
        byTemplate: b[start]!,
        text: text(start, end),
        before: text(start - 8, start),
        after: text(end, end + 8),
      });
    }
  }
  return found;
}

const hasPlainContent = ({ content }: { content?: unknown }) => typeof content === "string";

describe.skipIf(fixtures === undefined)("the default renderer on a family's template, against the family", () => {
  test.each(templateFamilies)("%s", (name) => {
    const tokenizer = overlayTokenizer(fixtures!, name);
    const cases = readCases(join(fixtures!, "golden", "renderers", `${name}.jsonl`)).filter(
      ({ kind, plain }) => kind === "render" && !plain.error,
    );
    const built = new Map<string, RenderersOfCase>();
    let equal = 0;
    const used = new Set<Rule>();
    for (const recorded of cases) {
      const key = JSON.stringify(recorded.plain.config);
      const { family, byTemplate } = built.get(key) ?? renderersOf(tokenizer, recorded, true);
      built.set(key, { family, byTemplate });
      const options = { tools: toolsOf(recorded), addGenerationPrompt: Boolean(recorded.plain.add_generation_prompt) };
      const expected = family.render(messagesOf(recorded), options);
      let actual: RenderedTokens;
      try {
        actual = byTemplate.render(messagesOf(recorded), options);
      } catch (error) {
        // The template refuses its input in Python, too.
        expect(["template_error", "template_raised"], `${recorded.id}: ${error}`).toContain((error as TitoError).code);
        expect(recorded.plain.template_raises, recorded.id).toBeTruthy();
        continue;
      }
      if (!recorded.plain.messages.every(hasPlainContent) && actual.tokenIds.join() !== expected.tokenIds.join()) {
        // The family joins parts of text and writes nothing for null. So does the default renderer for text in their place.
        const text = messagesOf(recorded).map((one) => (hasPlainContent(one) ? one : { ...one, content: "text" }));
        expect(byTemplate.render(text, options).tokenIds, recorded.id).toEqual(family.render(text, options).tokenIds);
        continue;
      }
      expect(tokenizer.decode(actual.tokenIds), recorded.id).toBe(tokenizer.decode(expected.tokenIds));
      expect(actual.tokenIds, recorded.id).toEqual(expected.tokenIds);
      expect(actual.messageRoles).toEqual(expected.messageRoles);
      const found = differences(tokenizer, expected, actual);
      for (const difference of found) {
        const rule = rules[name].find((one) => one.covers(difference, recorded));
        expect(rule, `${recorded.id} ${JSON.stringify(difference)}`).toBeDefined();
        used.add(rule!);
      }
      if (found.length === 0) equal++;
    }
    expect(equal).toBeGreaterThan(20);
    expect(rules[name].filter((rule) => !used.has(rule)).map((rule) => rule.why)).toEqual([]);
  });
});
