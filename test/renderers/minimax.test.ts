import { describe, expect, test } from "vitest";
import type { Message, RendererConfigInput, ToolSpec } from "../../src/index.ts";
import { familyRenderer } from "../support/families.ts";

const minimax = (config: Partial<RendererConfigInput> = {}) =>
  familyRenderer({ name: "minimax-m2", ...config } as RendererConfigInput);
const renderer = minimax();
const { tokenizer } = renderer;
const user: Message = { role: "user", content: "hi" };
const encode = (text: string) => tokenizer.encode(text);
const textOf = (messages: readonly Message[], config?: Partial<RendererConfigInput>) =>
  tokenizer.decode(minimax(config).renderIds(messages));
const parse = (text: string, reasoning: "open" | "closed" = "closed", tools?: readonly ToolSpec[]) =>
  renderer.parseResponse(encode(text), { prompt: { reasoning }, tools });

const section = (...invokes: string[]) =>
  `\n<minimax:tool_call>\n${invokes.map((one) => `${one}\n`).join("")}</minimax:tool_call>[e~[`;
const invoke = (name: string, ...parameters: [key: string, text: string][]) =>
  `<invoke name="${name}">\n${parameters.map(([key, text]) => `<parameter name="${key}">${text}</parameter>\n`).join("")}</invoke>`;
const call = (args: unknown): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id: "a", function: { name: "f", arguments: args as string } }],
});

describe("prompt", () => {
  test("names the model where no system text does", () => {
    expect(textOf([user])).toBe(
      "]~!b[]~b]system\nYou are a helpful assistant. Your name is MiniMax-M2.5 and is built by MiniMax.[e~[\n" +
        "]~b]user\nhi[e~[\n",
    );
    const silent: Message = { role: "system", content: "" };
    expect(textOf([silent, user], { modelIdentity: "I." } as RendererConfigInput)).toContain("system\nI.[e~[");
  });

  test("prints date and place of the system message", () => {
    const system = { role: "system", content: "S", current_date: "2026-01-02", current_location: "Bern" };
    expect(textOf([system, user])).toContain(
      "system\nS\nCurrent date: 2026-01-02\nCurrent location: Bern[e~[\n]~b]user",
    );
  });

  test("refuses a system message after the first, and leaves it out as the template does", () => {
    const messages: Message[] = [user, { role: "system", content: "later" }];
    expect(() => textOf(messages)).toThrow(/only at the beginning/);
    expect(textOf(messages, { validate: "template" })).toBe(textOf([user]));
  });

  test("parts of a result are responses of their own", () => {
    const result: Message = {
      role: "tool",
      tool_call_id: "a",
      content: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
    };
    expect(textOf([user, call({}), result, { role: "tool", tool_call_id: "a", content: "three" }])).toContain(
      "]~b]tool\n<response>one\n</response>\n<response>two\n</response>\n<response>three</response>[e~[\n",
    );
  });

  test("a token that a result shares with its tag is content", () => {
    const result: Message = { role: "tool", tool_call_id: "a", content: "=1" };
    const { tokenIds, contentMask, messageIndices } = renderer.render([user, call({}), result]);
    const body = Array.from(tokenIds).filter((_, at) => contentMask[at] === 1 && messageIndices[at] === 2);
    expect(tokenizer.decode(body)).toContain("=1");
  });
});

describe("thinking", () => {
  const thought: Message = { role: "assistant", content: "yes", reasoning_content: "so" };

  test("stays after the last user message only", () => {
    const text = textOf([user, thought, user, thought]);
    expect(text.match(/<think>\nso\n<\/think>\n\nyes/g)).toHaveLength(1);
    expect(text.endsWith("<think>\nso\n</think>\n\nyes[e~[\n")).toBe(true);
  });

  test("empty thinking has no block, patched it has", () => {
    const empty: Message = { ...thought, reasoning_content: "" };
    expect(textOf([user, empty])).toContain("]~b]ai\nyes[e~[");
    expect(textOf([user, empty], { patched: true })).toContain("]~b]ai\n<think>\n\n</think>\n\nyes[e~[");
  });

  test("content that is null is the template's None, patched it is nothing", () => {
    const silent: Message = { ...call({}), content: null };
    expect(textOf([user, silent])).toContain("]~b]ai\nNone\n<minimax:tool_call>");
    expect(textOf([user, silent], { patched: true })).toContain("]~b]ai\n\n<minimax:tool_call>");
  });

  test("a bridge to a new query is refused, unless the history shall stay", () => {
    const request = {
      promptIds: renderer.renderIds([user], { addGenerationPrompt: true }),
      completionIds: encode("so\n</think>\n\nyes[e~["),
      newMessages: [user],
    };
    expect(renderer.bridgeToNextTurn(request)).toMatchObject({ ok: false, reason: "new_user_query" });
    const kept = minimax({ thinkingRetention: "all" }).bridgeToNextTurn(request);
    expect(kept.ok && tokenizer.decode(kept.extension.tokenIds)).toBe("\n]~b]user\nhi[e~[\n]~b]ai\n<think>\n");
  });

  test("a truncation is closed", () => {
    const bridge = renderer.bridgeToNextTurn({
      promptIds: renderer.renderIds([user], { addGenerationPrompt: true }),
      completionIds: encode("so I"),
      newMessages: [{ role: "tool", content: "x" }],
    });
    expect(bridge.ok && tokenizer.decode(bridge.extension.tokenIds)).toBe(
      "\n</think>\n\n[e~[\n]~b]tool\n<response>x</response>[e~[\n]~b]ai\n<think>\n",
    );
  });
});

describe("calls", () => {
  test.each([
    ["edges", " \n x\n\n"],
    ["a closing tag", "a</parameter>b"],
    ["a closing tag and white space", "a</parameter>\n b"],
    ["an opening tag", '<parameter name="x">'],
    ["the call's end", "a</invoke>\nb"],
    ["the call's end before another's head", 'a</invoke>\n<invoke name="g"> b'],
    ["the section's end", "a</minimax:tool_call>\nb"],
  ])("a value survives: %s", (_, value) => {
    const parsed = parse(`ok${section(invoke("f", ["a", value], ["b", "2"]), invoke("g"))}`);
    expect(parsed.toolCalls).toMatchObject([
      { name: "f", arguments: { a: value, b: 2 } },
      { name: "g", arguments: {}, status: "ok" },
    ]);
    expect(parsed.canonical).toBe(true);
  });

  test("a parameter without its end spoils its own call only", () => {
    const broken = '<invoke name="f">\n<parameter name="a">1\n</invoke>';
    const parsed = parse(section(broken, invoke("g", ["b", "x"])));
    expect(parsed.toolCalls).toMatchObject([
      { name: "f", status: "malformed_structure", raw: 'f">\n<parameter name="a">1' },
      { name: "g", arguments: { b: "x" }, status: "ok" },
    ]);
  });

  test.each([
    ["no head", "<invoke>\n</invoke>", { name: null, status: "malformed_structure" }],
    [
      "text between parameters",
      '<invoke name="f">\nwell\n</invoke>',
      { name: "f", status: "malformed_structure", raw: 'f">\nwell' },
    ],
    [
      "white space between them",
      '<invoke name="f"> <parameter name="a">1</parameter> </invoke>',
      { arguments: { a: 1 } },
    ],
    ["no name", '<invoke name="">\n</invoke>', { name: null, status: "missing_name" }],
  ])("%s", (_, text, reading) => {
    expect(parse(section(text)).toolCalls).toMatchObject([reading]);
  });

  test.each([
    ["inside the head", '\n<minimax:tool_call>\n<invoke name="f', ["unclosed_block"]],
    ["inside a value", '\n<minimax:tool_call>\n<invoke name="f">\n<parameter name="a">1', ["unclosed_block"]],
    ["before the first call", "\n<minimax:tool_call>\n<inv", ["unclosed_block"]],
    ["after a call", `\n<minimax:tool_call>\n${invoke("f")}\n`, ["ok"]],
  ])("cut %s", (_, text, statuses) => {
    expect(parse(`ok${text}`).toolCalls.map(({ status }) => status)).toEqual(statuses);
  });

  test("values are typed by the tool's schema", () => {
    const tool: ToolSpec = {
      name: "f",
      parameters: {
        type: "object",
        properties: { s: { type: "string" }, n: { type: "number" }, o: { type: "object" } },
      },
    };
    const text = section(invoke("f", ["s", "true"], ["n", "1e16"], ["o", '{"k": 1.0}']));
    expect(parse(text, "closed", [tool]).toolCalls).toMatchObject([
      { status: "ok", argumentsText: '{"s": "true", "n": 1e16, "o": {"k": 1.0}}' },
    ]);
    expect(parse(text).toolCalls[0].status).toBe("ambiguous_arguments");
  });

  test("a number's text is kept when it renders patched", () => {
    const text = section(invoke("f", ["n", "1e16"]));
    expect(parse(`ok${text}`).canonical).toBe(false);
    const patched = minimax({ patched: true }).parseResponse(encode(`ok${text}`), { prompt: { reasoning: "closed" } });
    expect(patched.canonical).toBe(true);
  });

  test("a call ends reasoning that never closes", () => {
    expect(parse(`so${section(invoke("f"))}`, "open")).toMatchObject({
      reasoning: { text: "so", complete: true },
      toolCalls: [{ name: "f" }],
    });
  });

  test("arguments that are no object are none", () => {
    expect(textOf([user, call("[1")], { validate: "template" })).toContain(`${invoke("f")}\n</minimax:tool_call>[e~[`);
  });
});
