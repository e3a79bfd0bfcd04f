import { describe, expect, test } from "vitest";
import { type LayoutGrammarOptions, layoutGrammar } from "../../src/autoparser/grammar/index.ts";
import { matches, parseGbnf } from "../../src/gbnf/index.ts";
import { type ResponseLayout, textParser } from "../../src/parse/index.ts";
import { checkSampled, checkSpelled } from "../support/grammarProperties.ts";
import { schemaTools } from "../support/grammarUses.ts";
import { layouts } from "../support/layouts.ts";

const all = Object.entries(layouts) as [keyof typeof layouts, ResponseLayout][];
const choices = ["auto", "required"] as const;
const start = { in: "start", closed: false } as const;

describe.each(all)("%s", (name, layout) => {
  test.each(choices)("what the parser calls canonical is accepted (%s)", (choice) => {
    expect(checkSpelled(name, layout, choice, 40)).toBeGreaterThan(15);
  });

  test.each(choices)("what is sampled is read, and fits the schemas (%s)", (choice) => {
    checkSampled(layout, choice, 20);
  });
});

const grammarOf = (layout: ResponseLayout, options: Partial<LayoutGrammarOptions> = {}) =>
  layoutGrammar(layout, { tools: schemaTools, beginning: start, ...options });
const accepts = (layout: ResponseLayout, text: string, options: Partial<LayoutGrammarOptions> = {}) =>
  matches(parseGbnf(grammarOf(layout, options)!.gbnf), text);

const coder: ResponseLayout = layouts["Qwen3-Coder"];
const qwen3: ResponseLayout = layouts["Qwen-Qwen3-0.6B"];
const coderCall = (name: string, ...args: readonly (readonly [string, string])[]) =>
  `<tool_call>\n<function=${name}>\n${args.map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`).join("")}</function>\n</tool_call>`;
const json = (name: string, args: string) => `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;

describe("arguments one by one", () => {
  test("come in any order, each once, and none that is required is missing", () => {
    expect(accepts(coder, coderCall("get_weather", ["unit", "celsius"], ["location", "Oslo"]))).toBe(true);
    expect(accepts(coder, coderCall("get_weather", ["location", "Oslo"], ["unit", "celsius"]))).toBe(true);
    expect(accepts(coder, coderCall("get_weather", ["unit", "celsius"]))).toBe(false);
    expect(accepts(coder, coderCall("get_weather", ["location", "Oslo"], ["location", "Rome"]))).toBe(false);
    expect(accepts(coder, coderCall("get_weather", ["location", "Oslo"], ["other", "1"]))).toBe(false);
  });

  test("keep their order where they are many, optional ones left out at will", () => {
    const keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const properties = Object.fromEntries(keys.map((key) => [key, { type: "integer" }]));
    const tools = [
      { type: "function", function: { name: "many", parameters: { type: "object", properties, required: ["c"] } } },
    ] as const;
    const many = (text: string) =>
      accepts(coder, coderCall("many", ...[...text].map((key) => [key, "1"] as const)), { tools });
    expect(["c", "ac", "cdh", "abcdefgh"].map(many)).toEqual([true, true, true, true]);
    expect(["", "ab", "ca", "cc", "abdefgh"].map(many)).toEqual([false, false, false, false, false]);
  });

  test("hold their schemas: enums, limits, patterns", () => {
    const weather = (key: string, value: string) =>
      accepts(coder, coderCall("get_weather", ["location", "x"], [key, value]));
    expect(weather("unit", "kelvin")).toBe(false);
    expect(weather("days", "14")).toBe(true);
    expect(weather("days", "15")).toBe(false);
    const book = (code: string) =>
      accepts(coder, coderCall("book", ["guests", '[{"name": "A"}]'], ["code", code], ["day", "2025-01-31"]));
    expect(book("OSL-01")).toBe(true);
    expect(book("osl")).toBe(false);
  });

  test("may hold the end of a value where nothing goes on behind it", () => {
    const write = (text: string) => accepts(coder, coderCall("get_weather", ["location", text]));
    expect(write("a\n</parameter>\nb")).toBe(true);
    expect(write("a</parameter></b>")).toBe(true);
    expect(write("a\n</parameter>\n</function>\n</tool_call>b")).toBe(false);
  });

  test("without a schema have any name", () => {
    const tools = [{ type: "function", function: { name: "free" } }] as const;
    expect(accepts(coder, coderCall("free", ["x", "1"], ["a-b", "text"]), { tools })).toBe(true);
    expect(accepts(coder, coderCall("free"), { tools })).toBe(true);
  });
});

describe("calls", () => {
  const two = `${json("ping", "{}")}\n${json("ping", "{}")}`;

  test("are several where the layout can and nobody objects", () => {
    expect(accepts(qwen3, two)).toBe(true);
    expect(accepts(qwen3, two, { parallel: false })).toBe(false);
    expect(accepts({ ...qwen3, calls: { ...qwen3.calls!, parallel: false } }, two, { parallel: true })).toBe(false);
  });

  test("are to known tools, with numbers as long as they print", () => {
    expect(accepts(qwen3, json("pong", "{}"))).toBe(false);
    const calculate = (precision: string) =>
      accepts(qwen3, json("calculate", `{"expr": "", "precision": ${precision}, "exact": true}`));
    expect(["0.30000000000000004", "-12345678901234567890", "1e+22", "5e-324"].map(calculate)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(["01", "1.", "NaN", '"1"'].map(calculate)).toEqual([false, false, false, false]);
  });

  test("of one tool only where it is named; reasoning is free until it closes", () => {
    const options = { toolChoice: { name: "ping" } };
    expect(grammarOf(qwen3, options)).toMatchObject({ lazy: false, triggers: [] });
    expect(accepts(qwen3, json("ping", "{}"), options)).toBe(true);
    expect(accepts(qwen3, json("get_weather", '{"location": "x"}'), options)).toBe(false);
    expect(accepts(qwen3, `<think>\nA <tool_call> or not.\n</think>\n\n${json("ping", "{}")}`, options)).toBe(true);
    expect(accepts(qwen3, `Well.\n${json("ping", "{}")}`, options)).toBe(false);
    const thinking = { ...options, beginning: { in: "reasoning" } } as const;
    expect(accepts(qwen3, `So.\n</think>\n\n${json("ping", "{}")}`, thinking)).toBe(true);
    expect(accepts(qwen3, json("ping", "{}"), thinking)).toBe(false);
    const closed = { ...options, beginning: { in: "start", closed: true } } as const;
    expect(accepts(qwen3, `<think>\n\n</think>\n\n${json("ping", "{}")}`, closed)).toBe(false);
  });

  test("that cannot be made are a mistake, and those that need not be are none", () => {
    expect(grammarOf(qwen3, { tools: [] })).toBeNull();
    expect(grammarOf(qwen3, { toolChoice: "none" })).toBeNull();
    expect(grammarOf({ ...qwen3, calls: null })).toBeNull();
    const choosing =
      (options: Partial<LayoutGrammarOptions>, layout = qwen3) =>
      () =>
        grammarOf(layout, options);
    const unknown = expect.objectContaining({ code: "tool_choice_unknown" });
    expect(choosing({ toolChoice: { name: "pong" } })).toThrow(unknown);
    expect(choosing({ toolChoice: "required", tools: [] })).toThrow(unknown);
    expect(choosing({ toolChoice: "required" }, { ...qwen3, calls: null })).toThrow(unknown);
    const parameters = { type: "nothing" };
    expect(choosing({ tools: [{ type: "function", function: { name: "f", parameters } }] })).toThrow(
      expect.objectContaining({ code: "schema_unsupported" }),
    );
  });
});

describe("triggers", () => {
  const texts = (name: keyof typeof layouts, options: Partial<LayoutGrammarOptions> = {}) =>
    grammarOf(layouts[name], { tools: schemaTools.slice(0, 1), ...options })!.triggers;

  test("are the shortest text that no other part begins with", () => {
    expect(texts("Qwen-Qwen3-0.6B")).toEqual([{ kind: "word", text: "<tool_call>" }]);
    expect(texts("Apertus-8B-Instruct")).toEqual([{ kind: "word", text: "<|tools_prefix|>" }]);
    expect(texts("Kimi-K3")).toEqual([{ kind: "word", text: "<|open|>tools<|sep|>" }]);
    expect(texts("MiniMax-M3")).toEqual([{ kind: "word", text: "]<]minimax[>[<tool_call>" }]);
    expect(texts("openai-gpt-oss-120b")).toEqual([{ kind: "word", text: "to=functions." }]);
  });

  test("are ids where they are tokens", () => {
    const specialTokens = [
      { id: 7, content: "<tool_call>" },
      { id: 8, content: "<other>" },
    ];
    const grammar = grammarOf(qwen3, { specialTokens });
    expect(grammar?.triggers).toEqual([{ kind: "token", id: 7, text: "<tool_call>" }]);
    expect(grammar?.preservedTokens).toEqual(["<tool_call>"]);
    expect(grammarOf(qwen3)?.preservedTokens).toEqual(["<think>", "</think>", "<tool_call>", "</tool_call>"]);
  });

  test("name the tools where calls have no marker", () => {
    expect(texts("meta-llama-Llama-3.1-8B-Instruct")).toEqual([
      { kind: "word", text: '{"name": "get_weather"', atStart: true },
      { kind: "word", text: '{"name":"get_weather"', atStart: true },
    ]);
    expect(texts("meetkai-functionary-medium-v3.2", { beginning: { in: "glue" } })).toEqual([
      { kind: "word", text: ">>>get_weather\n" },
      { kind: "word", text: "get_weather\n", atStart: true },
    ]);
  });
});

describe("a response format", () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const responseFormat = { type: "json_schema", schema } as const;

  test("holds content, and leaves reasoning free", () => {
    expect(grammarOf(qwen3, { responseFormat })).toMatchObject({ lazy: false, triggers: [] });
    expect(accepts(qwen3, '{"city": "Oslo"}', { responseFormat })).toBe(true);
    expect(accepts(qwen3, '<think>\nOslo?\n</think>\n\n{"city": "Oslo"}', { responseFormat })).toBe(true);
    expect(accepts(qwen3, '{"town": "Oslo"}', { responseFormat })).toBe(false);
    expect(accepts(qwen3, json("ping", "{}"), { responseFormat })).toBe(false);
    expect(accepts(qwen3, '{"town": [1, {}]}', { responseFormat: { type: "json_object" } })).toBe(true);
  });

  test.each(all)("what it accepts is read as content: %s", (_name, layout) => {
    const text = `${layout.content.open}{"city": "Oslo"}${layout.content.close}${layout.end}`;
    expect(accepts(layout, text, { responseFormat })).toBe(true);
    const parser = textParser(layout, { beginning: start, tools: null, responseFormat });
    parser.push(text);
    expect(parser.end().response).toMatchObject({ content: '{"city": "Oslo"}', toolCalls: [] });
  });
});
