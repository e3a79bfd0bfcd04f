import { describe, expect, test } from "vitest";
import { bridgeToNextTurn } from "../../src/bridge/index.ts";
import { imageResolver } from "../../src/images/index.ts";
import {
  createRenderer,
  type ErrorCode,
  type Message,
  type Qwen3Config,
  TitoError,
  type Tokenizer,
} from "../../src/index.ts";
import { parserFactory } from "../../src/parse/index.ts";
import { qwen3 as family } from "../../src/renderers/qwen3.ts";
import { qwen3, tokenizer } from "../support/qwen3.ts";

const renderer = qwen3();

function thrown(work: () => unknown): TitoError {
  try {
    work();
  } catch (error) {
    if (error instanceof TitoError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const user: Message = { role: "user", content: "hi" };
const calls = (args: unknown): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id: "a", function: { name: "f", arguments: args as string } }],
});

describe("messages", () => {
  test.each<[string, Message[], ErrorCode, RegExp]>([
    ["no messages", [], "empty_messages", /at least one/],
    ["an unknown role", [user, { role: "critic", content: "x" }], "unknown_role", /messages\[1\]\.role.*critic/],
    [
      "a role the family has no place for",
      [{ role: "developer", content: "x" }, user],
      "unknown_role",
      /messages\[0\]\.role.*developer/,
    ],
    ["a tool result without a call", [user, { role: "tool", content: "x" }], "orphan_tool_result", /messages\[1\]/],
    [
      "a tool result of another call",
      [user, calls("{}"), { role: "tool", content: "x", tool_call_id: "b" }],
      "orphan_tool_result",
      /"b".*"a"/,
    ],
    [
      "arguments that are no JSON",
      [user, calls('{"a": ')],
      "invalid_arguments",
      /messages\[1\]\.tool_calls\[0\]\.function\.arguments/,
    ],
    ["arguments that are no object", [user, calls("[1]")], "invalid_arguments", /arguments/],
    ["content that is no text", [{ role: "user", content: 5 as never }], "invalid_message", /messages\[0\]\.content/],
  ])("%s", (_, messages, code, sentence) => {
    const error = thrown(() => renderer.render(messages));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(sentence);
  });

  test("a tool without a name", () => {
    expect(thrown(() => renderer.render([user], { tools: [{ description: "x" } as never] })).code).toBe("invalid_tool");
  });

  test("with validate: template, what the template takes passes", () => {
    const lenient = qwen3({ validate: "template" });
    expect(lenient.renderIds([user, { role: "critic", content: "x" }])).toEqual(renderer.renderIds([user]));
    expect(tokenizer.decode(lenient.renderIds([user, calls('{"a": ')]))).toContain('"arguments": {"a": }');
    expect(thrown(() => lenient.render([])).code).toBe("empty_messages");
  });

  test("new messages of a bridge are checked as those of a render, but for calls that lie in the history", () => {
    const request = { promptIds: [1], completionIds: [renderer.stopTokenIds[0]] };
    const bridge = (newMessages: Message[]) => renderer.bridgeToNextTurn({ ...request, newMessages });
    expect(bridge([{ role: "tool", content: "x", tool_call_id: "call_7" }]).ok).toBe(true);
    expect(thrown(() => bridge([{ role: "tool", content: 5 as never }])).code).toBe("invalid_message");
  });
});

describe("refusals are values", () => {
  const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
  const stop = renderer.stopTokenIds[0];
  const tool: Message = { role: "tool", content: "x" };
  test.each<[string, Parameters<typeof renderer.bridgeToNextTurn>[0], string]>([
    ["empty prompt", { promptIds: [], completionIds: [stop], newMessages: [tool] }, "empty_prompt"],
    ["no new messages", { promptIds: prompt, completionIds: [stop], newMessages: [] }, "no_new_messages"],
    [
      "an assistant among them",
      { promptIds: prompt, completionIds: [stop], newMessages: [tool, { role: "assistant", content: "x" }] },
      "assistant_in_new_messages",
    ],
    [
      "a role without a place",
      { promptIds: prompt, completionIds: [stop], newMessages: [{ role: "developer", content: "x" }] },
      "role_not_rendered",
    ],
    [
      "a stop inside reasoning",
      { promptIds: prompt, completionIds: [...tokenizer.encode("<think>\nhm"), stop], newMessages: [tool] },
      "unclosed_reasoning",
    ],
    ["a user query", { promptIds: prompt, completionIds: [stop], newMessages: [tool, user] }, "new_user_query"],
    ["ids after the stop", { promptIds: prompt, completionIds: [stop, 1], newMessages: [tool] }, "tokens_after_stop"],
  ])("%s", (_, request, reason) => {
    const result = renderer.bridgeToNextTurn(request);
    expect(result).toMatchObject({ ok: false, reason });
    expect(!result.ok && result.message.length).toBeGreaterThan(20);
  });

  test("a template that rewrites history", () => {
    const config = renderer.config as Qwen3Config;
    const format = family.bind(tokenizer, config);
    const resolver = () => imageResolver({});
    const context = { ...config, tokenizer, format, parsers: parserFactory(format.grammar, tokenizer), resolver };
    const request = { promptIds: prompt, completionIds: [stop], newMessages: [tool] };
    expect(bridgeToNextTurn({ ...context, retention: () => "template" }, request)).toMatchObject({
      reason: "template_rewrites_history",
    });
    expect(bridgeToNextTurn({ ...context, retention: () => "all" }, request).ok).toBe(true);
  });

  test("the format's own separator after a stop is no refusal, and is not repeated", () => {
    const newline = tokenizer.encode("\n");
    const clean = renderer.bridgeToNextTurn({ promptIds: prompt, completionIds: [stop], newMessages: [tool] });
    const after = renderer.bridgeToNextTurn({
      promptIds: prompt,
      completionIds: [stop, ...newline],
      newMessages: [tool],
    });
    if (!clean.ok || !after.ok) throw new Error("refused");
    expect([...newline, ...after.extension.tokenIds]).toEqual(Array.from(clean.extension.tokenIds));
  });

  test("a user message that is a tool's response is no query; with thinkingRetention all no user message is", () => {
    const response: Message = { role: "user", content: "<tool_response>\nx\n</tool_response>" };
    const bridge = (rendering: typeof renderer, message: Message) =>
      rendering.bridgeToNextTurn({ promptIds: prompt, completionIds: [stop], newMessages: [message] }).ok;
    expect(bridge(renderer, response)).toBe(true);
    expect(bridge(renderer, user)).toBe(false);
    expect(bridge(qwen3({ thinkingRetention: "all" }), user)).toBe(true);
    expect(bridge(qwen3({ enableThinking: false }), user)).toBe(true);
    expect(bridge(qwen3({ enableThinking: false, thinkingRetention: "tool_cycle" }), user)).toBe(false);
  });
});

describe("construction", () => {
  const named = (nameOrPath: string | undefined): Tokenizer =>
    new Proxy(tokenizer, {
      get: (target, key) => {
        if (key === "nameOrPath") return nameOrPath;
        const value = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });

  test("by exact name, with template variables", () => {
    expect(createRenderer(named("Qwen/Qwen3-8B")).config).toMatchObject({ name: "qwen3", enableThinking: true });
    expect(
      createRenderer(named("Qwen/Qwen3-8B"), undefined, { chatTemplateKwargs: { enable_thinking: false } })
        .thinkingRetention,
    ).toBe("all");
  });

  test.each<[string, string | undefined]>([
    ["an unknown model", "acme/x"],
    ["another case of a known name", "qwen/qwen3-8b"],
    ["no name at all", undefined],
  ])("%s is rendered by its own template", (_, name) => {
    const built = createRenderer(named(name));
    expect(built.config.name).toBe("default");
    expect(built.templateSource).toBe("gguf");
    expect(createRenderer(named("Qwen/Qwen3-8B")).templateSource).toBeNull();
  });

  test.each<[string, () => unknown, ErrorCode, RegExp]>([
    [
      "a vocabulary of another family",
      () => createRenderer(named("openai/gpt-oss-20b")),
      "token_missing",
      /<\|start\|>/,
    ],
    [
      "template variables of a family for the default renderer's own fields",
      () => createRenderer(tokenizer, { name: "default", enableThinking: false } as never),
      "invalid_config",
      /enableThinking.*default|default.*enableThinking/,
    ],
    [
      "an unknown field",
      () => createRenderer(tokenizer, { name: "qwen3", addVisionId: true } as never),
      "invalid_config",
      /addVisionId.*qwen3|qwen3.*addVisionId/,
    ],
    [
      "a field of the wrong type",
      () => createRenderer(tokenizer, { name: "qwen3", enableThinking: "yes" } as never),
      "invalid_config",
      /enableThinking/,
    ],
    [
      "an unknown template variable",
      () => createRenderer(tokenizer, { name: "qwen3" }, { chatTemplateKwargs: { foo: 1 } }),
      "invalid_config",
      /foo.*enable_thinking/,
    ],
  ])("%s", (_, work, code, sentence) => {
    const error = thrown(work);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(sentence);
  });

  test("a vocabulary without the format's markers", () => {
    const bare = new Proxy(tokenizer, {
      get: (target, key) =>
        key === "tokenToId"
          ? (token: string) => (token === "<|im_end|>" ? undefined : target.tokenToId(token))
          : Reflect.get(target, key, target),
    });
    const error = thrown(() => createRenderer(bare, { name: "qwen3" }));
    expect(error.code).toBe("token_missing");
    expect(error.message).toMatch(/<\|im_end\|>/);
    expect(error.message).not.toMatch(/<\|im_start\|>/);
  });
});

test("a completion of ids that no vocabulary has ends in a response", () => {
  const parsed = renderer.parseResponse([-1, 2 ** 30, 42, Number.NaN], { prompt: { reasoning: "closed" } });
  expect(parsed.content).toMatch(/\uFFFD\uFFFD/);
  expect(parsed.canonical).toBe(false);
});
