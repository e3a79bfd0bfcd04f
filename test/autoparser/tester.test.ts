import { describe, expect, test } from "vitest";
import { familyTester, templateTester } from "../../src/testing/index.ts";
import { calculator, call, qwen3, tokenizer } from "../support/qwen3.ts";

const template = tokenizer.chatTemplate!;
const text = `<think>\nÜber 😀.\n</think>\n\nSo:\n${call("calculator", '{"expression": "2+2"}')}`;
const expected = {
  content: "So:",
  reasoningContent: "Über 😀.",
  toolCalls: [{ name: "calculator", arguments: { expression: "2+2" } }],
};

describe.each([
  ["a template's text", () => templateTester(template).test(text).tools([calculator])],
  ["a template's text and ids", () => templateTester(template, { tokenizer }).test(text).tools([calculator])],
])("%s", (_, make) => {
  test("is read as expected", () => {
    const { applied, response } = make().expect(expected).run();
    expect([applied.lazy, response.canonical]).toEqual([true, true]);
    make().parallel(true).enableThinking(true).reasoningFormat("auto").expect(expected).run();
  });

  test("a case is not changed by what is asked of it", () => {
    const one = make().expect(expected);
    const none = one.tools([]).checksGrammar(false);
    expect(() => none.run()).toThrow("0 calls instead of 1");
    one.run();
  });

  test.each([
    ["content", { content: "so:" }],
    ["reasoning", { reasoningContent: "" }],
    ["0 calls", { toolCalls: [] }, "1 calls instead of 0"],
    ["name of call 0", { toolCalls: [{ name: "other" }] }],
    ["arguments of call 0", { toolCalls: [{ name: "calculator", arguments: '{"expression": "2+3"}' }] }],
    ["status", { toolCalls: [{ name: "calculator", status: "invalid_json" as const }] }, "status ok of call 0"],
    ["id", { toolCalls: [{ name: "calculator", id: "x" }] }, "id of call 0"],
  ])("another %s is told, with both", (what, more, told = what) => {
    const run = () =>
      make()
        .expect({ ...expected, ...more })
        .run();
    expect(run).toThrow(told);
    expect(run).toThrow(/expected \{.*\ngot {6}\{/);
  });
});

test("the grammar is checked", () => {
  // The second call is canonical, and more than was asked for.
  const two = `<think>\nHm.\n</think>\n\n${call("calculator", '{"expression": "1"}')}\n${call("calculator", '{"expression": "2"}')}`;
  const toolCalls = ["1", "2"].map((expression) => ({ name: "calculator", arguments: { expression } }));
  const one = templateTester(template).test(two).tools([calculator]).expect({ reasoningContent: "Hm.", toolCalls });
  one.parallel(true).run();
  expect(() => one.parallel(false).run()).toThrow("The grammar does not take the response");
  one.parallel(false).checksGrammar(false).run();
  one.toolChoice("required").run();
  expect(() => one.toolChoice({ name: "search" }).run()).toThrow(
    expect.objectContaining({ code: "tool_choice_unknown" }),
  );
});

test("a call that broke off", () => {
  templateTester(template, { tokenizer })
    .test('<tool_call>\n{"name": "calculator", "arguments": {"expression": "2+')
    .tools([calculator])
    .expect({ toolCalls: [{ name: "calculator", status: "unclosed_block", arguments: { expression: "2+" } }] })
    .run();
});

test("JSON, reasoning left in, a message that goes on, other variables", () => {
  const tester = templateTester(template, { tokenizer });
  tester
    .test('<think>\nHm.\n</think>\n\n{"a": 1}')
    .responseFormat({ type: "json_schema", schema: { type: "object", properties: { a: { type: "integer" } } } })
    .expect({ reasoningContent: "Hm.", content: '{"a": 1}' })
    .run();
  tester
    .test("<think>\nHm.\n</think>\n\nx")
    .reasoningFormat("none")
    .expect({ content: "<think>\nHm.\n</think>\n\nx" })
    .run();
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "It", reasoning_content: "Hm." },
  ];
  const goesOn = tester.test(" is.").messages(messages);
  goesOn.continueFinalMessage().expect({ content: " is." }).run();
  goesOn.continueFinalMessage({ whole: true }).expect({ content: "It is.", reasoningContent: "Hm." }).run();
  const off = tester.test("x").templateKwargs({ enable_thinking: false }).expect({ content: "x" }).run();
  expect(off.applied.opened).toBe("<think>\n\n</think>\n\n");
});

describe("a family", () => {
  const tester = familyTester(qwen3());

  test("is read as expected, from text and from ids", () => {
    tester.test(text).tools([calculator]).parallel(true).expect(expected).run();
    const ids = [...tokenizer.encode("Hi"), tokenizer.tokenToId("<|im_end|>")!];
    expect(tester.test(ids).expect({ content: "Hi" }).run().response.stop).toMatchObject({
      kind: "stop",
      index: ids.length - 1,
    });
    tester
      .test("Hm.\n</think>\n\nx")
      .prompt({ reasoning: "open" })
      .expect({ reasoningContent: "Hm.", content: "x" })
      .run();
    expect(tester.test("Hi").cut().expect({ content: "Hi" }).run().response.stop).toEqual({ kind: "none" });
  });

  test("what differs is told", () => {
    expect(() => tester.test(text).tools([calculator]).expect({ content: "So:" }).run()).toThrow(/reasoning; 1 calls/);
  });

  test("the template's grammar takes it", () => {
    const two = `<think>\nHm.\n</think>\n\n${call("calculator", '{"expression": "1"}')}\n${call("calculator", '{"expression": "2"}')}`;
    const toolCalls = ["1", "2"].map((expression) => ({ name: "calculator", arguments: { expression } }));
    const one = tester.test(two).tools([calculator]).expect({ reasoningContent: "Hm.", toolCalls });
    one.run();
    expect(() => one.parallel(false).run()).toThrow("The grammar does not take the response");
    one.parallel(false).checksGrammar(false).run();
  });
});
