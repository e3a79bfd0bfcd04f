import { describe, expect, test } from "vitest";
import {
  createRenderer,
  type InklingConfigInput,
  inklingImages,
  type Message,
  type Renderer,
  TitoError,
  type ToolSpec,
} from "../../src/index.ts";
import { familyTokenizer } from "../support/families.ts";

const markers = [
  ...["user", "model", "system", "tool"].map((role) => `<|message_${role}|>`),
  ...["text", "thinking", "image", "xml", "invoke_tool_json", "invoke_tool_text", "model_end_sampling"].map(
    (kind) => `<|content_${kind}|>`,
  ),
  "<|end_message|>",
  "<|unused_200054|>",
  "<|endoftext|>",
];
const tokenizer = familyTokenizer("inkling", markers);
const inkling = (config: Omit<InklingConfigInput, "name"> = {}): Renderer =>
  createRenderer(tokenizer, { name: "inkling", ...config }, { imageProcessor: inklingImages({ rescale: null }) });
const renderer = inkling();
const ids = (text: string): number[] => Array.from(tokenizer.encode(text));

const user: Message = { role: "user", content: "hi" };
const effort = "<|message_system|><|content_text|>Thinking effort level: 0.9<|end_message|>";
const hi = "<|message_user|><|content_text|>hi<|end_message|>";
const stop = "<|content_model_end_sampling|>";
const call = (name: string, args: NonNullable<NonNullable<Message["tool_calls"]>[number]["arguments"]>) => ({
  id: "call_1",
  function: { name, arguments: args },
});
/** One white pixel. */
const image = {
  type: "image",
  image:
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
};

const textOf = (messages: readonly Message[], one = renderer, tools?: readonly ToolSpec[]): string =>
  tokenizer.decode(one.renderIds(messages, { tools }));

const read = (completion: string, one = renderer) =>
  one.parseResponse(ids(completion), { prompt: one.renderIds([user], { addGenerationPrompt: true }) });

function bridged(completion: string, newMessages: readonly Message[], one = renderer): string {
  const promptIds = one.renderIds([user], { addGenerationPrompt: true });
  const result = one.bridgeToNextTurn({ promptIds, completionIds: ids(completion), newMessages });
  return result.ok ? tokenizer.decode(result.extension.tokenIds) : result.reason;
}

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return error instanceof TitoError ? error.code : String(error);
  }
  return undefined;
}

describe("prompts", () => {
  test("the effort stands before the first message that is not the system's", () => {
    expect(textOf([user])).toBe(effort + hi);
    const system: Message = { role: "system", content: "Be kind." };
    const said = "<|message_system|><|content_text|>Be kind.<|end_message|>";
    expect(textOf([system, user])).toBe(said + effort + hi);
    expect(textOf([system])).toBe(said + effort);
    expect(textOf([user, system])).toBe(effort + hi + said);
  });

  test("an effort is a label or a number, printed as Python prints it", () => {
    const level = (reasoningEffort: InklingConfigInput["reasoningEffort"]) =>
      /level: ([^<]*)/.exec(textOf([user], inkling({ reasoningEffort })))?.[1];
    expect([level("none"), level("low"), level("max"), level(0.35), level(0.00001), level(0)]).toEqual([
      "0",
      "0.2",
      "0.99",
      "0.35",
      "1e-05",
      "0",
    ]);
  });

  test("tools are declared as sorted compact JSON", () => {
    const tools: ToolSpec[] = [
      { type: "function", function: { name: "b", description: "ü", parameters: { type: "object", properties: {} } } },
      { name: "a" },
    ];
    expect(textOf([user], renderer, tools)).toBe(
      '<|message_system|>tool_declare<|content_xml|>[{"description":"ü","name":"b","parameters":{"properties":{},' +
        '"type":"object"},"type":"function"},{"description":"","name":"a","parameters":{},"type":"function"}]' +
        `<|end_message|>${effort}${hi}`,
    );
  });

  test("each part is a block; an image is its placeholders", () => {
    const content = [{ type: "text", text: "a" }, image, { type: "text", text: "" }];
    expect(textOf([{ role: "user", content }])).toBe(
      `${effort}<|message_user|><|content_text|>a<|end_message|>` +
        "<|message_user|><|content_image|><|unused_200054|><|end_message|>" +
        "<|message_user|><|content_text|><|end_message|>",
    );
    const rendered = renderer.render([{ role: "user", content }]);
    expect(rendered.multimodal?.images).toMatchObject([{ message: 0, length: 1 }]);
    expect(rendered.tokenIds[rendered.multimodal?.images[0].offset ?? -1]).toBe(
      tokenizer.tokenToId("<|unused_200054|>"),
    );
  });

  test("what has no block is refused", () => {
    const unknown = [{ type: "thinking", thinking: "x" }];
    expect(codeOf(() => textOf([user, { role: "assistant", content: unknown }]))).toBe("unsupported_content");
    expect(codeOf(() => textOf([user, { role: "assistant", content: [image] }]))).toBe("unsupported_content");
    const called: Message = { role: "assistant", content: "", tool_calls: [call("f", {})] };
    const shot: Message = { role: "tool", tool_call_id: "call_1", content: [image] };
    expect(codeOf(() => textOf([user, called, shot]))).toBe("unsupported_content");
    expect(codeOf(() => textOf([{ role: "user", content: [{ type: "input_audio", input_audio: "x" }] }]))).toBe(
      "unsupported_content",
    );
    expect(codeOf(() => textOf([{ role: "developer", content: "x" }], inkling({ validate: "template" })))).toBe(
      "unknown_role",
    );
    const turn: Message = { role: "assistant", content: "", tool_calls: [call("f", "[1]")] };
    expect(codeOf(() => textOf([user, turn], inkling({ validate: "template" })))).toBe("invalid_arguments");
    expect(
      codeOf(() => createRenderer(tokenizer, { name: "inkling" }).renderIds([{ role: "user", content: [image] }])),
    ).toBe("image_processor_missing");
  });
});

describe("turns", () => {
  const turn: Message = {
    role: "assistant",
    content: "Yes.",
    reasoning_content: " Hm.\n",
    tool_calls: [call("look", '{"b": 1.0, "a": "ü"}')],
  };
  const said =
    "<|content_thinking|> Hm.\n<|end_message|><|message_model|><|content_text|>Yes.<|end_message|>" +
    '<|message_model|>look<|content_invoke_tool_json|>{"name":"look","args":{"a":"ü","b":1.0}}<|end_message|>';

  test("all behind the first role marker is sampled", () => {
    expect(textOf([user, turn])).toBe(`${effort}${hi}<|message_model|>${said}${stop}`);
    const { tokenIds, sampledMask } = renderer.render([user, turn]);
    expect(tokenizer.decode(tokenIds.filter((_, i) => sampledMask[i] === 1))).toBe(said + stop);
  });

  test("it reads back, arguments in the order in which the format has them", () => {
    const parsed = read(said + stop);
    expect(parsed).toMatchObject({ content: "Yes.", reasoning: { text: " Hm.\n", complete: true }, canonical: true });
    expect(parsed.toolCalls).toMatchObject([{ name: "look", argumentsText: '{"a":"ü","b":1.0}', status: "ok" }]);
  });

  test("patched: JSON text stays to the letter, and nothing said is no block", () => {
    const patched = inkling({ patched: true });
    const completion =
      "<|content_thinking|><|end_message|><|message_model|>look<|content_invoke_tool_json|>" +
      '{"name":"look","args":{"b": 1e3, "a": []}}<|end_message|>';
    expect(read(completion + stop, patched).canonical).toBe(true);
    expect(read(completion + stop).canonical).toBe(false);
    const again: Message = {
      role: "assistant",
      content: "",
      reasoning_content: "",
      tool_calls: [call("look", '{"b": 1e3, "a": []}')],
    };
    expect(textOf([user, again], patched)).toBe(`${effort}${hi}<|message_model|>${completion}${stop}`);
  });

  test("a result has the name of its call; of a list the text is kept, or nothing, as the template has it", () => {
    const result: Message = { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "21" }] };
    expect(textOf([user, turn, result])).toMatch(/<\|message_tool\|>look<\|content_text\|>21<\|end_message\|>$/);
    expect(textOf([user, turn, result], inkling({ validate: "template" }))).toMatch(
      /<\|message_tool\|>look<\|content_text\|><\|end_message\|>$/,
    );
  });
});

describe("damaged responses", () => {
  const head = "look<|content_invoke_tool_json|>";

  test("the JSON names the call, or else the header does", () => {
    expect(read(`${head}{"name":"see","args":{}}<|end_message|>${stop}`).toolCalls).toMatchObject([
      { name: "see", status: "ok" },
    ]);
    expect(read(`${head}{"args":{"a": 1}}<|end_message|>${stop}`).toolCalls).toMatchObject([
      { name: "look", arguments: { a: 1 }, status: "ok" },
    ]);
    expect(read(`${head}{"args":<|end_message|>${stop}`).toolCalls).toMatchObject([
      { name: "look", status: "invalid_json" },
    ]);
    expect(read(`${head}{"name":"look","ar`).toolCalls).toMatchObject([{ name: "look", status: "unclosed_block" }]);
    expect(read(`<|content_invoke_tool_json|>{}<|end_message|>${stop}`).toolCalls).toMatchObject([
      { name: null, status: "missing_name" },
    ]);
  });

  test("a call ends thinking that is open; the marker of a text call does not", () => {
    expect(
      read(`<|content_thinking|>Hm.<|content_invoke_tool_json|>{"name":"look"}<|end_message|>${stop}`),
    ).toMatchObject({
      reasoning: { text: "Hm.", complete: true },
      toolCalls: [{ name: "look", status: "ok" }],
    });
    expect(read(`<|content_thinking|>Hm.<|content_invoke_tool_text|>x<|end_message|>${stop}`).reasoning).toEqual({
      text: "Hm.<|content_invoke_tool_text|>x",
      complete: true,
    });
  });

  test("text without a block is content", () => {
    expect(read(`Hello.<|end_message|>${stop}`).content).toBe("Hello.");
  });
});

describe("bridge", () => {
  const called =
    '<|content_text|>Yes.<|end_message|><|message_model|>look<|content_invoke_tool_json|>{"name":"look","args":{}}<|end_message|>';
  const result: Message = { role: "tool", content: "21", tool_call_id: "call_0" };

  test("a result is named after the call that was sampled; a recorded one names itself", () => {
    expect(bridged(called + stop, [result])).toBe(
      "<|message_tool|>look<|content_text|>21<|end_message|><|message_model|>",
    );
    expect(bridged(`<|content_text|>Yes.<|end_message|>${stop}`, [result])).toBe("unresolved_tool_name");
    const template = inkling({ validate: "template" });
    expect(bridged(called + stop, [result], template)).toBe("unresolved_tool_name");
    expect(bridged(called + stop, [{ role: "tool", content: "21" }], template)).toMatch(
      /^<\|message_tool\|><\|content/,
    );
  });

  test("a turn that was cut is closed as far as it is open", () => {
    const cases: [completion: string, close: string][] = [
      ["", stop],
      ["<|content_thinking|>Hm", `<|end_message|>${stop}`],
      ["<|content_text|>Ye", `<|end_message|>${stop}`],
      ["look", `<|end_message|>${stop}`],
      [called, stop],
      [`${called}<|message_model|>`, stop],
    ];
    for (const [completion, close] of cases) expect(bridged(completion, [user])).toBe(`${close}${hi}<|message_model|>`);
    expect(bridged(`<|content_thinking|>Hm.${stop}`, [user])).toBe("unclosed_reasoning");
    expect(bridged(called + stop, [user], inkling({ thinkingRetention: "tool_cycle" }))).toBe("new_user_query");
  });
});
