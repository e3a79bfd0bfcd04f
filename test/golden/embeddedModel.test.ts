import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Template } from "@huggingface/jinja";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message, ToolSpec } from "../../src/index.ts";
import { conversation, hostileText, text, tools } from "../support/arbitraries.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { modelFile, qwen3, tokenizer } from "../support/qwen3.ts";

const fixtures = requireFixtures();
const own = new Template(tokenizer.chatTemplate ?? "");

const options = fc.record({
  messages: fc.oneof(conversation(text), conversation(hostileText)),
  tools: fc.constantFrom(null, tools),
  add_generation_prompt: fc.boolean(),
  enable_thinking: fc.boolean(),
});

/**
 * What a template is given. Calls' arguments are text, because the engine prints values as JavaScript does; an assistant's
 * words have no white space at their edges, because its `strip("\n")` strips all of it.
 */
function context(given: {
  messages: readonly Message[];
  tools: readonly ToolSpec[] | null;
  add_generation_prompt: boolean;
  enable_thinking: boolean;
}) {
  const messages = given.messages.map((message) => ({
    ...message,
    ...(message.role === "assistant"
      ? { content: String(message.content).trim(), reasoning_content: message.reasoning_content?.trim() ?? null }
      : {}),
    ...(message.tool_calls
      ? {
          tool_calls: message.tool_calls.map((call) => ({
            ...call,
            function: { ...call.function, arguments: JSON.stringify(call.function?.arguments) },
          })),
        }
      : {}),
  }));
  return { ...given, messages };
}

describe("the embedded model", () => {
  test("is the file that its checksum names, and small", () => {
    const folder = dirname(modelFile);
    const [sum, name] = readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split(/\s+/);
    expect(join(folder, name)).toBe(modelFile);
    expect(createHash("sha256").update(readFileSync(modelFile)).digest("hex")).toBe(sum);
    expect(statSync(modelFile).size).toBeLessThanOrEqual(12_000_000);
  });

  test("has the chat template of its folder", () => {
    expect(tokenizer.chatTemplate?.trim()).toBe(
      readFileSync(join(dirname(modelFile), "chat_template.jinja"), "utf8").trim(),
    );
  });

  test("its template gives the text of the renderer's ids", () => {
    fc.assert(
      fc.property(options, (given) => {
        const { messages, ...rest } = context(given);
        const renderer = qwen3({
          enableThinking: given.enable_thinking,
          contentSpecials: "template",
          validate: "template",
        });
        const ids = renderer.renderIds(messages as Message[], {
          tools: given.tools,
          addGenerationPrompt: given.add_generation_prompt,
        });
        const rendered = own.render({ messages, ...rest });
        expect(ids).toEqual(tokenizer.encode(rendered));
        expect(tokenizer.decode(ids)).toBe(rendered.normalize("NFC"));
      }),
      { numRuns: 200 },
    );
  });

  test.skipIf(fixtures === undefined)("its template gives the text of the published one", () => {
    const published = new Template(readFileSync(join(fixtures ?? "", "templates", "Qwen-Qwen3-0.6B.jinja"), "utf8"));
    fc.assert(
      fc.property(options, (given) => {
        expect(own.render(context(given))).toBe(published.render(context(given)));
      }),
      { numRuns: 200 },
    );
  });
});
