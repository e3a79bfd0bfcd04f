import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { familyTokenizer } from "../../../test/support/families.ts";
import { resolveConfig } from "../../configs/index.ts";
import { TitoError } from "../../errors.ts";
import { spokenCall, textMarker, type WireFormat } from "../../format/index.ts";
import { jsonCallBody, type KnownTool, type PromptContext, parserFactory } from "../../parse/index.ts";
import { chunkingInvariant, roundTrips, type TurnLimits } from "../../testing/index.ts";
import type { Tokenizer } from "../../tokenizer/types.ts";
import { bindRenderer, type Renderer } from "../renderer.ts";
import {
  type NamedGrammarOptions,
  namedGrammar,
  reasoningParserNames,
  registerReasoningParser,
  registerToolParser,
  toolParserNames,
} from "./index.ts";

const CHATML = ["<|im_end|>", "<|im_start|>"];
const THINK = ["<think>", "</think>"];
const TOOL_CALL = ["<tool_call>", "</tool_call>"];
const ARG_TAGS = ["<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"];
const DEEPSEEK_CALLS = [
  "<｜tool▁calls▁begin｜>",
  "<｜tool▁calls▁end｜>",
  "<｜tool▁call▁begin｜>",
  "<｜tool▁call▁end｜>",
  "<｜tool▁sep｜>",
];
const DEEPSEEK = [
  ...["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"],
  ...DEEPSEEK_CALLS,
  ...["<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"],
];
const KIMI = [
  ...["<|im_user|>", "<|im_assistant|>", "<|im_system|>", "<|im_middle|>"],
  ...["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"],
  ...["<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"],
];
const HARMONY = [...["<|start|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|end|>", "<|call|>", "<|return|>"]];

interface Format {
  readonly toolParser: string;
  /** Tokens beside those of ChatML and thinking. */
  readonly tokens: readonly string[];
  readonly limits?: TurnLimits;
}

const alone: TurnLimits = { contentBesideCalls: false };

const formats: readonly Format[] = [
  { toolParser: "hermes", tokens: TOOL_CALL },
  { toolParser: "qwen3", tokens: TOOL_CALL },
  { toolParser: "qwen3.5", tokens: TOOL_CALL },
  { toolParser: "qwen3-coder", tokens: TOOL_CALL },
  { toolParser: "glm", tokens: [...TOOL_CALL, ...ARG_TAGS] },
  { toolParser: "glm-5", tokens: [...TOOL_CALL, ...ARG_TAGS] },
  { toolParser: "deepseek-v3", tokens: DEEPSEEK },
  { toolParser: "deepseek-v3.1", tokens: DEEPSEEK_CALLS },
  { toolParser: "deepseek-v4", tokens: ["｜DSML｜"] },
  { toolParser: "kimi", tokens: KIMI },
  { toolParser: "minimax", tokens: ["<minimax:tool_call>", "</minimax:tool_call>"] },
  { toolParser: "llama", tokens: ["<|python_tag|>"], limits: alone },
  { toolParser: "mistral", tokens: ["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"] },
  { toolParser: "pythonic", tokens: [], limits: alone },
  { toolParser: "lfm2", tokens: ["<|tool_call_start|>", "<|tool_call_end|>"] },
];

const tokenizerWith = (tokens: readonly string[]) => familyTokenizer("", [...CHATML, ...tokens]);

type Parsers = Pick<NamedGrammarOptions, "toolParser" | "reasoningParser" | "impliedReasoning">;

const bound = (tokenizer: Tokenizer, parsers: Parsers) =>
  namedGrammar(tokenizer, { stops: [tokenizer.tokenToId("<|im_end|>") as number], ...parsers });

/** A renderer whose assistant says what the grammar spells. */
function rendererOf(tokens: readonly string[], parsers: Parsers): Renderer {
  const tokenizer = tokenizerWith(tokens);
  const grammar = bound(tokenizer, parsers);
  const [stop] = grammar.stops;
  const [end, start] = CHATML.map((text) => tokenizer.tokenToId(text) as number);
  const format: WireFormat = {
    roles: ["user", "assistant", "tool"],
    grammar,
    turn: { close: stop, separator: "" },
    isPrefixStable: true,
    startsQuery: ({ role }) => role === "user",
    writeOpening() {},
    writeMessages(out, { messages }) {
      for (const { index, role, text, reasoning, toolCalls } of messages) {
        out.at(index).token(start);
        if (role === "assistant") {
          const response = { content: text, reasoning: reasoning || null, toolCalls: toolCalls.map(spokenCall) };
          out.sampled(grammar.spell(response, false)).sampledToken(stop);
        } else out.body(text).token(end);
      }
    },
    writeGenerationPrompt: (out) => void out.token(start),
  };
  return bindRenderer(tokenizer, resolveConfig({ nameOrPath: undefined, config: { name: "default" } }), format);
}

function parse(
  text: string,
  options: { readonly tokens: readonly string[]; readonly tools?: readonly string[] } & Parsers,
) {
  const { tokens, tools, ...parsers } = options;
  const tokenizer = tokenizerWith(tokens);
  const known = tools && new Map(tools.map((name): [string, KnownTool] => [name, { name }]));
  return read(tokenizer, parsers, tokenizer.encode(text), { reasoning: "unknown" }, known ?? null);
}

function read(
  tokenizer: Tokenizer,
  parsers: Parsers,
  ids: Int32Array,
  prompt: PromptContext,
  tools: ReadonlyMap<string, KnownTool> | null = null,
) {
  const parser = parserFactory(bound(tokenizer, parsers), tokenizer)({ prompt, tools });
  parser.push(ids);
  return parser.end().response;
}

/** What of this code a configuration throws. */
function errorOf(make: () => unknown): TitoError {
  try {
    make();
  } catch (error) {
    if (error instanceof TitoError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe.each(formats)("$toolParser", ({ toolParser, tokens, limits = {} }) => {
  const renderer = rendererOf([...tokens, ...THINK], { toolParser, reasoningParser: "think" });

  test("reads what it spells, with thinking before it", () => {
    fc.assert(roundTrips(renderer, limits), { numRuns: 60 });
  });

  test("reads what it spells without a reasoning parser", () => {
    fc.assert(roundTrips(rendererOf([...tokens, ...THINK], { toolParser }), limits), { numRuns: 30 });
  });

  test("reads any ids, and however they are cut the same", () => {
    fc.assert(chunkingInvariant(renderer, limits), { numRuns: 120 });
  });
});

describe("markers that the vocabulary spells", () => {
  const asText = ["hermes", "qwen3.5", "glm", "minimax", "mistral"] as const;

  test.each(asText)("%s", (toolParser) => {
    const renderer = rendererOf([], { toolParser, reasoningParser: "think" });
    fc.assert(roundTrips(renderer), { numRuns: 60 });
    fc.assert(chunkingInvariant(renderer), { numRuns: 120 });
  });
});

describe("harmony", () => {
  const renderer = rendererOf(HARMONY, { toolParser: "harmony" });

  test("reads any ids, and however they are cut the same", () => {
    fc.assert(chunkingInvariant(renderer), { numRuns: 60 });
  });

  test("brings its own reasoning and stops", () => {
    const { tokenizer } = renderer;
    const text =
      "<|channel|>analysis<|message|>hm<|end|>" +
      '<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}<|call|>';
    const prompt = tokenizer.encode("<|start|>assistant");
    const options = { toolParser: "gpt-oss", impliedReasoning: "think" };
    expect(read(tokenizer, options, tokenizer.encode(text), prompt)).toMatchObject({
      reasoning: { text: "hm", complete: true },
      toolCalls: [{ name: "f", arguments: { a: 1 }, status: "ok" }],
      stop: { kind: "stop", id: tokenizer.tokenToId("<|call|>") },
      canonical: true,
    });
  });
});

describe("mistral", () => {
  const options = { toolParser: "mistral", tokens: ["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"] };

  test.each([
    [
      'hi[TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]g[ARGS]{}',
      [
        ["f", "ok"],
        ["g", "ok"],
      ],
    ],
    ['[TOOL_CALLS]f{"a": "[TOOL_CALLS]"}', [["f", "ok"]]],
    ['[TOOL_CALLS] f[CALL_ID]abc[ARGS] {"a": 1}', [["f", "ok"]]],
    [
      '[TOOL_CALLS][{"name": "f", "arguments": {}}, {"name": "g", "arguments": {"a": [1]}}]',
      [
        ["f", "ok"],
        ["g", "ok"],
      ],
    ],
    [
      '[TOOL_CALLS] [{"name": "f", "arguments": {}}, {"name": "g", "argu',
      [
        ["f", "ok"],
        [null, "unclosed_block"],
      ],
    ],
    [
      '[TOOL_CALLS][{"name": "f", "arguments": {}}] and more',
      [
        ["f", "ok"],
        [null, "malformed_structure"],
      ],
    ],
    [
      '[TOOL_CALLS]f[ARGS]{"a": [TOOL_CALLS]g[ARGS]{}',
      [
        ["f", "invalid_json"],
        ["g", "ok"],
      ],
    ],
    ['[TOOL_CALLS]f[ARGS]{"a"', [["f", "unclosed_block"]]],
    ["[TOOL_CALLS]f[ARGS]{a: 1}", [["f", "invalid_json"]]],
    ["[TOOL_CALLS]h[ARGS]{}", [["h", "unknown_tool"]]],
    ["[TOOL_CALLS][ARGS]{}", [[null, "missing_name"]]],
    [
      "[TOOL_CALLS]f[TOOL_CALLS]g[ARGS]{}",
      [
        ["f", "malformed_structure"],
        ["g", "ok"],
      ],
    ],
    ["[TOOL_CALLS]", [[null, "unclosed_block"]]],
    ["[TOOL_CALLS][]", [[null, "unclosed_block"]]],
  ])("%s", (text, calls) => {
    const { toolCalls, content } = parse(`${text}<|im_end|>`, { ...options, tools: ["f", "g"] });
    expect(toolCalls.map(({ name, status }) => [name, status])).toEqual(calls);
    expect(content).toBe(text.startsWith("hi") ? "hi" : "");
  });

  test("ids of calls are read and spelled", () => {
    const { toolCalls, canonical } = parse('[TOOL_CALLS]f[CALL_ID]abc[ARGS]{"a": 1.0}<|im_end|>', options);
    expect(toolCalls[0]).toMatchObject({ id: "abc", argumentsText: '{"a": 1.0}' });
    expect(canonical).toBe(true);
  });

  test("a call's ids are its own, the marker before it included", () => {
    const tokenizer = tokenizerWith(options.tokens);
    const first = tokenizer.encode('[TOOL_CALLS]f[ARGS]{"a": "é🤔"}');
    const second = tokenizer.encode("[TOOL_CALLS]g[ARGS]{}");
    const ids = Int32Array.from([...tokenizer.encode("so"), ...first, ...second]);
    const { toolCalls } = read(tokenizer, { toolParser: "mistral" }, ids, { reasoning: "closed" });
    const at = ids.length - first.length - second.length;
    expect(toolCalls.map(({ tokenSpan }) => tokenSpan)).toEqual([
      [at, at + first.length],
      [at + first.length, ids.length],
    ]);
  });
});

describe("pythonic", () => {
  const options = { toolParser: "pythonic", tokens: [] };
  const known = { ...options, tools: ["f", "g"] };

  test.each([
    [`[f(a=1, b="x, )", c='it\\'s'), g()]`, [{ a: 1, b: "x, )", c: "it's" }, {}]],
    [`[f(a=[1, (2, 3)], b={'k': None}, c=True,)]`, [{ a: [1, [2, 3]], b: { k: null }, c: true }]],
    ["[f(a=true, b=null)]", [{ a: true, b: null }]],
    ["\n[ f ( a = -1.5 ) ]\n", [{ a: -1.5 }]],
    ["<|python_start|>[g()]<|python_end|>", [{}]],
  ])("%s", (text, args) => {
    const { toolCalls, content } = parse(`${text}<|im_end|>`, known);
    expect(toolCalls.map((call) => call.arguments)).toEqual(args);
    expect(toolCalls.every(({ status }) => status === "ok")).toBe(true);
    expect(content).toBe("");
  });

  test.each([
    ["[f(1)]", "malformed_structure"],
    ["[f(a=1, a=2)]", "malformed_structure"],
    ["[f(a=x)]", "invalid_json"],
    ["[f(a=", "unclosed_block"],
    ["[h(a=1)]", "unknown_tool"],
  ])("%s is %s", (text, status) => {
    expect(parse(text, known).toolCalls.map((call) => call.status)).toEqual([status]);
  });

  test.each(["[1] see f(x)", "[sin(x)]", "[a](b)", "[]", "[f(a=1)] is how", "[", "x [f(a=1)]"])(
    "%s is content",
    (text) => {
      expect(parse(`${text}<|im_end|>`, known)).toMatchObject({ content: text, toolCalls: [], canonical: true });
    },
  );

  test("a list stands behind the reasoning, and its calls share its ids", () => {
    const tokenizer = tokenizerWith(THINK);
    const thought = tokenizer.encode("<think>hm</think>\n");
    const list = tokenizer.encode("[f(a=1), g(b='ü')]");
    const ids = Int32Array.from([...thought, ...list]);
    const parsers = { toolParser: "pythonic", reasoningParser: "think" };
    const { reasoning, toolCalls } = read(tokenizer, parsers, ids, { reasoning: "closed" });
    expect(reasoning?.text).toBe("hm");
    expect(toolCalls.map(({ raw }) => raw)).toEqual(["f(a=1)", "g(b='ü')"]);
    expect(toolCalls[0].tokenSpan[0]).toBe(thought.length);
    expect(toolCalls[1].tokenSpan[1]).toBe(ids.length);
    for (const { raw, tokenSpan } of toolCalls) expect(tokenizer.decode(ids.subarray(...tokenSpan))).toContain(raw);
  });
});

describe("llama", () => {
  const options = { toolParser: "llama3", tokens: ["<|python_tag|>"], tools: ["f", "g"] };

  test.each([
    ['{"name": "f", "parameters": {"a": 1}}', [["f", "ok"]]],
    ['<|python_tag|>{"name": "f"}', [["f", "ok"]]],
    [
      '{"name": "f", "arguments": {}}; {"name": "g", "parameters": {}}',
      [
        ["f", "ok"],
        ["g", "ok"],
      ],
    ],
    ['{"name": "h", "parameters": {}}', [["h", "unknown_tool"]]],
    ['{"name": "f", "parameters": 1}', [["f", "malformed_structure"]]],
    [
      '{"name": "f", "parameters": {}}; {"na',
      [
        ["f", "ok"],
        [null, "unclosed_block"],
      ],
    ],
  ])("%s", (text, calls) => {
    const { toolCalls, content } = parse(`${text}<|im_end|>`, options);
    expect(toolCalls.map(({ name, status }) => [name, status])).toEqual(calls);
    expect(content).toBe("");
  });

  test.each(['{"name": "Bob", "age": 3}', '{"a": 1}', '{"name": "f", "para', "{}", '{"name": "f"} is it'])(
    "%s is content",
    (text) => {
      expect(parse(`${text}<|im_end|>`, options)).toMatchObject({ content: text, toolCalls: [], canonical: true });
    },
  );
});

describe("lfm2", () => {
  test("a list that its marker closes cuts nothing off", () => {
    const options = { toolParser: "lfm2", tokens: ["<|tool_call_start|>", "<|tool_call_end|>"] };
    const statuses = (text: string) => parse(text, options).toolCalls.map(({ status }) => status);
    expect(statuses("<|tool_call_start|>[f(a=1), g(<|tool_call_end|>ok")).toEqual(["ok", "invalid_json"]);
    expect(statuses("<|tool_call_start|>nothing<|tool_call_end|>")).toEqual(["malformed_structure"]);
    expect(statuses("<|tool_call_start|>[f(a=1), g(")).toEqual(["ok", "unclosed_block"]);
    expect(statuses("<|tool_call_start|>[f()]<|tool_call_end|>a<|tool_call_start|>[g()]<|tool_call_end|>")).toEqual([
      "ok",
      "ok",
    ]);
  });
});

describe("reasoning", () => {
  const text = "<think>\na <tool_call> b\n</think>\n\nc";

  test("is content without a parser, and with none", () => {
    for (const parsers of [{}, { reasoningParser: "none" }, { reasoningParser: "none", impliedReasoning: "think" }])
      expect(parse(text, { tokens: THINK, ...parsers })).toMatchObject({ content: text, reasoning: null });
  });

  test.each([{ reasoningParser: "think" }, { impliedReasoning: "think" }])("ends at its first end: %o", (parsers) => {
    for (const tokens of [[], THINK, [...THINK, ...TOOL_CALL]]) {
      const parsed = parse(`${text}</think><|im_end|>`, { tokens, toolParser: "hermes", ...parsers });
      expect(parsed).toMatchObject({
        content: "\n\nc</think>",
        reasoning: { text: "\na <tool_call> b\n", complete: true },
        toolCalls: [],
        canonical: true,
      });
    }
  });

  test("that is cut short holds what looks like calls", () => {
    const cut = "<think>hm<tool_call>\n{}\n</tool_call>";
    const parsed = parse(cut, { tokens: [...THINK, ...TOOL_CALL], toolParser: "hermes", reasoningParser: "think" });
    expect(parsed).toMatchObject({ content: "", reasoning: { complete: false }, toolCalls: [] });
  });

  test.each([true, false])("may have been opened by the prompt; markers are tokens: %s", (asTokens) => {
    const tokenizer = tokenizerWith(asTokens ? THINK : []);
    const parsers = { reasoningParser: "think", toolParser: "hermes" };
    const readAfter = (prompt: string) =>
      read(tokenizer, parsers, tokenizer.encode("a</think>b"), tokenizer.encode(prompt)).reasoning?.text ?? null;
    expect(readAfter("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n")).toBe("a");
    expect(readAfter("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n")).toBe(null);
    expect(readAfter("<|im_start|>user\n<think><|im_end|>\n<|im_start|>assistant\n")).toBe(null);
  });

  test("with deepseek-r1 begins without its marker", () => {
    const options = { tokens: THINK, reasoningParser: "deepseek-r1" };
    for (const begun of ["hm</think>x", "<think>hm</think>x"])
      expect(parse(begun, options)).toMatchObject({ content: "x", reasoning: { text: "hm", complete: true } });
    expect(parse("hm", options)).toMatchObject({ content: "", reasoning: { text: "hm", complete: false } });
  });

  test.each([
    ["mistral", "[THINK]", "[/THINK]"],
    ["seed-oss", "<seed:think>", "</seed:think>"],
  ])("%s", (reasoningParser, open, close) => {
    for (const tokens of [[], [open, close]])
      expect(parse(`${open}hm${close}x`, { tokens, reasoningParser })).toMatchObject({
        content: "x",
        reasoning: { text: "hm", complete: true },
      });
  });
});

describe("names", () => {
  const tokenizer = tokenizerWith([]);

  test("that no parser has are refused with those that there are", () => {
    for (const [field, names] of [
      ["toolParser", toolParserNames()],
      ["reasoningParser", reasoningParserNames()],
    ] as const) {
      const { code, message, details } = errorOf(() => bound(tokenizer, { [field]: "Hermes" }));
      expect(code).toBe("unknown_parser");
      expect(details).toMatchObject({ field, name: "Hermes", available: names });
      for (const name of names) expect(message).toContain(name);
    }
  });

  test("of parsers whose tokens the vocabulary lacks say so", () => {
    for (const toolParser of ["deepseek-v3", "deepseek-v3.1", "deepseek-v4", "kimi", "lfm2", "harmony"]) {
      const { code, message, details } = errorOf(() => bound(tokenizer, { toolParser }));
      expect(code).toBe("token_missing");
      expect(message).toContain(`"${toolParser}"`);
      expect(details.parser).toBe(toolParser);
      expect((details.missing as string[]).length).toBeGreaterThan(0);
    }
  });

  test("of two parsers that both read reasoning", () => {
    const make = () => bound(tokenizerWith(HARMONY), { toolParser: "harmony", reasoningParser: "think" });
    expect(errorOf(make).code).toBe("invalid_config");
  });

  test("without a stop nothing ends", () => {
    expect(errorOf(() => namedGrammar(tokenizer, { stops: [] })).code).toBe("invalid_config");
  });

  test("of parsers of one's own", () => {
    const forget = registerToolParser("mine", (context) => ({
      kind: "calls",
      calls: {
        open: textMarker(context.tokenizer, "<call>"),
        close: textMarker(context.tokenizer, "</call>"),
        separator: "",
        body: jsonCallBody({ nameField: "tool", argumentsField: "input" }),
      },
      write: (calls) =>
        calls.map((call) => `<call>{"tool": "${call.name}", "input": ${call.argumentsText}}</call>`).join(""),
    }));
    const forgetReasoning = registerReasoningParser("plan", (context) => ({
      open: textMarker(context.tokenizer, "<plan>"),
      close: textMarker(context.tokenizer, "</plan>"),
      label: "v1",
      padding: "\n",
      separator: "\n",
      whenUnknown: "closed",
      exact: true,
    }));
    const options = { tokens: [], toolParser: "mine", reasoningParser: "plan" };
    expect(parse('<plan>v1\nhm\n</plan>\nx<call>{"tool": "f", "input": {}}</call><|im_end|>', options)).toMatchObject({
      content: "x",
      reasoning: { text: "hm" },
      toolCalls: [{ name: "f", status: "ok" }],
      canonical: true,
    });
    const opened = tokenizer.encode("hm\n</plan>\nx<|im_end|>");
    const parsers = { toolParser: "mine", reasoningParser: "plan" };
    const prompt = tokenizer.encode("<|im_start|><plan>v1\n");
    expect(read(tokenizer, parsers, opened, prompt)).toMatchObject({ reasoning: { text: "hm" }, canonical: true });
    expect(toolParserNames()).toContain("mine");
    expect(errorOf(() => registerToolParser("mine", () => errorOf as never)).code).toBe("invalid_config");
    expect(errorOf(() => registerToolParser("hermes", () => errorOf as never)).code).toBe("invalid_config");
    expect(errorOf(() => registerReasoningParser("think", () => null)).code).toBe("invalid_config");
    forget();
    forgetReasoning();
    expect(errorOf(() => bound(tokenizer, { toolParser: "mine" })).code).toBe("unknown_parser");
    expect(reasoningParserNames()).not.toContain("plan");
  });
});
