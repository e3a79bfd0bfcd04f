import { describe, expect, test } from "vitest";
import type { PromptContext } from "../../src/index.ts";
import { jsonMembers } from "../../src/parse/calls/jsonMembers.ts";
import { call, ids, qwen3, tokenizer } from "../support/qwen3.ts";

const renderer = qwen3();
const closed: PromptContext = { reasoning: "closed" };
const parse = (text: string, prompt: PromptContext = closed) => renderer.parseResponse(ids(text), { prompt });
const good = call("f", '{"a": 1}');

describe("parts", () => {
  test.each([
    ["content alone", "hello<|im_end|>", { content: "hello", reasoning: null }],
    [
      "reasoning and content",
      "<think>\nhm\n</think>\n\nhello<|im_end|>",
      { content: "hello", reasoning: { text: "hm", complete: true } },
    ],
    [
      "empty reasoning",
      "<think>\n\n</think>\n\nhello<|im_end|>",
      { content: "hello", reasoning: { text: "", complete: true } },
    ],
    ["reasoning cut off", "<think>\nhm", { content: "", reasoning: { text: "hm", complete: false } }],
    ["reasoning ended by a stop", "<think>\nhm<|im_end|>", { content: "", reasoning: { text: "hm", complete: false } }],
    [
      "white space before reasoning",
      " \n<think>hm</think>x",
      { content: "x", reasoning: { text: "hm", complete: true } },
    ],
    ["words before reasoning", "x <think>hm</think>", { content: "x <think>hm</think>", reasoning: null }],
    [
      "a second block is text",
      "<think>a</think>b<think>c</think>",
      { content: "b<think>c</think>", reasoning: { text: "a", complete: true } },
    ],
    [
      "inner newlines stay",
      "<think>\na\n\nb\n\n</think>\n\nc\n\nd\n",
      { content: "c\n\nd\n", reasoning: { text: "a\n\nb", complete: true } },
    ],
    ["a call's end without a beginning is text", "a </tool_call> b", { content: "a </tool_call> b", reasoning: null }],
    [
      "other control tokens are text",
      "a<|vision_start|>b<|im_end|>",
      { content: "a<|vision_start|>b", reasoning: null },
    ],
    ["nothing", "", { content: "", reasoning: null }],
  ])("%s", (_, text, expected) => {
    expect(parse(text)).toMatchObject(expected);
  });

  test("the prompt says whether reasoning is open", () => {
    const open = [
      ...renderer.renderIds([{ role: "user", content: "x" }], { addGenerationPrompt: true }),
      ...ids("<think>\n"),
    ];
    expect(parse("hm\n</think>\n\nhi", open)).toMatchObject({
      content: "hi",
      reasoning: { text: "hm", complete: true },
    });
    const prefilled = qwen3({ enableThinking: false }).renderIds([{ role: "user", content: "x" }], {
      addGenerationPrompt: true,
    });
    expect(parse("hm\n</think>\n\nhi", prefilled)).toMatchObject({ content: "hm\n</think>\n\nhi", reasoning: null });
    // An earlier turn's thinking does not count, closed or not.
    const cutOff = ids(
      "<|im_start|>assistant\n<think>\nhm<|im_end|>\n<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n",
    );
    expect(parse("hi", cutOff)).toMatchObject({ content: "hi", reasoning: null });
    const withoutStop = ids("<|im_start|>assistant\n<think>\nhm\n<|im_start|>assistant\n");
    expect(parse("hi", withoutStop)).toMatchObject({ content: "hi", reasoning: null });
    const later = renderer.renderIds(
      [
        { role: "user", content: "<think>" },
        { role: "assistant", content: "y", reasoning_content: "z" },
        { role: "user", content: "x" },
      ],
      { addGenerationPrompt: true },
    );
    expect(parse("hi", later)).toMatchObject({ content: "hi", reasoning: null });
  });

  test("ids after the stop are not read", () => {
    const parsed = parse(`hi<|im_end|>\n${good}`);
    expect(parsed).toMatchObject({ content: "hi", toolCalls: [], stop: { kind: "stop", index: ids("hi").length } });
  });

  test("both stops end a turn", () => {
    expect(parse("hi<|endoftext|>").stop).toMatchObject({ kind: "stop", id: renderer.stopTokenIds[1] });
    expect(parse("hi").stop).toEqual({ kind: "none" });
  });
});

describe("tool calls", () => {
  const calls = (text: string) => parse(text).toolCalls;

  test("name, arguments, exact text and token span", () => {
    const text = `hi\n${call("f", '{"a":  1.0, "b": 12345678901234567890}')}`;
    const [one] = calls(`${text}<|im_end|>`);
    expect(one).toMatchObject({
      name: "f",
      status: "ok",
      id: null,
      argumentsText: '{"a":  1.0, "b": 12345678901234567890}',
    });
    const span = ids(text).slice(...one.tokenSpan);
    expect(tokenizer.decode(span)).toBe(call("f", '{"a":  1.0, "b": 12345678901234567890}'));
  });

  test.each([
    ["[1]", "malformed_structure"],
    ['"f"', "malformed_structure"],
    ['{"name": "f", "arguments": "x"}', "malformed_structure"],
    ['{"name": "f", "arguments": [1]}', "malformed_structure"],
    ['{"name": "", "arguments": {}}', "missing_name"],
    ['{"name": 3, "arguments": {}}', "missing_name"],
    ['{"arguments": {}}', "missing_name"],
    ['{"name": "f", "arguments": {}', "invalid_json"],
    ["", "invalid_json"],
    ['{"name": "f", "arguments": {"a": NaN}}', "ok"],
    ['{"arguments": {"a": 1}, "name": "f"}', "ok"],
    ['{"name": "f"}', "ok"],
  ] as const)("%s is %s, its text kept", (body, status) => {
    const [one] = calls(`<tool_call>\n${body}\n</tool_call>`);
    expect(one.status).toBe(status);
    expect(one.raw).toBe(body);
  });

  test("what only JavaScript takes for white space is content", () => {
    expect(parse(`\ufeff\n${good}`)).toMatchObject({ content: "\ufeff", toolCalls: [{ name: "f" }] });
    expect(parse(` \n${good}`)).toMatchObject({ content: " ", toolCalls: [{ name: "f" }] });
    expect(parse(`\n${good}`)).toMatchObject({ content: "", toolCalls: [{ name: "f" }] });
  });

  test("an open call has a status and its text", () => {
    expect(calls('<tool_call>\n{"name": "f", "argu')).toEqual([
      {
        name: null,
        arguments: null,
        argumentsText: null,
        id: null,
        status: "unclosed_block",
        raw: '{"name": "f", "argu',
        tokenSpan: [0, ids('<tool_call>\n{"name": "f", "argu').length],
      },
    ]);
  });

  test("an unknown tool is told only when tools are given", () => {
    const tools = [{ name: "g" }];
    expect(renderer.parseResponse(ids(good), { prompt: closed, tools }).toolCalls[0].status).toBe("unknown_tool");
    expect(renderer.parseResponse(ids(good), { prompt: closed, tools: [] }).toolCalls[0].status).toBe("unknown_tool");
    expect(calls(good)[0].status).toBe("ok");
  });

  test("words between and after calls are content", () => {
    const parsed = parse(`one\n${good}\ntwo\n${good} three<|im_end|>`);
    expect(parsed.toolCalls).toHaveLength(2);
    expect(parsed.content).toBe("one\ntwo three");
    expect(parsed.canonical).toBe(false);
  });

  test("a call that reasoning only talks about is reasoning", () => {
    const parsed = parse(`<think>\nI could say ${good}!\n</think>\n\nhi<|im_end|>`);
    expect(parsed).toMatchObject({
      content: "hi",
      toolCalls: [],
      reasoning: { text: `I could say ${good}!`, complete: true },
    });
  });

  test("a call in reasoning that never ends is a call", () => {
    const parsed = parse(`<think>\nhm\n${good}<|im_end|>`);
    expect(parsed).toMatchObject({ content: "", reasoning: { text: "hm", complete: true } });
    expect(parsed.toolCalls).toMatchObject([{ name: "f", status: "ok" }]);
    expect(tokenizer.decode(ids(`<think>\nhm\n${good}<|im_end|>`).slice(...parsed.toolCalls[0].tokenSpan))).toBe(good);
  });

  test("arguments text of repeated and reordered members is the last member's", () => {
    const [one] = calls(
      '<tool_call>{"arguments": {"a": 1}, "x": [",", {"arguments": 5}], "name": "f", "arguments": {"b": "}"}}</tool_call>',
    );
    expect(one).toMatchObject({ argumentsText: '{"b": "}"}', arguments: { b: "}" } });
    expect([...jsonMembers('{"a":1}').entries()]).toEqual([["a", [5, 6]]]);
    expect([...jsonMembers('{ "a" : -1.5e3 , "b\\"" :[{}]}').entries()]).toEqual([
      ["a", [8, 14]],
      ['b"', [24, 28]],
    ]);
  });
});

describe("canonical", () => {
  test.each([
    [`<think>\nhm\n</think>\n\nhi\n${good}\n${good}<|im_end|>`, true],
    [`<think>\n\n</think>\n\n${good}<|im_end|>`, true],
    ["hi<|im_end|>", true],
    ["hi", false],
    ["<think>hm</think>\n\nhi<|im_end|>", false],
    ["<think>\nhm\n</think>\nhi<|im_end|>", false],
    ["<think>\nhm\n</think>\n\n\nhi<|im_end|>", false],
    [`hi${good}<|im_end|>`, false],
    [`hi\n\n${good}<|im_end|>`, true],
    [`${good}\n<|im_end|>`, false],
    [`${good}\n\n${good}<|im_end|>`, false],
    [`<tool_call>{"name": "f", "arguments": {}}</tool_call><|im_end|>`, false],
    [`<tool_call>\n{"name":"f", "arguments": {}}\n</tool_call><|im_end|>`, false],
    [`<tool_call>\n{"name": "f", "arguments": {}, "id": "x"}\n</tool_call><|im_end|>`, false],
  ])("%j: %s", (text, canonical) => {
    expect(parse(text).canonical).toBe(canonical);
  });
});

describe("stream", () => {
  test("reports each part as it comes", () => {
    const parser = renderer.parser({ prompt: closed });
    const events = [
      "<think>\n",
      "a",
      "b\n",
      "</think>",
      "\n\n",
      "c",
      "\n",
      "<tool_call>",
      '\n{"name": "f", ',
      '"arguments": {}}',
      "\n</tool_call>",
      "<|im_end|>",
    ].map((text) => parser.push(ids(text)));
    expect(events).toMatchObject([
      [],
      [{ kind: "reasoning", text: "a" }],
      [{ kind: "reasoning", text: "b" }],
      [{ kind: "reasoningEnd" }],
      [],
      [{ kind: "content", text: "c" }],
      [],
      [{ kind: "toolCallStart", index: 0 }],
      [{ kind: "toolCallDelta", index: 0 }],
      [{ kind: "toolCallDelta", index: 0 }],
      [
        { kind: "toolCallDelta", index: 0, text: "\n" },
        { kind: "toolCallEnd", index: 0, call: { name: "f", status: "ok" } },
      ],
      [{ kind: "stop", id: renderer.stopTokenIds[0] }],
    ]);
    expect(parser.end().response.canonical).toBe(true);
  });
});
