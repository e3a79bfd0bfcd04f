import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ApplyRequest, applyTemplate, llamaServerRequest } from "../../src/apply/index.ts";
import { gbnfMatcher, parseGbnf, sampleGbnf } from "../../src/gbnf/index.ts";
import { createRenderer, type ErrorCode, type Message, TitoError, type ToolSpec } from "../../src/index.ts";
import { spellResponse } from "../../src/parse/index.ts";
import { conversations, plainTexts } from "../../src/testing/index.ts";
import { templateTester } from "../../src/testing/templateTester.ts";
import { calculator, call, tokenizer } from "../support/qwen3.ts";

const template = tokenizer.chatTemplate!;
const user: Message = { role: "user", content: "What is 2 + 2?" };
const base = { template, messages: [user] };

/** ChatML without tools. */
const plain =
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

function codeOf(request: ApplyRequest): ErrorCode | "none" {
  try {
    applyTemplate(request);
    return "none";
  } catch (error) {
    if (error instanceof TitoError) return error.code;
    throw error;
  }
}

const words = plainTexts(["<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_end|>", "<|im_start|>"], (text) =>
  tokenizer.normalize(text),
);

describe("properties", () => {
  test("ids are the default renderer's, and their text is the prompt", () => {
    const renderer = createRenderer(tokenizer, {
      name: "default",
      adaptMessages: true,
      mutable: true,
      validate: "template",
    });
    fc.assert(
      fc.property(conversations({ contents: words, words }), ({ messages, tools }) => {
        const { prompt, promptIds } = applyTemplate({ tokenizer, messages, tools });
        expect(promptIds).toEqual(renderer.renderIds(messages, { tools, addGenerationPrompt: true }));
        expect(tokenizer.decode(promptIds!)).toBe(tokenizer.normalize(prompt));
      }),
      { numRuns: 30 },
    );
  });

  test("what the layout writes is read again, in any pieces, and taken by the grammar", () => {
    const said = fc.record({ content: words, reasoning: words, arguments: fc.array(words, { maxLength: 3 }) });
    const choices = fc.constantFrom("auto" as const, "required" as const, { name: "calculator" });
    fc.assert(
      fc.property(said, choices, fc.constantFrom("template" as const, "generic" as const), (one, choice, format) => {
        fc.pre(choice === "auto" || one.arguments.length > 0);
        const content = choice === "auto" ? one.content : "";
        const toolCalls = one.arguments.map((expression) => ({
          name: "calculator",
          argumentsText: JSON.stringify({ expression }),
          id: undefined,
        }));
        const { layout, beginning } = applyTemplate({ ...base, tools: [calculator], toolFormat: format });
        const text = spellResponse(layout, { content, reasoning: one.reasoning, toolCalls }, beginning);
        templateTester(template, { tokenizer })
          .test(text)
          .tools([calculator])
          .toolChoice(choice)
          .toolFormat(format)
          .expect({
            content,
            reasoningContent: one.reasoning,
            toolCalls: toolCalls.map(({ name, argumentsText }) => ({ name, arguments: argumentsText })),
          })
          .run();
      }),
      { numRuns: 40 },
    );
  });

  test("with a response format every text of the grammar is read as content that is JSON of the schema", () => {
    const schema = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
      additionalProperties: false,
    };
    const applied = applyTemplate({ ...base, responseFormat: { type: "json_schema", schema } });
    const gbnf = parseGbnf(applied.grammar!);
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), (randoms) => {
        const text = sampleGbnf(gbnf, () => randoms.next().value);
        const parser = applied.textParser();
        parser.push(text);
        const { content, toolCalls } = parser.end().response;
        expect(toolCalls).toEqual([]);
        const value = JSON.parse(content) as { n: number };
        expect([Object.keys(value), Number.isInteger(value.n)]).toEqual([["n"], true]);
      }),
      { numRuns: 40 },
    );
  });
});

describe("the bundle", () => {
  test("with tools", () => {
    const applied = applyTemplate({ ...base, tools: [calculator] });
    expect(applied.generationPrompt).toBe("<|im_start|>assistant\n");
    expect(applied.opened).toBe("");
    expect(applied.beginning).toEqual({ in: "start", closed: false });
    expect([applied.lazy, applied.triggers]).toEqual([true, [{ kind: "word", text: "<tool_call>" }]]);
    expect(applied.thinking).toEqual({ start: "<think>", ends: ["</think>"] });
    expect([applied.supportsThinking, applied.chatFormat, applied.promptIds]).toEqual([true, "peg-native", null]);
    expect(applied.stops).toContain("<|im_end|>");
    expect(applied.preservedTokens).toEqual(
      expect.arrayContaining(["<think>", "</think>", "<tool_call>", "</tool_call>"]),
    );
    expect(applied.capabilities.supportsTools).toBe(true);
    expect(() => applied.parser()).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });

  test("with a tokenizer, triggers are tokens and stops ids", () => {
    const applied = applyTemplate({ tokenizer, messages: [user], tools: [calculator] });
    const id = tokenizer.tokenToId("<tool_call>");
    expect(applied.triggers).toEqual([{ kind: "token", id, text: "<tool_call>" }]);
    expect(applied.stopTokenIds).toContain(tokenizer.tokenToId("<|im_end|>"));
    const parser = applied.parser();
    const events = parser.push([...tokenizer.encode(`Hm.\n${call("calculator", "{}")}`), applied.stopTokenIds[0]!]);
    expect(events.at(-1)).toMatchObject({ kind: "stop" });
    expect(parser.end().response).toMatchObject({ content: "Hm.", toolCalls: [{ name: "calculator", status: "ok" }] });
    const state = { ...parser.state, kind: "bare" } as never;
    expect(() => applied.parser({ state })).toThrow(expect.objectContaining({ code: "invalid_state" }));
  });

  test("thinking switched off closes reasoning in the prompt", () => {
    const applied = applyTemplate({ ...base, enableThinking: false });
    expect(applied.opened).toBe("<think>\n\n</think>\n\n");
    expect(applied.beginning).toEqual({ in: "start", closed: true });
    expect(applyTemplate({ ...base, enableThinking: false, templateKwargs: { enable_thinking: true } }).opened).toBe(
      "",
    );
  });

  test("without tools and with none wanted, calls are content", () => {
    const text = call("calculator", '{"expression": "1"}');
    for (const request of [base, { ...base, tools: [calculator], toolChoice: "none" as const }]) {
      const applied = applyTemplate(request);
      expect([applied.grammar, applied.lazy, applied.triggers, applied.chatFormat]).toEqual([
        null,
        false,
        [],
        "peg-simple",
      ]);
      const parser = applied.textParser();
      parser.push(text);
      expect(parser.end().response).toMatchObject({ content: text, toolCalls: [] });
    }
    expect(applyTemplate({ template: plain, messages: [user] }).chatFormat).toBe("Content-only");
  });

  test("reasoningFormat none leaves reasoning in the content", () => {
    for (const applied of [
      applyTemplate({ ...base, reasoningFormat: "none" }),
      applyTemplate({ tokenizer, messages: [user], reasoningFormat: "none" }),
    ]) {
      const text = "<think>\nHm.\n</think>\n\n4";
      const parser = applied.textParser();
      parser.push(text);
      expect(parser.end().response).toMatchObject({ content: text, reasoning: null });
      if (applied.promptIds === null) continue;
      const byIds = applied.parser();
      byIds.push(tokenizer.encode(text));
      expect(byIds.end().response).toMatchObject({ content: text, reasoning: null });
    }
  });

  test("parallelToolCalls false: one call, and no second one", () => {
    const one = call("calculator", '{"expression": "1"}');
    for (const [parallelToolCalls, taken] of [
      [true, true],
      [false, false],
    ] as const) {
      const { grammar } = applyTemplate({ ...base, tools: [calculator], parallelToolCalls });
      const matcher = gbnfMatcher(parseGbnf(grammar!));
      expect(matcher.accept(one)).toBe(true);
      expect(matcher.accept(`\n${one}`)).toBe(taken);
    }
  });

  test("a prompt without a generation prompt opens nothing", () => {
    const applied = applyTemplate({ ...base, addGenerationPrompt: false });
    expect([applied.generationPrompt, applied.opened, applied.prompt.endsWith("<|im_end|>\n")]).toEqual(["", "", true]);
  });
});

test("a template that only does with a list of tools is given an empty one", () => {
  const listing = `{% for tool in tools %}{{ tool.function.name }}{% endfor %}${plain}`;
  const { prompt, promptIds } = applyTemplate({ tokenizer, template: listing, messages: [user] });
  expect(prompt).toBe("<|im_start|>user\nWhat is 2 + 2?<|im_end|>\n<|im_start|>assistant\n");
  expect(tokenizer.decode(promptIds!)).toBe(prompt);
  expect(codeOf({ template: `{{ nothing.at.all }}${plain}`, messages: [user] })).toBe("template_error");
});

test("a token that stands between the parts of a response does not stop it", () => {
  const parted =
    "{% for m in messages %}{% if m.role == 'assistant' and m.reasoning_content %}{{ '<|im_start|>think\n' + " +
    "m.reasoning_content + '<|im_end|><|im_start|>assistant\n' + m.content + '<|endoftext|>' }}{% else %}" +
    "{{ '<|im_start|>' + m.role + '\n' + m.content + '<|endoftext|>' }}{% endif %}{% endfor %}" +
    "{% if add_generation_prompt %}{{ '<|im_start|>' }}{% endif %}";
  const { layout, stops, stopTokenIds } = applyTemplate({ tokenizer, template: parted, messages: [user] });
  const inside = [layout.reasoning?.close, ...layout.glue].some((text) => text?.includes("<|im_end|>"));
  expect([inside, stops.includes("<|im_end|>")]).toEqual([true, false]);
  const end = tokenizer.tokenToId("<|im_end|>")!;
  expect(stopTokenIds.includes(end)).toBe(end === tokenizer.eosTokenId);
});

describe("a message that goes on", () => {
  const said = (message: Partial<Message>): ApplyRequest => ({
    tokenizer,
    messages: [user, { role: "assistant", content: "", ...message }],
    continueFinalMessage: true,
  });
  const read = (request: ApplyRequest, text: string, whole: boolean) => {
    const parser = applyTemplate(request).textParser({ whole });
    parser.push(text);
    const { content, reasoning } = parser.end().response;
    return [content, reasoning?.text ?? null];
  };

  test("in its content", () => {
    const request = said({ content: "It is", reasoning_content: "Easy." });
    const applied = applyTemplate(request);
    expect(applied.generationPrompt).toBe("<|im_start|>assistant\n<think>\nEasy.\n</think>\n\nIt is");
    expect(applied.beginning).toEqual({ in: "content" });
    expect(applied.continued).toEqual({ content: "It is", reasoning: "Easy." });
    expect(tokenizer.decode(applied.promptIds!)).toBe(applied.prompt);
    expect(read(request, " 4.", false)).toEqual([" 4.", null]);
    expect(read(request, " 4.", true)).toEqual(["It is 4.", "Easy."]);
  });

  test("in its thoughts, also where the template would not write them", () => {
    const request = said({ reasoning_content: "Let" });
    const applied = applyTemplate(request);
    expect(applied.generationPrompt).toBe("<|im_start|>assistant\n<think>\nLet");
    expect(applied.beginning).toEqual({ in: "reasoning" });
    expect(tokenizer.decode(applied.promptIds!)).toBe(applied.prompt);
    expect(read(request, " me.\n</think>\n\n4.", false)).toEqual(["4.", " me."]);
    expect(read(request, " me.\n</think>\n\n4.", true)).toEqual(["4.", "Let me."]);
  });

  test("a call is read behind it", () => {
    const applied = applyTemplate({ ...said({ content: "So" }), tools: [calculator] });
    const parser = applied.textParser();
    parser.push(` it is.\n${call("calculator", '{"expression": "2+2"}')}`);
    expect(parser.end().response).toMatchObject({
      content: " it is.",
      toolCalls: [{ name: "calculator", status: "ok" }],
    });
  });

  test("only an assistant's words", () => {
    expect(codeOf({ ...base, continueFinalMessage: true })).toBe("invalid_message");
    expect(codeOf({ ...said({ content: "x" }), addGenerationPrompt: true })).toBe("invalid_request");
    expect(codeOf({ ...said({ content: "x" }), addGenerationPrompt: false })).toBe("none");
  });
});

describe("generic tools", () => {
  const request: ApplyRequest = { template: plain, messages: [user], tools: [calculator], toolFormat: "generic" };

  test("a template without calls refuses tools, and says what to do", () => {
    expect(codeOf({ ...request, toolFormat: "template" })).toBe("tools_unsupported");
    expect(codeOf({ ...request, toolFormat: undefined })).toBe("tools_unsupported");
    expect(() => applyTemplate({ ...request, toolFormat: undefined })).toThrow('toolFormat: "generic"');
    expect(codeOf({ ...request, toolFormat: "template", toolChoice: "none" })).toBe("none");
    expect(codeOf({ ...request, toolFormat: "template", tools: [] })).toBe("none");
  });

  test("are described in front, calls and results written as text", () => {
    const history: Message[] = [
      { role: "system", content: "Be brief." },
      user,
      {
        role: "assistant",
        content: "Let me see.",
        tool_calls: [
          {
            id: "a",
            type: "function",
            function: { name: "calculator", arguments: '{"expression": "2+2",  "n": 1.0}' },
          },
          { id: "b", type: "function", function: { name: "calculator", arguments: { expression: "3" } } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "4" },
      { role: "tool", tool_call_id: "b", content: "3" },
      { role: "user", content: "And?" },
    ];
    const { prompt, toolFormat } = applyTemplate({ ...request, messages: history });
    expect(toolFormat).toBe("generic");
    expect(prompt.startsWith("<|im_start|>system\nBe brief.\n\n# Tools\n")).toBe(true);
    expect(prompt).toContain('\n{"name": "calculator", "description": "Evaluates an expression.", "parameters": {');
    expect(prompt.slice(prompt.indexOf("<|im_start|>user"))).toBe(
      [
        "<|im_start|>user\nWhat is 2 + 2?<|im_end|>",
        "<|im_start|>assistant\nLet me see.",
        call("calculator", '{"expression": "2+2",  "n": 1.0}'),
        `${call("calculator", '{"expression": "3"}')}<|im_end|>`,
        "<|im_start|>user\n<tool_response>\n4\n</tool_response>",
        "<tool_response>\n3\n</tool_response>",
        "",
        "And?<|im_end|>",
        "<|im_start|>assistant\n",
      ].join("\n"),
    );
  });

  test("history is written as the model would write it", () => {
    const { layout, beginning } = applyTemplate(request);
    const calls = [{ name: "calculator", argumentsText: '{"expression": "1"}', id: undefined }];
    const text = spellResponse(layout, { content: "Hm.", reasoning: null, toolCalls: calls }, beginning);
    const message: Message = {
      role: "assistant",
      content: "Hm.",
      tool_calls: [{ type: "function", function: { name: "calculator", arguments: '{"expression": "1"}' } }],
    };
    const { prompt } = applyTemplate({ ...request, messages: [user, message, { role: "user", content: "?" }] });
    expect(prompt).toContain(`<|im_start|>assistant\n${text}<|im_end|>`);
  });
});

describe("impossible requests", () => {
  const tools: ToolSpec[] = [calculator];
  const json = { type: "json_object" } as const;
  test.each<[string, Partial<ApplyRequest>, ErrorCode | "none"]>([
    ["no template", { template: undefined }, "invalid_request"],
    ["no messages", { messages: [] }, "empty_messages"],
    ["a wrong role", { messages: [{ role: "robot", content: "x" }] }, "unknown_role"],
    ["a tool without a name", { tools: [{ type: "function", function: { name: "" } }] }, "invalid_tool"],
    ["a choice without tools", { toolChoice: "required" }, "tool_choice_unknown"],
    ["a choice of another tool", { tools, toolChoice: { name: "search" } }, "tool_choice_unknown"],
    ["OpenAI's way of choosing", { tools, toolChoice: { type: "function", function: { name: "calculator" } } }, "none"],
    ["a word that is no choice", { tools, toolChoice: "maybe" as never }, "invalid_request"],
    ["a format beside tools", { tools, responseFormat: json }, "invalid_request"],
    ["a format beside tools that are not called", { tools, toolChoice: "none", responseFormat: json }, "none"],
    ["text beside tools", { tools, responseFormat: { type: "text" } }, "none"],
    ["no schema", { responseFormat: { type: "json_schema" } as never }, "invalid_request"],
    [
      "a schema that none can express",
      { responseFormat: { type: "json_schema", schema: { type: "widget" } } },
      "schema_unsupported",
    ],
    ["no reasoning format", { reasoningFormat: "deepseek" as never }, "invalid_request"],
    ["no tool format", { toolFormat: "xml" as never }, "invalid_request"],
    ["no template at all", { template: "{% for %}" }, "template_syntax"],
  ])("%s", (_, more, code) => {
    expect(codeOf({ ...base, ...more })).toBe(code);
  });
});

describe("llama-server", () => {
  test("a lazy grammar with its triggers", () => {
    const applied = applyTemplate({ ...base, tools: [calculator] });
    expect(llamaServerRequest(applied)).toEqual({
      prompt: applied.prompt,
      grammar: applied.grammar,
      grammar_lazy: true,
      grammar_triggers: [{ type: 1, value: "<tool_call>" }],
      preserved_tokens: applied.preservedTokens,
      stop: applied.stops,
    });
  });

  test("ids, and triggers by id", () => {
    const applied = applyTemplate({ tokenizer, messages: [user], tools: [calculator] });
    const body = llamaServerRequest(applied);
    expect(body.prompt).toEqual([...applied.promptIds!]);
    const token = tokenizer.tokenToId("<tool_call>");
    expect(body.grammar_triggers).toEqual([{ type: 0, value: "<tool_call>", token }]);
    expect(JSON.parse(JSON.stringify(body))).toEqual(body);
  });

  test("a grammar from the start has no triggers; without a grammar none is sent", () => {
    const required = llamaServerRequest(applyTemplate({ ...base, tools: [calculator], toolChoice: "required" }));
    expect([required.grammar_lazy, "grammar_triggers" in required]).toEqual([false, false]);
    expect(Object.keys(llamaServerRequest(applyTemplate(base)))).toEqual(["prompt", "preserved_tokens", "stop"]);
  });

  test("what counts at the start only is a pattern whose group the grammar begins with", () => {
    const applied = applyTemplate({ ...base, tools: [calculator] });
    const text = '{"name": "calculator"';
    const at = { ...applied, triggers: [{ kind: "word", text, atStart: true }] } as const;
    const [trigger] = llamaServerRequest(at).grammar_triggers!;
    expect(trigger!.type).toBe(2);
    const found = (response: string) => new RegExp(trigger!.value).exec(response)?.[1] ?? null;
    expect(found(` \n${text}, "arguments": {}}`)).toBe(text);
    expect(found(`<think>Hm</think>\n\n${text}`)).toBe(text);
    expect(found(`So: ${text}`)).toBe(null);
    const thinking = { ...at, beginning: { in: "reasoning" } } as const;
    expect(new RegExp(llamaServerRequest(thinking).grammar_triggers![0]!.value).test(text)).toBe(false);
  });
});
