import { describe, expect, test } from "vitest";
import {
  beginningOf,
  type KnownTool,
  type ResponseLayout,
  type TextParserOptions,
  textParser,
} from "../../src/parse/index.ts";
import { read, streams } from "../support/layoutReading.ts";
import { layouts } from "../support/layouts.ts";

const parameters = {
  type: "object",
  properties: { path: { type: "string" }, text: { type: "string" }, n: { type: "integer" }, o: { type: "object" } },
};
const tools: ReadonlyMap<string, KnownTool> = new Map([
  ["write", { name: "write", parameters }],
  ["ping", { name: "ping" }],
]);
const parse = (layout: ResponseLayout, text: string, options: Partial<TextParserOptions> = {}) =>
  read(layout, text, { tools, generationPrompt: "", ...options }, 1).response;
const calls = (layout: ResponseLayout, text: string, options?: Partial<TextParserOptions>) =>
  parse(layout, text, options).toolCalls.map(({ name, argumentsText, status }) => [name, argumentsText, status]);

const qwen3 = layouts["Qwen-Qwen3-0.6B"];
const coder = layouts["Qwen3-Coder"];
const glm = layouts["GLM-4.7-Flash"];
const kimi = layouts["Kimi-K2-Instruct"];
const llama = layouts["meta-llama-Llama-3.1-8B-Instruct"];
const gemma = layouts["google-gemma-4-31B-it"];
const lfm = layouts["LFM2.5-8B-A1B"];
const minimax = layouts["MiniMax-M3"];
const wrapped = layouts["CohereForAI-c4ai-command-r7b-12-2024-tool_use"];

describe("reasoning and content", () => {
  test("reasoning opens at the beginning only", () => {
    expect(parse(qwen3, " \n<think>\nhm\n</think>\n\nhi")).toMatchObject({
      content: "hi",
      reasoning: { text: "hm", complete: true },
    });
    expect(parse(qwen3, "x <think>hm</think>")).toMatchObject({ content: "x <think>hm</think>", reasoning: null });
  });

  test("the prompt says what is open", () => {
    expect(beginningOf(qwen3, "<think>\n")).toEqual({ in: "reasoning" });
    expect(beginningOf(qwen3, "<think>\n\n</think>\n\n")).toEqual({ in: "start", closed: true });
    expect(beginningOf(qwen3, "")).toEqual({ in: "start", closed: false });
    expect(beginningOf(wrapped, "<|START_RESPONSE|>")).toEqual({ in: "content" });
    expect(beginningOf(layouts["meetkai-functionary-medium-v3.2"], ">>>")).toEqual({ in: "glue" });
    expect(parse(qwen3, "hm\n</think>\n\nhi", { generationPrompt: "<think>\n" })).toMatchObject({
      content: "hi",
      reasoning: { text: "hm", complete: true },
      canonical: true,
    });
  });

  test("a closing marker without a beginning is dropped, at the start only", () => {
    expect(parse(qwen3, "</think>\n\nhi")).toMatchObject({ content: "hi", reasoning: null });
    expect(parse(qwen3, "a</think>b").content).toBe("a</think>b");
  });

  test("reasoning without a marker is held until its end shows", () => {
    const { implied } = { implied: layouts["implied reasoning"] };
    expect(parse(implied, "hm</think>\nhi\n")).toMatchObject({ content: "hi", reasoning: { text: "hm" } });
    expect(parse(implied, "just this\n")).toMatchObject({ content: "just this", reasoning: null, canonical: true });
  });

  test("reasoning without any text is dropped behind content, but not in its midst", () => {
    const nothing = "<|channel>thought\n<channel|>";
    const { reasoning } = layouts["google-gemma-4-31B-it"];
    const once: ResponseLayout = { ...gemma, reasoning: reasoning && { ...reasoning, repeats: false } };
    expect(parse(once, `hi${nothing}<channel|>${nothing} \n`).content).toBe("hi");
    const call = "<|tool_call>call:ping{}<tool_call|>";
    expect(parse(once, `hi${nothing}${call}`)).toMatchObject({ content: "hi", toolCalls: [{ name: "ping" }] });
    expect(parse(once, `say ${nothing} twice`).content).toBe(`say ${nothing} twice`);
    expect(parse(once, `say ${nothing} `, { reasoningFormat: "none" }).content).toContain("thought");
  });

  test("text outside of wrappers is content", () => {
    expect(parse(wrapped, "before<|START_RESPONSE|>in<|END_RESPONSE|>after").content).toBe("beforeinafter");
  });

  test("reasoning stays in the content where it is not to be split off", () => {
    const text = "<think>\nhm\n</think>\n\nhi";
    expect(parse(qwen3, text, { reasoningFormat: "none" })).toMatchObject({ content: text, reasoning: null });
  });

  test("JSON content: no calls, and no fence", () => {
    const json = { responseFormat: { type: "json_schema" } };
    expect(parse(llama, '```json\n{"a": 1}\n```', json).content).toBe('{"a": 1}');
    expect(parse(llama, '{"name": "ping", "parameters": {}}', json)).toMatchObject({
      content: '{"name": "ping", "parameters": {}}',
      toolCalls: [],
    });
    expect(parse(qwen3, '<think>\nhm\n</think>\n\n{"a": "```"}', json)).toMatchObject({
      content: '{"a": "```"}',
      reasoning: { text: "hm" },
    });
  });

  test("a response that is gone on with has its beginning", () => {
    const options = { generationPrompt: "<think>\nhm", continues: true };
    expect(parse(qwen3, " so\n</think>\n\nhi", options)).toMatchObject({
      content: "hi",
      reasoning: { text: "hm so", complete: true },
    });
  });
});

describe("what stands around a response", () => {
  const edges = {
    stops: ["<|im_end|>", "</tool_call>", "end"],
    header: "<|im_start|>assistant\n",
    generationPrompt: "<think>\n\n</think>\n\n",
  };

  test("a stop ends it", () => {
    expect(parse(qwen3, "hi<|im_end|>\n<|im_start|>user", edges)).toMatchObject({
      content: "hi",
      canonical: true,
      stop: { kind: "none" },
    });
    expect(parse(qwen3, "the end is near <|im_", edges).content).toBe("the end is near <|im_");
  });

  test("a stop in a call's text, or of the layout itself, ends it where nothing follows", () => {
    const call = (text: string) => `<tool_call>\n{"name": "write", "arguments": {"text": "${text}"}}\n</tool_call>`;
    expect(calls(qwen3, `${call("a<|im_end|>b")}<|im_end|>`, edges)).toEqual([
      ["write", '{"text": "a<|im_end|>b"}', "ok"],
    ]);
    const open = '<tool_call>\n{"name": "write", "arguments": {"text": "a';
    expect(parse(qwen3, `${open}<|im_end|>\n`, edges).toolCalls).toMatchObject([
      { status: "unclosed_block", partialArguments: '{"text": "a"}' },
    ]);
  });

  test("the prompt's header is dropped, or its end from a marker on", () => {
    const call = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';
    const { content, canonical } = parse(qwen3, "<|im_start|>assistant\nhi", edges);
    expect([content, canonical]).toEqual(["hi", true]);
    expect(parse(qwen3, `<|im_start|>assistant\n${call}`, edges).toolCalls[0].tokenSpan[0]).toBe(22);
    expect(parse(qwen3, "assistant\nhi", edges).content).toBe("assistant\nhi");
    expect(parse(qwen3, "<|im_start|>user", edges).content).toBe("<|im_start|>user");
    expect(parse(qwen3, "<|B|>hi", { header: "<|A|><|B|>" }).content).toBe("hi");
  });
});

describe("calls", () => {
  test("a call in reasoning that is never closed ends it", () => {
    const call = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';
    const open = { generationPrompt: "<think>\n" };
    expect(parse(qwen3, `hm\n${call}\n${call}`, open)).toMatchObject({
      content: "",
      reasoning: { text: "hm", complete: false },
      toolCalls: [{ name: "ping" }, { name: "ping" }],
    });
    for (const text of [`hm ${call} so`, `hm <tool_call> ${call.slice(0, -9)}`, `hm ${call.replace("ping", "pong")}`]) {
      expect(parse(qwen3, text, open)).toMatchObject({ content: "", reasoning: { text }, toolCalls: [] });
      expect(parse(qwen3, `${text}\n</think>\n\nhi`, open)).toMatchObject({ content: "hi", reasoning: { text } });
    }
    expect(parse(qwen3, `a <tool_call> b\n${call}`, open)).toMatchObject({
      reasoning: { text: "a <tool_call> b", complete: false },
      toolCalls: [{ name: "ping" }],
    });
  });

  test("text that is no call any more is reasoning at once", () => {
    const parser = textParser(qwen3, { tools, generationPrompt: "<think>\n" });
    expect(parser.push("hm <tool_call>")).toEqual([{ kind: "reasoning", text: "hm" }]);
    expect(streams(parser.push(" is a marker"))).toEqual({ reasoning: " <tool_call> is a marker" });
  });

  test("a name that is written twice is the same", () => {
    const twice: ResponseLayout = {
      reasoning: null,
      content: { mode: "plain", open: "", close: "" },
      calls: {
        lead: "",
        section: null,
        separator: "",
        call: [
          { kind: "text", text: "<to=" },
          { kind: "name" },
          { kind: "text", text: "><call " },
          { kind: "name" },
          { kind: "text", text: ">" },
          { kind: "json" },
          { kind: "text", text: "</call>" },
        ],
        parallel: true,
      },
      end: "",
      glue: [],
    };
    expect(calls(twice, '<to=write><call write>{"n": 1}</call>')).toEqual([["write", '{"n": 1}', "ok"]]);
    expect(calls(twice, '<to=write><call ping>{"n": 1}</call>')).toEqual([
      ["write", '{"n": 1}', "malformed_structure"],
    ]);
  });

  test("a marker that leads to no call is content", () => {
    const text = 'Write <tool_call> and {"name": "x"}.';
    expect(parse(qwen3, text)).toMatchObject({
      content: text,
      toolCalls: [],
      strays: [{ marker: "<tool_call>", tokenSpan: [6, 17], reason: "no_call" }],
    });
  });

  test("an unknown tool is a call only if it can be read", () => {
    const call = '<tool_call>\n{"name": "other", "arguments": {"a": 1}}\n</tool_call>';
    expect(calls(qwen3, call)).toEqual([["other", '{"a": 1}', "unknown_tool"]]);
    expect(parse(qwen3, call.slice(0, -3))).toMatchObject({ content: call.slice(0, -3), toolCalls: [] });
    expect(calls(qwen3, call, { tools: null })).toEqual([["other", '{"a": 1}', "ok"]]);
  });

  test("damage behind the name does not make content of a call", () => {
    const bad = '<tool_call>\n{"name": "write", "arguments": {"n": oops}}\n</tool_call>bye';
    expect(parse(qwen3, bad)).toMatchObject({ content: "bye", toolCalls: [{ name: "write", status: "invalid_json" }] });
    const odd = "<tool_call>\n<function=write>\nnoise</function>\n</tool_call>bye";
    expect(parse(coder, odd)).toMatchObject({
      content: "bye",
      toolCalls: [{ status: "invalid_json", raw: "write>\nnoise" }],
    });
    const late = "<tool_call>\n<function=write>\n<parameter=n\n</function>\n</tool_call>bye";
    expect(parse(coder, late)).toMatchObject({ content: "bye", toolCalls: [{ name: "write", argumentsText: null }] });
  });

  test("arguments before the name wait for it", () => {
    const { events } = read(
      qwen3,
      '<tool_call>\n{"arguments": {"n": 1}, "name": "write"}\n</tool_call>',
      { tools, generationPrompt: "" },
      1,
    );
    expect(events.map(({ kind }) => kind).filter((kind) => kind !== "toolCallDelta")).toEqual([
      "toolCallStart",
      "toolCallName",
      "toolCallArguments",
      "toolCallEnd",
    ]);
  });

  test("JSON stays to the letter, Python becomes JSON", () => {
    const call = (args: string) => `<tool_call>\n{"name": "write", "arguments": ${args}}\n</tool_call>`;
    const letters = '{ "n":1.0,"2" : [1e5 ,"\\u00e9"] }';
    expect(calls(qwen3, call(letters))).toEqual([["write", letters, "ok"]]);
    expect(calls(qwen3, call("{'a': True, 'b': (None, 'it\\'s \"x\"',)}"))).toEqual([
      ["write", '{"a": true, "b": [null, "it\'s \\"x\\""]}', "ok"],
    ]);
    expect(calls(qwen3, call('"{\\"n\\": 1}"'))).toEqual([["write", '{"n": 1}', "ok"]]);
  });

  test("a call that breaks off", () => {
    const open = '<tool_call>\n{"name": "write", "arguments": {"n": 1, "o": {"k": "some te';
    expect(parse(qwen3, open).toolCalls).toMatchObject([
      { status: "unclosed_block", argumentsText: null, partialArguments: '{"n": 1, "o": {"k": "some te"}}' },
    ]);
    const tagged = "<tool_call>write<arg_key>path</arg_key><arg_value>a b</arg_val";
    expect(parse(glm, tagged).toolCalls).toMatchObject([
      { status: "unclosed_block", partialArguments: '{"path": "a b"}' },
    ]);
  });

  test("a closing marker inside a string ends it only where the call can go on", () => {
    const value = "a</arg_value> b </tool_call>";
    const text = `<tool_call>write<arg_key>text</arg_key><arg_value>${value}</arg_value></tool_call>`;
    expect(calls(glm, text)).toEqual([["write", JSON.stringify({ text: value }).replace(":", ": "), "ok"]]);
  });

  test("white space between and around markers is free", () => {
    const text =
      "<|tool_calls_section_begin|>\n <|tool_call_begin|> functions.ping:0 <|tool_call_argument_begin|>\n{}\n<|tool_call_end|>\n<|tool_calls_section_end|> \n";
    expect(parse(kimi, text)).toMatchObject({
      content: "",
      canonical: false,
      toolCalls: [{ name: "ping", id: "functions.ping:0", status: "ok" }],
    });
  });

  test("a missing first marker or section is forgiven for a known tool", () => {
    const bare = "<function=write>\n<parameter=n>\n1\n</parameter>\n</function>\n</tool_call>";
    expect(calls(coder, bare)).toEqual([["write", '{"n": 1}', "ok"]]);
    const alone = "<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{}<|tool_call_end|>";
    expect(calls(kimi, alone)).toEqual([["ping", "{}", "ok"]]);
    expect(parse(kimi, alone.replace("ping", "pong")).toolCalls).toEqual([]);
  });

  test("calls without markers stand at the start and name a known tool", () => {
    const one = '{"name": "ping", "parameters": {}}';
    expect(calls(llama, one)).toEqual([["ping", "{}", "ok"]]);
    expect(calls(llama, `${one}; ${one}\n${one}`)).toHaveLength(3);
    expect(parse(llama, `So: ${one}`)).toMatchObject({ content: `So: ${one}`, toolCalls: [] });
    expect(parse(llama, '{"name": "ping').content).toBe('{"name": "ping');
    expect(parse(llama, '{"a": 1}')).toMatchObject({ content: '{"a": 1}', toolCalls: [] });
    expect(parse(llama, one, { tools: new Map() })).toMatchObject({ content: one, toolCalls: [] });
  });

  test("values that end by themselves", () => {
    expect(
      calls(gemma, '<|tool_call>call:write{o:{k:[1,<|"|>a "b"<|"|>],z:{}},text:<|"|>x, y}<|"|>}<tool_call|>'),
    ).toEqual([["write", '{"o": {"k":[1,"a \\"b\\""],"z":{}}, "text": "x, y}"}', "ok"]]);
    expect(calls(lfm, "<|tool_call_start|>[write(text='it's', n=3, o={'a': True}), ping()]<|tool_call_end|>")).toEqual([
      ["write", '{"text": "it\'s", "n": 3, "o": {"a": true}}', "ok"],
      ["ping", "{}", "ok"],
    ]);
  });

  test("tags in tags", () => {
    const [, ns] = ["", "]<]minimax[>["];
    const tag = (name: string, inner: string) => `${ns}<${name}>${inner}${ns}</${name}>`;
    const o = tag("o", tag("p", "1") + tag("list", tag("item", "a") + tag("item", tag("k", "true"))));
    const text = `${ns}<tool_call>\n${ns}<invoke name="write">${o}${ns}</invoke>\n${ns}</tool_call>`;
    const expected = [["write", '{"o": {"p": 1, "list": ["a", {"k": true}]}}', "ok"]];
    expect(calls(minimax, text)).toEqual(expected);
    const reordered = structuredClone(minimax) as unknown as {
      calls: { call: { kind: string; values?: unknown[] }[] };
    };
    reordered.calls.call.find(({ kind }) => kind === "tagged")?.values?.reverse();
    expect(calls(reordered as unknown as ResponseLayout, text)).toEqual(expected);
  });

  test("content behind calls is content", () => {
    const call = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';
    expect(parse(qwen3, `a\n${call}\n${call}\nb`)).toMatchObject({ content: "ab", toolCalls: [{}, {}] });
  });
});
