import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createRenderer,
  type Message,
  type Renderer,
  type RendererConfigInput,
  type ToolSpec,
} from "../../src/index.ts";
import { hostileTexts, images, sampledTurn } from "../../src/testing/index.ts";
import { familyRenderer } from "../support/families.ts";

const THINK = ["<think>", "</think>"];
const k2 = familyRenderer({ name: "kimi-k2" });
const k25 = familyRenderer({ name: "kimi-k2.5" }, THINK);
/** A vocabulary in which the thinking markers are several tokens. */
const spelled = familyRenderer({ name: "kimi-k2.5" });

const k2With = (config: object) => createRenderer(k2.tokenizer, { name: "kimi-k2", ...config } as RendererConfigInput);
const k25With = (config: object) =>
  createRenderer(k25.tokenizer, { name: "kimi-k2.5", ...config } as RendererConfigInput);

const user: Message = { role: "user", content: "hi" };
const call = (id: string, text: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${text}<|tool_call_end|>`;
const section = (...calls: string[]) => `<|tool_calls_section_begin|>${calls.join("")}<|tool_calls_section_end|>`;
const tool = (name: string): ToolSpec => ({ type: "function", function: { name, parameters: { type: "object" } } });

const text = (renderer: Renderer, messages: Message[], tools?: ToolSpec[]) =>
  renderer.tokenizer.decode(renderer.renderIds(messages, { tools }));
const parse = (renderer: Renderer, completion: string, tools: ToolSpec[] | null = null) =>
  renderer.parseResponse(renderer.tokenizer.encode(completion), {
    prompt: renderer.renderIds([user], { addGenerationPrompt: true }),
    tools,
  });
const sampledText = (renderer: Renderer, messages: Message[]) => {
  const { tokenIds, sampledMask } = renderer.render(messages);
  return renderer.tokenizer.decode(tokenIds.filter((_, i) => sampledMask[i] === 1));
};

describe("calls of Kimi", () => {
  const inner = [
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    ...THINK,
  ];

  test("keep values that hold the format's own markers", () => {
    fc.assert(
      fc.property(hostileTexts(inner), hostileTexts(inner), fc.constantFrom(k2, k25, spelled), (a, b, renderer) => {
        const message: Message = {
          role: "assistant",
          content: "",
          tool_calls: [
            { id: "functions.f:0", function: { name: "f", arguments: { a, nested: [b] } } },
            { id: "functions.g:1", function: { name: "g", arguments: { b } } },
          ],
        };
        const turn = sampledTurn(renderer, [user, message]);
        const parsed = renderer.parseResponse(turn?.completion ?? [], { prompt: turn?.prompt ?? [] });
        expect(parsed.toolCalls.map(({ name, arguments: args, status }) => [name, args, status])).toEqual([
          ["f", { a: renderer.tokenizer.normalize(a), nested: [renderer.tokenizer.normalize(b)] }, "ok"],
          ["g", { b: renderer.tokenizer.normalize(b) }, "ok"],
        ]);
        expect(parsed.canonical).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ["functions.search:0", "search"],
    ["functions.ns.tool:12", "ns.tool"],
    ["search:3", "search"],
    ["call_7", "call_7"],
    ["call_7:x:1", "call_7"],
  ])("the id %s names %s", (id, name) => {
    const [parsed] = parse(k2, `${section(call(id, '{"a": 1.0}'))}<|im_end|>`).toolCalls;
    expect(parsed).toMatchObject({ id, name, status: "ok", argumentsText: '{"a": 1.0}' });
  });

  test.each([
    [
      "no arguments' marker",
      section("<|tool_call_begin|>functions.f:0 {}<|tool_call_end|>"),
      "malformed_structure",
      null,
    ],
    ["no id", section(call(" ", "{}")), "missing_name", null],
    ["an id that names nothing", section(call("functions.:0", "{}")), "missing_name", null],
    ["no JSON", section(call("functions.f:0", '{"a": ')), "invalid_json", "f"],
    ["no object", section(call("functions.f:0", "[1]")), "malformed_structure", "f"],
    ["another tool", section(call("functions.g:0", "{}")), "unknown_tool", "g"],
    [
      "an open call in a closed section",
      section("<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}"),
      "unclosed_block",
      "f",
    ],
  ])("%s has a status", (_, completion, status, name) => {
    const { content, toolCalls } = parse(k2, `So:${completion}<|im_end|>`, [tool("f")]);
    expect(content).toBe("So:");
    expect(toolCalls).toMatchObject([{ status, name }]);
  });

  test("a call that a truncation leaves open keeps its name and id", () => {
    const cut = section(call("functions.f:0", '{"a": 1}')).slice(
      0,
      -"1}<|tool_call_end|><|tool_calls_section_end|>".length,
    );
    expect(parse(k25, `x</think>${cut}`).toolCalls).toMatchObject([
      { status: "unclosed_block", name: "f", id: "functions.f:0", argumentsText: null },
    ]);
  });

  test("a call ends reasoning that never closes, and is only talked about in reasoning that does", () => {
    const one = section(call("functions.f:0", "{}"));
    for (const renderer of [k25, spelled]) {
      const meant = parse(renderer, `hm${one}<|im_end|>`);
      expect(meant).toMatchObject({ reasoning: { text: "hm", complete: true }, toolCalls: [{ name: "f" }] });
      const quoted = parse(renderer, `hm${one}</think>no<|im_end|>`);
      expect(quoted).toMatchObject({ reasoning: { text: `hm${one}`, complete: true }, toolCalls: [], content: "no" });
    }
  });
});

describe("kimi-k2", () => {
  test("has a system turn, tools before it, and results under their tool's name", () => {
    const flat: ToolSpec = { name: "f", description: "ü", parameters: { type: "object", b: 1, a: 2 } };
    const messages: Message[] = [
      user,
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "functions.f:0", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", content: "5", tool_call_id: "functions.f:0", name: "f" },
    ];
    expect(text(k2, messages, [flat])).toBe(
      '<|im_system|>tool_declare<|im_middle|>[{"description":"ü","name":"f","parameters":{"a":2,"b":1,"type":"object"}}]<|im_end|>' +
        "<|im_system|>system<|im_middle|>You are Kimi, an AI assistant created by Moonshot AI.<|im_end|>\n" +
        "<|im_user|>user<|im_middle|>hi<|im_end|>" +
        `<|im_assistant|>assistant<|im_middle|>${section(call("functions.f:0", "{}"))}<|im_end|>` +
        "<|im_system|>f<|im_middle|>## Return of functions.f:0\n5<|im_end|>",
    );
  });

  test("a declaration among the messages stands for the tools", () => {
    const renderer = k2With({ validate: "template" });
    const own: Message = { role: "tool_declare", content: "[]" };
    const begin = "<|im_system|>tool_declare<|im_middle|>[]<|im_end|><|im_system|>system<|im_middle|>";
    expect(text(renderer, [own, user], [tool("f")])).toContain(`${begin}You are Kimi`);
    expect(text(renderer, [own, { role: "system", content: "S" }, user])).toContain(`${begin}S<|im_end|><|im_user|>`);
  });

  test("writes no reasoning, and reads it all the same", () => {
    const turn: Message = { role: "assistant", content: "\n\nyes", reasoning_content: " hm\n" };
    expect(sampledText(k2, [user, turn])).toBe("\n\nyes<|im_end|>");
    expect(sampledText(k2With({ patched: true }), [user, turn])).toBe("\n\nyes<|im_end|>");
    const sampled = "<think> hm\n</think>\n\nyes<|im_end|>";
    expect(parse(k2, sampled)).toMatchObject({ reasoning: { text: " hm\n" }, content: "\n\nyes", canonical: false });
  });

  test("a call's and a result's ids are text, whoever wrote them", () => {
    const count = (renderer: Renderer, id: string) =>
      renderer
        .renderIds([user, { role: "tool", content: "", tool_call_id: id, name: id }], { orphanResults: true })
        .filter((one) => renderer.stopTokenIds.includes(one)).length;
    for (const renderer of [k2With({ validate: "template" }), k25With({ validate: "template" })])
      expect(count(renderer, "<|im_end|>")).toBe(count(renderer, "x"));
  });
});

describe("kimi-k2.5", () => {
  const asks: Message = {
    role: "assistant",
    content: "",
    reasoning_content: "first",
    tool_calls: [{ id: "functions.f:0", function: { name: "f", arguments: {} } }],
  };
  const result: Message = { role: "tool", content: "5", tool_call_id: "functions.f:0" };
  const answer: Message = { role: "assistant", content: "Five.", reasoning_content: "second" };

  test("keeps thinking after the last answer without calls", () => {
    const open = [user, asks, result];
    expect(text(k25, open)).toContain("<think>first</think><|tool_calls");
    expect(text(k25, [...open, answer])).not.toMatch(/first|second/);
    expect(text(k25, [...open, answer, user, asks])).toMatch(/<think><\/think><\|tool_calls.*<think>first<\/think>/s);
  });

  test.each<[Message, string]>([
    [{ role: "assistant", content: "a<think>b</think>\n\nc<think>d</think>" }, "<think>b</think>c<think>d</think>"],
    [{ role: "assistant", content: "b</think>c" }, "<think>b</think>c"],
    [{ role: "assistant", content: "b</think>c", reasoning_content: "" }, "<think></think>b</think>c"],
    [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "b" },
          { type: "text", text: "c" },
        ],
      },
      "<think>b</think>c",
    ],
  ])("finds the thinking of %j", (message, written) => {
    const calls = asks.tool_calls ?? [];
    expect(text(k25, [user, { ...message, tool_calls: calls }])).toContain(`${written}<|tool_calls_section_begin|>`);
  });

  test("what the prompt prefills is scaffold, where it is tokens of its own", () => {
    expect(sampledText(k25, [user, asks])).toMatch(/^first<\/think>/);
    expect(sampledText(spelled, [user, asks])).toMatch(/^<think>first<\/think>/);
    const off = k25With({ thinking: false });
    expect(sampledText(off, [user, answer])).toBe("Five.<|im_end|>");
    expect(sampledText(off, [user, asks])).toMatch(/^<think>first<\/think>/);
  });

  test("a message's name stands in its role's place", () => {
    expect(text(k25, [{ ...user, name: "Ada" }])).toBe("<|im_user|>Ada<|im_middle|>hi<|im_end|>");
  });

  test("an image is one placeholder", () => {
    fc.assert(
      fc.property(images(), (image) => {
        const { tokenIds, multimodal } = k25.render([
          { role: "user", content: [{ type: "text", text: "see " }, image] },
        ]);
        expect(k25.tokenizer.decode(tokenIds)).toBe(
          "<|im_user|>user<|im_middle|>see <|media_begin|>image<|media_content|><|media_pad|><|media_end|>\n<|im_end|>",
        );
        expect(multimodal?.images).toMatchObject([{ message: 0, offset: tokenIds.length - 4, length: 1 }]);
      }),
      { numRuns: 20 },
    );
  });

  describe("bridge", () => {
    const bridge = (renderer: Renderer, completion: string, newMessages: Message[]) => {
      const { tokenizer } = renderer;
      const made = renderer.bridgeToNextTurn({
        promptIds: renderer.renderIds([user], { addGenerationPrompt: true }),
        completionIds: tokenizer.encode(completion),
        newMessages,
      });
      return made.ok ? tokenizer.decode(made.extension.tokenIds) : made.reason;
    };
    const prompt = "<|im_assistant|>assistant<|im_middle|><think>";
    const next = `<|im_system|>tool<|im_middle|>## Return of functions.f:0\n5<|im_end|>${prompt}`;

    test("closes what a truncation left open", () => {
      for (const renderer of [k25, spelled]) {
        expect(bridge(renderer, "hm", [result])).toBe(`</think><|im_end|>${next}`);
        expect(bridge(renderer, "hm</think>Fi", [result])).toBe(`<|im_end|>${next}`);
        expect(bridge(renderer, "hm</think>Five.<|im_end|>", [result])).toBe(next);
        expect(bridge(renderer, "hm<|im_end|>", [result])).toBe("unclosed_reasoning");
      }
    });

    test("a new query drops thinking, unless there is none or all is to stay", () => {
      const completion = "hm</think>Five.<|im_end|>";
      expect(bridge(k25, completion, [user])).toBe("new_user_query");
      const all = k25With({ thinkingRetention: "all" });
      expect(bridge(all, completion, [user])).toBe(`<|im_user|>user<|im_middle|>hi<|im_end|>${prompt}`);
      const off = k25With({ thinking: false });
      expect(bridge(off, "Five.<|im_end|>", [user])).toContain("hi<|im_end|>");
    });
  });

  describe("tools", () => {
    const declared = (parameters: object, description = "") => {
      const spec = { name: "f", description, parameters } as ToolSpec;
      return text(k25, [user], [spec]).split("<|im_middle|>")[1].replace("<|im_end|><|im_user|>user", "");
    };
    const namespace = (body: string) => `# Tools\n\n## functions\nnamespace functions {\n${body}\n}\n`;

    test("are declared with sorted parameters, comments and constraints", () => {
      const parameters = {
        type: "object",
        required: ["b"],
        additionalProperties: false,
        properties: {
          z: { type: "integer", minimum: 0, maximum: 9, default: 1 },
          a: { type: ["string", "null"], description: "one\n\ntwo" },
          b: { type: "array", minItems: 1, items: { type: "string", pattern: "^x" } },
          c: { anyOf: [{ enum: ["a", 1, null] }, { type: "object", properties: {} }] },
          d: { type: "array", items: {} },
        },
      };
      expect(declared(parameters, "Does f.")).toBe(
        namespace(
          [
            "// Does f.",
            "type f = (_: {",
            "  // minItems: 1",
            "  b: Array<",
            "    // pattern: ^x",
            "    string",
            "  >,",
            "  // one",
            "",
            "  // two",
            "  a?: string | null,",
            '  c?: "a" | 1 | null | {},',
            "  d?: Array<any>,",
            "  // maximum: 9, minimum: 0",
            "  // Default: 1",
            "  z?: number,",
            "  [k: string]: never",
            "}) => any;",
          ].join("\n"),
        ),
      );
    });

    test("refer to their own definitions and to themselves", () => {
      const Node = { type: "object", description: "A node.", properties: { next: { $ref: "#/$defs/Node" } } };
      const properties = { top: { $ref: "#/$defs/Node", description: "The first." }, more: { $ref: "#" } };
      expect(declared({ type: "object", $defs: { Node }, properties })).toBe(
        namespace(
          [
            "interface parameters {",
            "  // The first.",
            "  top?: Node,",
            "  more?: parameters",
            "}",
            "// A node.",
            "interface Node {",
            "  next?: Node",
            "}",
            "type f = (_: parameters) => any;",
          ].join("\n"),
        ),
      );
    });

    test.each([
      ["no type", { x: { description: "anything" } }],
      ["alternatives without words", { x: { oneOf: [{ type: "string" }] } }],
      ["a reference to nowhere", { x: { $ref: "#/$defs/Gone" } }],
      ["an unknown type in a union", { x: { type: ["string", "date"] } }],
    ])("with %s are printed as JSON", (_, properties) => {
      const json = declared({ type: "object", properties });
      expect(JSON.parse(json)).toEqual([{ description: "", name: "f", parameters: { type: "object", properties } }]);
    });
  });
});
