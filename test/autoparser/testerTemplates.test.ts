import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AppliedTemplate, type ApplyRequest, applyTemplate } from "../../src/apply/index.ts";
import { TitoError } from "../../src/index.ts";
import { spellResponse } from "../../src/parse/index.ts";
import { templateTester } from "../../src/testing/index.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { templateTokenizer } from "../support/templateTokens.ts";

const fixtures = requireFixtures();
const folder = join(fixtures ?? "", "templates");

const tools = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "The weather of a place",
      parameters: {
        type: "object",
        properties: {
          location: { type: "string", description: "The place" },
          days: { type: "integer", description: "How many" },
        },
        required: ["location", "days"],
      },
    },
  },
  {
    type: "function",
    function: { name: "now", description: "The time", parameters: { type: "object", properties: {} } },
  },
] as const;

const messages = [{ role: "user", content: "Hey there!" }];
/** Variables that a template prints and no one else knows. */
const templateKwargs = { functions: "[]", datetime: "now" };
/** Its calls cannot be told to it in Jinja2. */
const raises = /llama-cpp-deepseek-r1/;
/** Content and call are two messages of the history, with a stop between them. */
const apart = /Nemotron-Nano-v2/;

function applied(request: ApplyRequest): AppliedTemplate {
  try {
    return applyTemplate(request);
  } catch (error) {
    if (error instanceof TitoError && error.code === "tools_unsupported")
      return applyTemplate({ ...request, toolFormat: "generic" });
    throw error;
  }
}

describe.skipIf(fixtures === undefined)("responses as the layouts of real templates write them", () => {
  const files = fixtures === undefined ? [] : readdirSync(folder).filter((file) => file.endsWith(".jinja"));

  test.each(files.filter((file) => !raises.test(file)))("%s", (file) => {
    const template = readFileSync(join(folder, file), "utf8");
    const tokenizer = templateTokenizer(template);
    const request = { template, tokenizer, messages, tools, templateKwargs, enableThinking: true };
    const { prompt, promptIds, layout, beginning, toolFormat } = applied(request);
    expect(tokenizer.decode(promptIds!)).toBe(tokenizer.normalize(prompt));

    const calls = [
      { name: "get_weather", argumentsText: '{"location": "Zürich \\"old\\"", "days": 2}', id: "callid000" },
      ...(layout.calls?.parallel ? [{ name: "now", argumentsText: "{}", id: "callid001" }] : []),
    ];
    const isSilent = layout.content.droppedWithCalls || layout.calls?.bare || apart.test(file);
    const content = isSilent ? "" : "Let me see.";
    const isClosed = beginning.in === "start" && beginning.closed;
    const reasoning = layout.reasoning && !isClosed ? "Hmm.\nYes." : null;
    const text = spellResponse(layout, { content, reasoning, toolCalls: calls }, beginning);
    const { response } = templateTester(template, { tokenizer, templateKwargs })
      .test(text)
      .tools(tools)
      .toolFormat(toolFormat)
      .enableThinking(true)
      .expect({
        content,
        reasoningContent: reasoning ?? "",
        toolCalls: calls.map(({ name, argumentsText }) => ({ name, arguments: argumentsText })),
      })
      .run();
    expect(response.canonical).toBe(true);
  });
});
