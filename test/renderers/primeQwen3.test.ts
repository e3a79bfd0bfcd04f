import { describe, expect, test } from "vitest";
import { type Message, type ToolSpec, toOpenAIMessage } from "../../src/index.ts";
import { sampledTurn } from "../../src/testing/index.ts";
import { familyRenderer } from "../support/families.ts";

const renderer = familyRenderer({ name: "prime-qwen3" });
const patched = familyRenderer({ name: "prime-qwen3", patched: true });
const lenient = familyRenderer({ name: "prime-qwen3", validate: "template" });
const user: Message = { role: "user", content: "hi" };
const asked = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n";
const decoded = (messages: readonly Message[], rendering = renderer, options = {}) =>
  rendering.tokenizer.decode(rendering.renderIds(messages, options));
const call = { id: "c", type: "function", function: { name: "f", arguments: { flag: true } } } as const;
const calling = "<tool_call>\n<function=f>\n<parameter=flag>\nTrue\n</parameter>\n</function>\n</tool_call>";

const tool: ToolSpec = {
  name: "f",
  parameters: { properties: { flag: { enum: ["ü"], type: "boolean" } }, required: ["flag"], title: "F" },
};

describe("turns", () => {
  test("have a thinking block if their message has the field, but never beside calls", () => {
    const text = (more: Partial<Message>) => decoded([user, { role: "assistant", content: " So. ", ...more }]);
    expect(text({})).toBe(`${asked} So. <|im_end|>\n`);
    expect(text({ reasoning_content: " Hm. " })).toBe(`${asked}<think>Hm.</think>\nSo.<|im_end|>\n`);
    expect(text({ reasoning_content: "" })).toBe(`${asked}<think></think>\nSo.<|im_end|>\n`);
    expect(text({ reasoning_content: null })).toBe(`${asked}<think></think>\nSo.<|im_end|>\n`);
    expect(text({ reasoning_content: "Hm.", content: "" })).toBe(`${asked}<think>Hm.</think><|im_end|>\n`);
    expect(text({ reasoning_content: "Hm.", tool_calls: [call, call] })).toBe(
      `${asked}So.\n\n${calling}\n${calling}<|im_end|>\n`,
    );
    expect(text({ content: null, tool_calls: [call] })).toBe(`${asked}${calling}<|im_end|>\n`);
  });

  test("of any role are written with validate: template, in bridges, too", () => {
    const critic: Message = { role: "critic", content: "hm" };
    expect(() => renderer.render([user, critic])).toThrow(/critic/);
    expect(decoded([user, critic], lenient)).toContain("<|im_start|>critic\nhm<|im_end|>\n");
    const request = {
      promptIds: lenient.renderIds([user], { addGenerationPrompt: true }),
      completionIds: lenient.tokenizer.encode("So.<|im_end|>"),
      newMessages: [critic],
    };
    expect(lenient.bridgeToNextTurn(request).ok).toBe(true);
    expect(renderer.bridgeToNextTurn(request)).toMatchObject({ ok: false, reason: "role_not_rendered" });
  });

  test("take lists of text parts unless the template is to decide", () => {
    const parts: Message = {
      role: "user",
      content: [
        { type: "text", text: "h" },
        { type: "text", text: "i" },
      ],
    };
    expect(decoded([parts])).toBe(decoded([user]));
    expect(() => lenient.render([parts])).toThrow(/expected a string/);
    const bridge = lenient.bridgeToNextTurn({
      promptIds: lenient.renderIds([user], { addGenerationPrompt: true }),
      completionIds: lenient.tokenizer.encode("So.<|im_end|>"),
      newMessages: [parts],
    });
    expect(bridge).toMatchObject({ ok: false, reason: "content_not_rendered" });
  });
});

describe("tools", () => {
  test("bring a system text of their own, and fields in their order", () => {
    const text = decoded([user], renderer, { tools: [tool] });
    expect(text.slice(0, text.indexOf("</tools>"))).toBe(
      "<|im_start|>system\nYou are Qwen, a helpful AI assistant that can interact with a computer to solve tasks.\n\n# Tools\n\n" +
        "You have access to the following functions:\n\n<tools>\n<function>\n<name>f</name>\n<parameters>\n<parameter>\n" +
        '<name>flag</name>\n<type>boolean</type>\n<enum>["ü"]</enum>\n</parameter>\n<required>["flag"]</required>\n' +
        "<title>F</title>\n</parameters>\n</function>\n",
    );
    const rendered = renderer.render([user], { tools: [tool] });
    expect(rendered.contentMask.subarray(0, rendered.messageIndices.indexOf(0)).includes(1)).toBe(false);
  });

  test("answer in one user turn", () => {
    const answers: Message[] = [
      { role: "tool", content: "1", tool_call_id: "c" },
      { role: "tool", content: "2", tool_call_id: "d" },
    ];
    const both = [call, { ...call, id: "d" }];
    expect(decoded([user, { role: "assistant", content: "", tool_calls: both }, ...answers])).toContain(
      "<|im_start|>user\n<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response>\n<|im_end|>\n",
    );
  });
});

describe("responses", () => {
  const read = (text: string, rendering = renderer) =>
    rendering.parseResponse(rendering.tokenizer.encode(`${text}<|im_end|>`), {
      prompt: { reasoning: "closed" },
      tools: [tool],
    });

  test("are canonical where the format writes them so", () => {
    expect(read("<think>Hm.</think>\nSo.")).toMatchObject({ content: "So.", canonical: true });
    expect(read(`So.\n\n${calling}`)).toMatchObject({ content: "So.", canonical: true });
    expect(read(`<think>Hm.</think>\n${calling}`)).toMatchObject({ reasoning: { text: "Hm." }, canonical: false });
    expect(read("<think> Hm.</think>\n\nSo. ")).toMatchObject({ content: "So. ", canonical: false });
  });

  test("patched, they render again", () => {
    for (const text of [
      "<think> Hm.\n</think>\n\n So. ",
      "<think></think>",
      ` So. \n\n${calling.replace("True", "true")}`,
    ]) {
      const parsed = read(text, patched);
      expect(parsed.canonical, text).toBe(true);
      const turn = sampledTurn(patched, [user, toOpenAIMessage(parsed).message]);
      expect(patched.tokenizer.decode(turn?.completion ?? [])).toBe(`${text}<|im_end|>`);
    }
  });

  test("an open thinking block is closed after a truncation", () => {
    const bridge = renderer.bridgeToNextTurn({
      promptIds: renderer.renderIds([user], { addGenerationPrompt: true }),
      completionIds: renderer.tokenizer.encode("<think>Hm"),
      newMessages: [user],
    });
    if (!bridge.ok) throw new Error(bridge.message);
    const { tokenIds } = bridge.extension;
    expect(renderer.tokenizer.decode(tokenIds.subarray(...(bridge.synthetic ?? [])))).toBe("</think>\n<|im_end|>");
    expect(renderer.tokenizer.decode(tokenIds.subarray(bridge.synthetic?.[1]))).toBe(`\n${asked}`);
  });
});
