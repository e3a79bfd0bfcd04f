import { describe, expect, it, test } from "vitest";
import {
  createRenderer,
  type Message,
  type RendererConfigInput,
  type TitoError,
  type ToolSpec,
} from "../../src/index.ts";
import { dataUri, plainPng } from "../images/fixtures.ts";
import { familyTokenizer } from "../support/families.ts";

const names = ["qwen3.5", "qwen3.6", "qwen3.8"] as const;
const user: Message = { role: "user", content: "hi" };

const tokenizer = familyTokenizer("", [
  "<|im_end|>",
  "<|im_start|>",
  "<|endoftext|>",
  "<|vision_start|>",
  "<|vision_end|>",
  "<|image_pad|>",
  "<|video_pad|>",
  "<think>",
  "</think>",
  "<tool_call>",
  "</tool_call>",
]);

const open = (config: RendererConfigInput) => {
  const renderer = createRenderer(tokenizer, config);
  const ids = (text: string) => renderer.tokenizer.encode(text);
  const text = (messages: readonly Message[], options = {}) =>
    renderer.tokenizer.decode(renderer.renderIds(messages, options));
  return { renderer, ids, text };
};

const called = (args: unknown, content = ""): Message => ({
  role: "assistant",
  content,
  reasoning_content: "",
  tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: args as string } }],
});

const tool = (properties: Record<string, unknown>): ToolSpec => ({
  type: "function",
  function: { name: "f", parameters: { type: "object", properties: properties as never } },
});

const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as TitoError).code;
  }
  return "nothing was thrown";
};

describe("arguments", () => {
  const args = '{"flag": true, "none": null, "number": 1e16, "list": [true], "text": " a</parameter>"}';
  const values = (config: RendererConfigInput): Record<string, string> => {
    const { text } = open(config);
    const call = text([user, called(args, "Well.")]).split("Well.\n\n")[1];
    expect(call.startsWith("<tool_call>\n<function=f>\n")).toBe(true);
    expect(call.endsWith("</function>\n</tool_call><|im_end|>\n")).toBe(true);
    return Object.fromEntries(
      [...call.matchAll(/<parameter=(\w+)>\n([\s\S]*?)\n<\/parameter>\n/g)].map(([, key, value]) => [key, value]),
    );
  };

  it("print as Python does in Qwen3.5", () => {
    expect(values({ name: "qwen3.5" })).toEqual({
      flag: "True",
      none: "None",
      number: "1e+16",
      list: "[true]",
      text: " a</parameter>",
    });
  });

  test.each<[RendererConfigInput, string]>([
    [{ name: "qwen3.6" }, "1e+16"],
    [{ name: "qwen3.8" }, "1e+16"],
    [{ name: "qwen3.5", patched: true }, "1e16"],
  ])("print as JSON, patched to the letter: %j", (config, number) => {
    expect(values(config)).toMatchObject({ flag: "true", none: "null", number, list: "[true]" });
  });

  test.each(names)("survive with the format's own tags inside: %s", (name) => {
    const { renderer, ids } = open({ name });
    const value = "one\n</function>\n</tool_call>\n<tool_call>\n<function=g>\n";
    const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
    const call = `<tool_call>\n<function=f>\n<parameter=x>\n${value}\n</parameter>\n</function>\n</tool_call>`;
    const completion = ids(`ok\n</think>\n\n${call}\n${call}<|im_end|>`);
    const parsed = renderer.parseResponse(completion, { prompt, tools: [tool({ x: { type: "string" } })] });
    expect(parsed.toolCalls.map((one) => one.arguments)).toEqual([{ x: value }, { x: value }]);
    expect(parsed.canonical).toBe(true);
  });

  test.each(["</tool_call>", "a</parameter></function></tool_call>b", "\n</function>\n</tool_call>\n"])(
    "survive with %j inside",
    (value) => {
      const { renderer } = open({ name: "qwen3.6" });
      const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
      const rendered = renderer.renderIds([user, called({ x: value, y: value })]);
      const tools = [tool({ x: { type: "string" }, y: { type: "string" } })];
      // The empty thinking's newlines are one token, whose first one is the prompt's.
      const completion = renderer.tokenizer.encode(
        renderer.tokenizer.decode(rendered).slice(renderer.tokenizer.decode(prompt).length),
      );
      const parsed = renderer.parseResponse(completion, { prompt, tools });
      expect(parsed.toolCalls.map((one) => one.arguments)).toEqual([{ x: value, y: value }]);
      expect(parsed.canonical).toBe(true);
    },
  );

  test("of calls with tags where the format has none are not taken together", () => {
    const { renderer, ids } = open({ name: "qwen3.6" });
    const call = "<tool_call>\n<function=f>\n<parameter=x>\n1</parameter>\n</function>\n</tool_call>";
    for (const between of ["\n", "\n\nand\n\n"]) {
      const parsed = renderer.parseResponse(ids(`${call}${between}${call}${between}<|im_end|>`), {
        prompt: { reasoning: "closed" },
        tools: [tool({ x: { type: "integer" } })],
      });
      expect(parsed.toolCalls.map((one) => one.arguments)).toEqual([{ x: 1 }, { x: 1 }]);
      expect(parsed.canonical).toBe(false);
    }
  });

  test("Qwen3.5 reads what Python printed by the tool's schema", () => {
    const { renderer, ids } = open({ name: "qwen3.5" });
    const call = "<tool_call>\n<function=f>\n<parameter=x>\nTrue\n</parameter>\n</function>\n</tool_call><|im_end|>";
    const readAs = (schema: Record<string, unknown>) =>
      renderer.parseResponse(ids(call), { prompt: { reasoning: "closed" }, tools: [tool({ x: schema })] }).toolCalls[0];
    expect(readAs({ type: "boolean" })).toMatchObject({ arguments: { x: true }, status: "ok" });
    expect(readAs({ type: "string" })).toMatchObject({ arguments: { x: "True" }, status: "ok" });
    expect(readAs({})).toMatchObject({ arguments: { x: true }, status: "ambiguous_arguments" });
  });
});

describe("damaged calls", () => {
  const { renderer, ids } = open({ name: "qwen3.6" });
  const statuses = (text: string) =>
    renderer
      .parseResponse(ids(text), { prompt: { reasoning: "closed" }, tools: [tool({})] })
      .toolCalls.map((call) => [call.name, call.status]);

  test.each([
    ["<tool_call>\nhello\n</tool_call>", [[null, "malformed_structure"]]],
    ["<tool_call>\n<function=f>\n<parameter=x>\n1\n</function>\n</tool_call>", [["f", "malformed_structure"]]],
    ["<tool_call>\n<function=>\n</function>\n</tool_call>", [[null, "missing_name"]]],
    ["<tool_call>\n<function=g>\n</function>\n</tool_call>", [["g", "unknown_tool"]]],
    ["<tool_call>\n<function=f>\n", [[null, "unclosed_block"]]],
    [
      "<tool_call>\nhello\n</tool_call>\n<tool_call>\n<function=f>\n</function>\n</tool_call>",
      [
        [null, "malformed_structure"],
        ["f", "ok"],
      ],
    ],
  ])("%j", (text, expected) => {
    expect(statuses(`${text}<|im_end|>`)).toEqual(expected);
  });
});

describe("thinking", () => {
  const turn = (reasoning: string): Message => ({ role: "assistant", content: "yes", reasoning_content: reasoning });
  const history = (config: RendererConfigInput, first: Message) => {
    const { text } = open(config);
    return text([user, first, user, turn("now")]).split("<|im_start|>assistant\n")[1];
  };
  const kept = "<think>\nonce\n</think>\n\nyes<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n";
  const empty = kept.replace("once", "");
  const dropped = "yes<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n";

  test.each<[RendererConfigInput, string, string]>([
    [{ name: "qwen3.5" }, "once", dropped],
    [{ name: "qwen3.5", enableThinking: false }, "", dropped],
    [{ name: "qwen3.6" }, "once", dropped],
    [{ name: "qwen3.6", preserveThinking: true }, "once", kept],
    [{ name: "qwen3.6", enableThinking: false }, "", empty],
    [{ name: "qwen3.6", enableThinking: false }, "once", dropped],
    [{ name: "qwen3.8" }, "once", kept],
    [{ name: "qwen3.8", preserveThinking: false }, "once", dropped],
    [{ name: "qwen3.5", thinkingRetention: "all" }, "once", dropped],
  ])("%j of an earlier turn that thought %j", (config, reasoning, expected) => {
    expect(history(config, turn(reasoning))).toBe(expected);
  });

  test("inside the content is told apart, but not in Qwen3.8", () => {
    const inline: Message = { role: "assistant", content: "<think>\nonce\n</think>\n\nyes" };
    const last = (name: "qwen3.6" | "qwen3.8") =>
      open({ name }).text([user, inline]).split("<|im_start|>assistant\n")[1];
    expect(last("qwen3.6")).toBe("<think>\nonce\n</think>\n\nyes<|im_end|>\n");
    expect(last("qwen3.8")).toBe("<think>\n\n</think>\n\n<think>\nonce\n</think>\n\nyes<|im_end|>\n");
  });

  test("loses edge white space, unless patched", () => {
    const spaced: Message = { role: "assistant", content: "\n yes ", reasoning_content: " once\n" };
    const last = (patched: boolean) =>
      open({ name: "qwen3.6", patched }).text([user, spaced]).split("<|im_start|>assistant\n")[1];
    expect(last(false)).toBe("<think>\nonce\n</think>\n\nyes<|im_end|>\n");
    expect(last(true)).toBe("<think>\n once\n\n</think>\n\n\n yes <|im_end|>\n");
  });

  test("the prompt's part of a turn is not sampled", () => {
    for (const enableThinking of [true, false]) {
      const { renderer } = open({ name: "qwen3.5", enableThinking });
      const { tokenIds, sampledMask } = renderer.render([
        user,
        { ...turn(""), reasoning_content: enableThinking ? "once" : "" },
      ]);
      const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
      expect(tokenIds.slice(0, prompt.length)).toEqual(prompt);
      expect(sampledMask.indexOf(1)).toBe(prompt.length);
    }
  });

  test("that is cut short is closed as the format closes it", () => {
    const { renderer, ids } = open({ name: "qwen3.8" });
    const promptIds = renderer.renderIds([user], { addGenerationPrompt: true });
    const bridge = renderer.bridgeToNextTurn({ promptIds, completionIds: ids("I was"), newMessages: [user] });
    if (!bridge.ok) throw new Error(bridge.message);
    const { extension, synthetic } = bridge;
    expect(renderer.tokenizer.decode(extension.tokenIds.slice(...(synthetic ?? [0, 0])))).toBe(
      "\n</think>\n\n<|im_end|>",
    );
    expect(renderer.tokenizer.decode(extension.tokenIds)).toBe(
      "\n</think>\n\n<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n",
    );
  });

  test.each<[RendererConfigInput, boolean]>([
    [{ name: "qwen3.5" }, false],
    [{ name: "qwen3.5", thinkingRetention: "all" }, true],
    [{ name: "qwen3.5", enableThinking: false }, true],
    [{ name: "qwen3.6", preserveThinking: true }, true],
    [{ name: "qwen3.8" }, true],
    [{ name: "qwen3.8", preserveThinking: false }, false],
  ])("%j bridges to a new query: %s", (config, ok) => {
    const { renderer, ids } = open(config);
    const promptIds = renderer.renderIds([user], { addGenerationPrompt: true });
    const request = { promptIds, completionIds: ids("x\n</think>\n\nyes<|im_end|>") };
    expect(renderer.bridgeToNextTurn({ ...request, newMessages: [user] }).ok).toBe(ok);
    const wrapped: Message = { role: "user", content: " <tool_response>\n1\n</tool_response>\n" };
    expect(renderer.bridgeToNextTurn({ ...request, newMessages: [wrapped] }).ok).toBe(true);
  });
});

describe("the system block", () => {
  const system = (content: string): Message => ({ role: "system", content });
  const block = (config: RendererConfigInput, messages: readonly Message[], tools?: readonly ToolSpec[]) =>
    open(config).text(messages, { tools }).split("<|im_start|>user")[0];
  const low =
    "Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion without " +
    "unnecessary elaboration.";

  it("is there for an empty system message, but not in Qwen3.8", () => {
    expect(block({ name: "qwen3.6" }, [system(" "), user])).toBe("<|im_start|>system\n<|im_end|>\n");
    expect(block({ name: "qwen3.8", reasoningEffort: "medium" }, [system(" "), user])).toBe("");
  });

  it("begins with Qwen3.8's effort while thinking is on", () => {
    const config = { name: "qwen3.8", reasoningEffort: "low" } as const;
    expect(block(config, [user])).toBe(`<|im_start|>system\n${low}<|im_end|>\n`);
    expect(block(config, [system("Be kind. "), user])).toBe(`<|im_start|>system\n${low}\n\nBe kind.<|im_end|>\n`);
    expect(block({ ...config, enableThinking: false }, [user])).toBe("");
    const withTools = block(config, [system("Be kind."), user], [tool({})]);
    expect(withTools.startsWith(`<|im_start|>system\n${low}\n\n# Tools\n\n`)).toBe(true);
    expect(withTools.endsWith("</IMPORTANT>\n\nBe kind.<|im_end|>\n")).toBe(true);
  });

  test.each(names)("stands at the beginning only: %s", (name) => {
    const { text } = open({ name, validate: "template" });
    expect(refusal(() => text([user, system("x")]))).toBe("invalid_message");
    expect(refusal(() => text([{ role: "critic", content: "x" }, user]))).toBe("unknown_role");
  });

  test("Qwen3.8 needs a query", () => {
    const messages = [system("x"), { role: "assistant", content: "hello" }];
    expect(refusal(() => open({ name: "qwen3.8" }).text(messages))).toBe("invalid_message");
    expect(open({ name: "qwen3.6" }).text(messages)).toContain("<|im_start|>assistant\nhello<|im_end|>");
  });
});

describe("images", () => {
  const picture = { type: "image", image: dataUri(plainPng(256, 256)) };
  const pads = "<|image_pad|>".repeat(64);
  const seen: Message = {
    role: "user",
    content: [{ type: "text", text: "This: " }, picture, { type: "text", text: "?" }],
  };

  test.each([...names, "qwen3-vl"] as const)("stand in the text, numbered on request: %s", (name) => {
    const body = (addVisionId: boolean) =>
      open({ name, addVisionId }).text([seen]).split("<|im_start|>user\n")[1].split("<|im_end|>")[0];
    expect(body(false)).toBe(`This: <|vision_start|>${pads}<|vision_end|>?`);
    expect(body(true)).toBe(`This: Picture 1: <|vision_start|>${pads}<|vision_end|>?`);
    const { multimodal, tokenIds } = open({ name }).renderer.render([seen]);
    const [placed] = multimodal?.images ?? [];
    expect([placed.message, placed.length]).toEqual([0, 64]);
    const types = open({ name }).renderer.mmTokenTypes;
    expect(types?.get(tokenIds[placed.offset])).toBe(1);
  });

  test.each([...names, "qwen3-vl"] as const)("go on counting over a bridge, or refuse: %s", (name) => {
    const { renderer, ids } = open({ name, addVisionId: true, thinkingRetention: undefined });
    const prompt = renderer.render([seen], { addGenerationPrompt: true });
    const answer: Message = { role: "tool", content: [picture] };
    const request = { promptIds: prompt.tokenIds, completionIds: ids("x</think>ok<|im_end|>"), newMessages: [answer] };
    const bridge = renderer.bridgeToNextTurn({ ...request, multimodal: prompt.multimodal });
    if (!bridge.ok) throw new Error(bridge.message);
    expect(renderer.tokenizer.decode(bridge.extension.tokenIds)).toContain(
      `<tool_response>\nPicture 2: <|vision_start|>${pads}<|vision_end|>\n</tool_response>`,
    );
    expect(renderer.bridgeToNextTurn(request)).toMatchObject({ ok: false, reason: "image_numbers_unknown" });
    const words: Message = { role: "tool", content: "none" };
    expect(renderer.bridgeToNextTurn({ ...request, newMessages: [words] }).ok).toBe(true);
    const plain = renderer.renderIds([user], { addGenerationPrompt: true });
    expect(renderer.bridgeToNextTurn({ ...request, promptIds: plain }).ok).toBe(true);
  });

  test.each([...names, "qwen3-vl"] as const)("have no place in other messages: %s", (name) => {
    const { text } = open({ name });
    const holding = (role: string): Message => ({ role, content: [picture] });
    expect(refusal(() => text([holding("system"), user]))).toBe("unsupported_content");
    expect(refusal(() => text([user, holding("assistant")]))).toBe("unsupported_content");
  });

  test("beside them, a text keeps its edges", () => {
    const content = [{ type: "text", text: " a " }, picture];
    expect(open({ name: "qwen3.5" }).text([{ role: "user", content }])).toContain("user\n a <|vision_start|>");
    expect(open({ name: "qwen3.5" }).text([{ role: "user", content: [content[0]] }])).toContain("user\na<|im_end|>");
  });
});

describe("parts", () => {
  const content = [
    { type: "text", text: "a" },
    { type: "thinking", thinking: "b" },
    { type: "text", text: "c" },
  ];

  it("that are neither text nor images are refused, or dropped", () => {
    const text = (name: "qwen3.5" | "qwen3.6" | "qwen3.8" | "qwen3-vl", role: string) =>
      open({ name }).text(role === "user" ? [{ role, content }] : [user, { role, content }]);
    expect(refusal(() => text("qwen3.5", "user"))).toBe("unsupported_content");
    expect(refusal(() => text("qwen3.6", "assistant"))).toBe("unsupported_content");
    expect(text("qwen3.8", "user")).toContain("user\nac<|im_end|>");
    expect(text("qwen3-vl", "user")).toContain("user\nac<|im_end|>");
    expect(text("qwen3-vl", "assistant")).toContain("assistant\nabc<|im_end|>");
  });
});

describe("Qwen3-VL", () => {
  test("writes no thinking, and reads it", () => {
    const { renderer, ids, text } = open({ name: "qwen3-vl" });
    const turn: Message = { role: "assistant", content: "yes", reasoning_content: "once" };
    expect(text([user, turn], { addGenerationPrompt: true })).toBe(
      "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nyes<|im_end|>\n<|im_start|>assistant\n",
    );
    const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
    const parsed = renderer.parseResponse(ids("<think>\nonce\n</think>\n\nyes<|im_end|>"), { prompt });
    expect(parsed).toMatchObject({ content: "yes", reasoning: { text: "once", complete: true }, canonical: false });
  });

  test("writes arguments that are text to the letter", () => {
    const { text } = open({ name: "qwen3-vl" });
    expect(text([user, called('{"a":1.0}', "So")])).toContain(
      'So\n<tool_call>\n{"name": "f", "arguments": {"a":1.0}}\n</tool_call><|im_end|>',
    );
  });

  test("has a system message only at the beginning; its template drops later ones", () => {
    const messages: Message[] = [user, { role: "system", content: "x" }];
    expect(refusal(() => open({ name: "qwen3-vl" }).text(messages))).toBe("invalid_message");
    expect(open({ name: "qwen3-vl", validate: "template" }).text(messages)).toBe("<|im_start|>user\nhi<|im_end|>\n");
  });
});
