import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRenderer, type Message, type Renderer } from "../../src/index.ts";
import {
  chunkingInvariant,
  injectionSafe,
  masksConsistent,
  roundTrips,
  sampledTurn,
  type TurnLimits,
  turns,
} from "../../src/testing/index.ts";
import { shapeRenderer, shapes } from "../support/chatTemplates.ts";
import { tokenizer } from "../support/qwen3.ts";

interface Subject {
  readonly renderer: Renderer;
  /** What the template has no place for. */
  readonly limits?: TurnLimits;
  /** Set where what a response is read to is not to the letter what was rendered. */
  readonly spacing?: "the template's spaces around words are sampled, too";
}

/** Turns of templates without calls. */
const limits: TurnLimits = { maxCalls: 0 };
const spacing = "the template's spaces around words are sampled, too";

const tight = `{%- if tools %}{{ '<|im_start|>system\\n' + tools | tojson + '<|im_end|>\\n' }}{% endif %}
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- if message.reasoning_content %}{{ '<think>' + message.reasoning_content + '</think>' }}{% endif %}
{{- message.content }}
{%- for one in message.tool_calls or [] %}
{%- if message.content or not loop.first %}{{ '\\n' }}{% endif %}
{{- '<tool_call>\\n{"name": "' + one.function.name + '", "arguments": ' + one.function.arguments | tojson + '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

const subjects: Readonly<Record<string, Subject>> = {
  "calls and thinking without space around it": {
    renderer: shapeRenderer(shapes.thinking, {
      template: tight,
      toolParser: "hermes",
      reasoningParser: "think",
      adaptMessages: ["arguments"],
    }),
  },
  "the embedded model's template": {
    renderer: createRenderer(tokenizer, { name: "default", toolParser: "hermes" }),
    spacing,
  },
  "thinking that the prompt opens": { renderer: shapeRenderer(shapes.thinking, { toolParser: "hermes" }), spacing },
  "ChatML without calls": { renderer: shapeRenderer(shapes.chatml), limits },
  "GLM, whose turns have no end": { renderer: shapeRenderer(shapes.glm), limits },
  "gemma, through a macro": { renderer: shapeRenderer(shapes.gemma, { adaptMessages: true }), limits },
  "Llama 2, without a header": { renderer: shapeRenderer(shapes.llama2), limits, spacing },
};

describe.each(Object.entries(subjects))("the default renderer: %s", (_, { renderer, limits = {}, spacing }) => {
  const runs = { numRuns: 25 };

  test.skipIf(spacing !== undefined)("a rendered turn reads back as it was", () => {
    fc.assert(roundTrips(renderer, limits), runs);
  });

  test("any cutting of a completion reads the same", () => {
    fc.assert(chunkingInvariant(renderer, limits), { numRuns: 40 });
  });

  test("columns are consistent", () => {
    fc.assert(masksConsistent(renderer, limits), runs);
  });

  test("no text from outside makes a control token", () => {
    fc.assert(injectionSafe(renderer, limits), runs);
  });

  test("what is sampled goes on from the generation prompt, and ends with a stop", () => {
    const words = fc.constantFrom("yes", "no", "a b c", "中文", "1 + 1 = 2");
    const user: Message = { role: "user", content: "hi" };
    fc.assert(
      fc.property(turns({ ...limits, words, maxCalls: 0, reasoning: false }), ({ message }) => {
        const messages = [user, message];
        const text = renderer.tokenizer.decode(renderer.renderIds(messages));
        const { prompt, completion } = sampledTurn(renderer, messages)!;
        const words = completion.slice(0, -1);
        expect(text.startsWith(renderer.tokenizer.decode([...prompt, ...words]))).toBe(true);
        expect(renderer.tokenizer.decode(words)).toContain(message.content);
        expect(renderer.stopTokenIds).toContain(completion.at(-1));
        expect(words.some((id) => renderer.stopTokenIds.includes(id))).toBe(false);
      }),
      runs,
    );
  });
});
