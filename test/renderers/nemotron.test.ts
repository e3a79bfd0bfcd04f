import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import {
  createRenderer,
  type Message,
  type Renderer,
  type RendererConfigInput,
  type ToolSpec,
  toOpenAIMessage,
} from "../../src/index.ts";
import { sampledTurn } from "../../src/testing/index.ts";
import { familyRenderer, familyTokenizer } from "../support/families.ts";

const user: Message = { role: "user", content: "hi" };
const variants = ["nemotron-3", "nemotron-3-ultra", "nemotron-3.5"] as const;

const tool: ToolSpec = {
  type: "function",
  function: {
    name: "f",
    description: " Does f. ",
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        text: { type: "string", description: "a text\n", examples: ["ü"] },
        n: { type: ["integer", "null"], default: null, enum: [1, null] },
        flag: { type: "boolean" },
        opts: { type: "object" },
      },
      required: ["text"],
    },
    strict: true,
  },
};

const decoded = (renderer: Renderer, messages: readonly Message[], options = {}) =>
  renderer.tokenizer.decode(renderer.renderIds(messages, options));

const encoded = (renderer: Renderer, text: string) => renderer.tokenizer.encode(text);

const withCall = (args: unknown, more: Partial<Message> = {}): Message => ({
  role: "assistant",
  content: "",
  ...more,
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: args as never } }],
});

describe("nemotron-3", () => {
  const renderer = familyRenderer({ name: "nemotron-3" });

  test("lists tools in XML behind the system's text", () => {
    const text = decoded(renderer, [{ role: "system", content: "Be kind." }, user], { tools: [tool] });
    expect(text.slice(0, text.indexOf("\n\nIf you choose"))).toBe(
      "<|im_start|>system\nBe kind.\n\n# Tools\n\nYou have access to the following functions:\n\n<tools>\n<function>\n" +
        "<name>f</name>\n<description>Does f.</description>\n<parameters>\n" +
        "<parameter>\n<name>text</name>\n<type>string</type>\n<description>a text</description>\n" +
        '<examples>["ü"]</examples>\n</parameter>\n' +
        "<parameter>\n<name>n</name>\n<type>['integer', 'null']</type>\n" +
        "<enum>[1, null]</enum>\n<default>None</default>\n</parameter>\n" +
        "<parameter>\n<name>flag</name>\n<type>boolean</type>\n</parameter>\n" +
        "<parameter>\n<name>opts</name>\n<type>object</type>\n</parameter>\n" +
        '<additionalProperties>False</additionalProperties>\n<required>["text"]</required>\n' +
        "</parameters>\n<strict>True</strict>\n</function>\n</tools>",
    );
    expect(text).toContain("</IMPORTANT><|im_end|>\n<|im_start|>user\nhi<|im_end|>\n");
  });

  test("the thinking of turns before the last user message becomes an empty block", () => {
    const turn: Message = { role: "assistant", content: " So.\n", reasoning_content: "Hm.\n" };
    const turns: Message[] = [user, turn, user, turn];
    const kept = "<|im_start|>assistant\n<think>\nHm.\n\n</think>\n So.<|im_end|>\n";
    const dropped = "<|im_start|>assistant\n<think></think>\n So.<|im_end|>\n";
    const history = "<|im_start|>system\n<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n";
    const question = "<|im_start|>user\nhi<|im_end|>\n";
    expect(decoded(renderer, turns)).toBe(`${history}${dropped}${question}${kept}`);
    const keeping = familyRenderer({ name: "nemotron-3", truncateHistoryThinking: false });
    expect(decoded(keeping, turns)).toBe(`${history}${kept}${question}${kept}`);
    expect(keeping.isPrefixStable).toBe(true);
    expect(keeping.thinkingRetention).toBe("all");
  });

  test("a system message may stand anywhere; Super's stands at the beginning", () => {
    const messages: Message[] = [user, { role: "system", content: "Now in French." }, user];
    expect(decoded(renderer, messages)).toContain("<|im_start|>system\nNow in French.<|im_end|>\n");
    const superRenderer = familyRenderer({ name: "nemotron-3", readsLowEffort: true });
    expect(() => superRenderer.render(messages)).toThrow(/only at the beginning/);
  });

  test("Super's hint stands in the last user message, and no bridge follows it", () => {
    const hinting = familyRenderer({ name: "nemotron-3", readsLowEffort: true, lowEffort: true });
    const text = decoded(hinting, [user, { role: "assistant", content: "a" }, user]);
    expect(text.match(/hi(?:\n\n\{reasoning effort: low\})?<\|im_end\|>/g)).toEqual([
      "hi<|im_end|>",
      "hi\n\n{reasoning effort: low}<|im_end|>",
    ]);
    const bridge = hinting.bridgeToNextTurn({
      promptIds: encoded(hinting, "<|im_start|>assistant\n<think>\n"),
      completionIds: encoded(hinting, "Hm.\n</think>\nSo.<|im_end|>"),
      newMessages: [{ role: "tool", content: "1" }],
    });
    expect(bridge).toMatchObject({ ok: false, reason: "template_rewrites_history" });
    expect(decoded(familyRenderer({ name: "nemotron-3", lowEffort: true }), [user])).not.toContain("effort");
  });

  test("other roles have turns with validate: template only", () => {
    const messages: Message[] = [user, { role: "critic", content: "hm" }];
    expect(() => renderer.render(messages)).toThrow(/critic/);
    const lenient = familyRenderer({ name: "nemotron-3", validate: "template" });
    expect(decoded(lenient, messages)).toContain("<|im_start|>critic\nhm<|im_end|>\n");
    const strictVariant = familyRenderer({ name: "nemotron-3-ultra", validate: "template" });
    expect(() => strictVariant.render(messages)).toThrow(/critic/);
  });
});

describe.each(variants)("%s", (name) => {
  const renderer = familyRenderer({ name } as RendererConfigInput);
  const glue = name === "nemotron-3" ? "\n" : "";

  test("glues reasoning and content as the format does, and reads them back to the letter", () => {
    const message: Message = { role: "assistant", content: "  So.", reasoning_content: "\nHm.\n\n" };
    const turn = sampledTurn(renderer, [user, message]);
    expect(renderer.tokenizer.decode(turn?.completion ?? [])).toBe(`\nHm.\n\n${glue}</think>${glue}  So.<|im_end|>`);
    const parsed = renderer.parseResponse(turn?.completion ?? [], { prompt: turn?.prompt ?? [] });
    expect(parsed).toMatchObject({
      content: message.content,
      reasoning: { text: message.reasoning_content, complete: true },
      canonical: true,
    });
  });

  test.each(["  padded\n", "true", "42", "", "a\n</parameter>\nb", "</function>\n</tool_call>"])(
    "a string argument survives: %j",
    (text) => {
      const message = withCall({ text, n: null, flag: true, opts: { a: [1, null, "</parameter>"] } });
      const turn = sampledTurn(renderer, [user, message], [tool]);
      const parsed = renderer.parseResponse(turn?.completion ?? [], { prompt: turn?.prompt ?? [], tools: [tool] });
      expect(parsed.toolCalls).toMatchObject([
        { name: "f", status: "ok", arguments: message.tool_calls?.[0].function?.arguments },
      ]);
      expect(parsed.canonical).toBe(true);
    },
  );

  test("prints values as Python does, and numbers by their text", () => {
    const message = withCall('{"n": 1.0, "flag": true, "x": null, "big": 12345678901234567890, "opts": {"a": true}}');
    expect(decoded(renderer, [user, message])).toContain(
      "<think></think>\n<tool_call>\n<function=f>\n<parameter=n>\n1.0\n</parameter>\n<parameter=flag>\nTrue\n</parameter>\n" +
        "<parameter=x>\nNone\n</parameter>\n<parameter=big>\n12345678901234567890\n</parameter>\n" +
        '<parameter=opts>\n{"a": true}\n</parameter>\n</function>\n</tool_call>\n<|im_end|>\n',
    );
    const patched = familyRenderer({ name, patched: true } as RendererConfigInput);
    expect(decoded(patched, [user, message])).toContain("\n<parameter=flag>\ntrue\n</parameter>\n");
  });

  test("patched, what was sampled renders again", () => {
    const patched = familyRenderer({ name, patched: true } as RendererConfigInput);
    const prompt = patched.renderIds([user], { addGenerationPrompt: true });
    for (const text of [
      ` Hm. ${glue}</think>${glue} So. \n\n`,
      `${glue}</think>${glue}So.`,
      `Hm.${glue}</think>\n<tool_call>\n<function=f>\n<parameter=flag>\ntrue\n</parameter>\n</function>\n</tool_call>\n`,
      `Hm.${glue}</think>${glue}So. \n<tool_call>\n<function=f>\n</function>\n</tool_call>\n`,
    ]) {
      const completion = encoded(patched, `${text}<|im_end|>`);
      const parsed = patched.parseResponse(completion, { prompt, tools: [tool] });
      expect(parsed.canonical, text).toBe(true);
      const again = decoded(patched, [user, toOpenAIMessage(parsed).message]);
      expect(again).toBe(patched.tokenizer.decode([...prompt, ...completion]).concat("\n"));
    }
  });

  test.each([
    ["\n<function=f>\n<parameter=text>\nab", "unclosed_block"],
    ["\n<function=f>\nab\n</function>\n</tool_call>", "malformed_structure"],
    ["\n{}\n</tool_call>", "malformed_structure"],
    ["\n<function=>\n</function>\n</tool_call>", "missing_name"],
    ["\n<function=g>\n</function>\n</tool_call>", "unknown_tool"],
    ["\n<function=f>\n<parameter=n>\nmany\n</parameter>\n</function>\n</tool_call>", "invalid_json"],
  ])("a damaged call has a status and keeps its text: %j", (text, status) => {
    const completion = encoded(renderer, `So.\n<tool_call>${text}`);
    const parsed = renderer.parseResponse(completion, { prompt: { reasoning: "closed" }, tools: [tool] });
    expect(parsed.content).toBe("So.");
    expect(parsed.toolCalls).toMatchObject([{ status, raw: text.replace("</tool_call>", "").trim() }]);
  });

  test("a truncation inside the reasoning is closed as the format has it", () => {
    const promptIds = renderer.renderIds([user], { addGenerationPrompt: true });
    const request = {
      promptIds,
      completionIds: encoded(renderer, "Hm"),
      newMessages: [{ role: "tool", content: "1" }],
    };
    const bridge = renderer.bridgeToNextTurn(request);
    if (!bridge.ok) throw new Error(bridge.message);
    const { extension, synthetic } = bridge;
    const text = (ids: Int32Array) => renderer.tokenizer.decode(ids);
    expect(text(extension.tokenIds.subarray(...(synthetic ?? [])))).toBe(`${glue}</think>${glue}<|im_end|>`);
    expect(text(extension.tokenIds.subarray(synthetic?.[1]))).toBe(
      "\n<|im_start|>user\n<tool_response>\n1\n</tool_response>\n<|im_end|>\n<|im_start|>assistant\n<think>\n",
    );
  });

  test("a bridge ends where a user query drops the thinking, unless it is to stay", () => {
    const completionIds = encoded(renderer, `Hm.${glue}</think>${glue}So.<|im_end|>`);
    const promptIds = renderer.renderIds([user], { addGenerationPrompt: true });
    const request = { promptIds, completionIds, newMessages: [user] };
    expect(renderer.bridgeToNextTurn(request)).toMatchObject({ ok: false, reason: "new_user_query" });
    for (const config of [
      { thinkingRetention: "all" },
      { enableThinking: false },
      { truncateHistoryThinking: false },
    ]) {
      const other = familyRenderer({ name, ...config } as RendererConfigInput);
      expect(other.bridgeToNextTurn(request).ok).toBe(true);
    }
  });

  test("thinking parts are refused, and not lost", () => {
    const content = [{ type: "thinking", thinking: "Hm." } as const];
    expect(() => renderer.render([user, { role: "assistant", content }])).toThrow(/content\[0\]/);
  });

  test("a vocabulary without <|endoftext|> has one stop", () => {
    expect(renderer.stopTokenIds).toHaveLength(1);
    expect(familyRenderer({ name } as RendererConfigInput, ["<|endoftext|>"]).stopTokenIds).toHaveLength(2);
  });
});

describe("nemotron-3-ultra", () => {
  test("lists tools in ASCII, and has a hint of its own", () => {
    const renderer = familyRenderer({ name: "nemotron-3-ultra", mediumEffort: true });
    const text = decoded(renderer, [user], { tools: [tool] });
    expect(text).toContain('<examples>["\\u00fc"]</examples>');
    expect(text).toContain("hi\n\n{reasoning effort: efficient}<|im_end|>");
  });

  test("content keeps its white space behind thinking that was dropped, where calls follow", () => {
    const turn = withCall({}, { content: " So. ", reasoning_content: "Hm." });
    const call = "<tool_call>\n<function=f>\n</function>\n</tool_call>\n<|im_end|>\n";
    const answer: Message = { role: "tool", content: "1", tool_call_id: "c" };
    const text = (name: "nemotron-3" | "nemotron-3-ultra") =>
      decoded(familyRenderer({ name }), [user, turn, answer, user]);
    expect(text("nemotron-3-ultra")).toContain(`<think></think> So. \n${call}`);
    expect(text("nemotron-3")).toContain(`<think></think>So.\n${call}`);
  });
});

describe("nemotron-3.5 with images", () => {
  const markers = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>", "<image>"];
  const imageProcessor = { name: "two", process: () => ({ tokens: 2 }) };
  const build = (more: readonly string[] = []) =>
    createRenderer(familyTokenizer("", [...markers, ...more]), { name: "nemotron-3.5" }, { imageProcessor });
  const image = { type: "image", image: onePixel() } as const;
  const content = (images: number) => [
    { type: "text", text: "see " },
    ...Array.from({ length: images }, () => image),
    { type: "text", text: "?" },
  ];

  test("writes a placeholder for each token; several images of a message are numbered", () => {
    const renderer = build();
    const body = (images: number) =>
      /user\n(.*)<\|im_end\|>/.exec(decoded(renderer, [{ role: "user", content: content(images) }]))?.[1];
    expect(body(1)).toBe("see <img><image><image></img>?");
    expect(body(2)).toBe("see <image 1><img><image><image></img><image 2><img><image><image></img>?");
  });

  test("an image's place is known, and its markers are tokens where the vocabulary has them", () => {
    const renderer = build(["<img>", "</img>"]);
    const rendered = renderer.render([{ role: "user", content: content(1) }]);
    const [{ offset, length }] = rendered.multimodal?.images ?? [];
    const id = (text: string) => renderer.tokenizer.tokenToId(text);
    expect(Array.from(rendered.tokenIds.subarray(offset - 1, offset + length + 1))).toEqual([
      id("<img>"),
      id("<image>"),
      id("<image>"),
      id("</img>"),
    ]);
  });

  test("a typed <image> stays text", () => {
    const renderer = build();
    const rendered = renderer.renderIds([{ role: "user", content: "<image>" }]);
    expect(rendered.includes(renderer.tokenizer.tokenToId("<image>") ?? -1)).toBe(false);
  });

  test("a bridge refuses images", () => {
    const renderer = build();
    const promptIds = renderer.renderIds([user], { addGenerationPrompt: true });
    const completionIds = encoded(renderer, "</think>So.<|im_end|>");
    const bridge = (one: Message) => renderer.bridgeToNextTurn({ promptIds, completionIds, newMessages: [one] });
    expect(bridge({ role: "tool", content: content(1) })).toMatchObject({ ok: false, reason: "content_not_rendered" });
    expect(bridge({ role: "tool", content: content(0) }).ok).toBe(true);
  });
});

/** A PNG of one pixel. */
function onePixel(): string {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNg+M8AAAICAQB7CYF4AAAAAElFTkSuQmCC";
  return `data:image/png;base64,${Buffer.from(png, "base64").toString("base64")}`;
}
