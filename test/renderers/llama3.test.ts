import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createRenderer,
  type Message,
  type ParserEvent,
  type ParserState,
  type RendererConfigInput,
  type TitoError,
  type ToolSpec,
} from "../../src/index.ts";
import { sampledTurn, texts } from "../../src/testing/index.ts";
import { familyRenderer } from "../support/families.ts";

const llama = familyRenderer({ name: "llama-3" });
const { tokenizer } = llama;
const llamaWith = (config: object) => createRenderer(tokenizer, { name: "llama-3", ...config } as RendererConfigInput);
const patched = llamaWith({ patched: true });

const user: Message = { role: "user", content: "hi" };
const prompt = llama.renderIds([user], { addGenerationPrompt: true });
const tools: ToolSpec[] = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
const asks = (args: string | Record<string, unknown>): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [{ function: { name: "f", arguments: args as string } }],
});

const parse = (text: string) => llama.parseResponse(tokenizer.encode(text), { prompt, tools });
const text = (messages: Message[], options: { tools?: ToolSpec[]; config?: object } = {}) =>
  tokenizer.decode(llamaWith(options.config ?? {}).renderIds(messages, { tools: options.tools, orphanResults: true }));
const sampled = (renderer: typeof llama, message: Message) =>
  tokenizer.decode(sampledTurn(renderer, [user, message])?.completion ?? []);
const code = (run: () => unknown): string => {
  try {
    run();
    return "none";
  } catch (error) {
    return (error as TitoError).code;
  }
};

describe("a response that begins with a brace", () => {
  const braced = fc.oneof(
    texts().map((one) => `{${one}`),
    fc.json().map((one) => `{"parameters": ${one}}`),
    fc.tuple(texts(), fc.json()).map(([name, args]) => `{"name": ${JSON.stringify(name)}, "parameters": ${args}}`),
  );
  const cuts = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 });

  test("is one call if it names a function, and else content to the letter, however it is cut", () => {
    fc.assert(
      fc.property(fc.constantFrom("", " ", "\n\n"), braced, fc.boolean(), cuts, (space, body, stops, lengths) => {
        const whole = tokenizer.normalize(space + body);
        const ids = [...tokenizer.encode(whole, { addedTokens: "plain" }), ...(stops ? [llama.stopTokenIds[0]] : [])];
        const events: ParserEvent[] = [];
        let state: ParserState | undefined;
        let at = 0;
        for (const length of [...lengths, ids.length]) {
          const parser = llama.parser({ prompt, state });
          events.push(...parser.push(ids.slice(at, at + length)));
          state = JSON.parse(JSON.stringify(parser.state)) as ParserState;
          at += length;
        }
        const last = llama.parser({ prompt, state }).end();
        events.push(...last.events);
        const { content, toolCalls } = last.response;
        const said = events.map((event) => (event.kind === "content" ? event.text : "")).join("");
        expect(said).toBe(content);
        expect(content + toolCalls.map((call) => call.raw).join("")).toBe(toolCalls.length > 0 ? whole.trim() : whole);
        expect(toolCalls).toHaveLength(names(body) ? 1 : 0);
        expect(events.filter((event) => event.kind === "toolCallEnd")).toHaveLength(toolCalls.length);
      }),
    );
  });

  function names(body: string): boolean {
    try {
      const { name } = JSON.parse(tokenizer.normalize(body)) as { name?: unknown };
      return typeof name === "string" && name !== "";
    } catch {
      return false;
    }
  }

  test("is reported when it is over, content at once", () => {
    const parser = llama.parser({ prompt });
    expect(parser.push(tokenizer.encode('\n{"name": "f", "parameters": {}}'))).toEqual([]);
    expect(parser.push([llama.stopTokenIds[0]]).map((event) => event.kind)).toEqual([
      "toolCallStart",
      "toolCallDelta",
      "toolCallEnd",
      "stop",
    ]);
    const other = llama.parser({ prompt });
    expect(other.push(tokenizer.encode(" I say {"))).toEqual([{ kind: "content", text: " I say {" }]);
  });

  test.each([
    ['{"name": "f", "parameters": {"a": 1.0}}', "ok", '{"a": 1.0}', true],
    [' {"name":"f","parameters":{"a":1}}\n', "ok", '{"a":1}', false],
    ['{"name": "f", "arguments": {"a": 1}}', "ok", '{"a": 1}', false],
    ['{"name": "f"}', "ok", "{}", false],
    ['{"name": "g", "parameters": {}}', "unknown_tool", "{}", true],
    ['{"name": "f", "parameters": [1]}', "malformed_structure", "[1]", true],
  ])("%s is a call", (completion, status, argumentsText, canonical) => {
    const parsed = parse(`${completion}<|eot_id|>`);
    expect(parsed).toMatchObject({ content: "", reasoning: null, canonical, toolCalls: [{ status, argumentsText }] });
    expect(parsed.toolCalls[0].tokenSpan).toEqual([0, tokenizer.encode(completion).length]);
  });

  test.each([
    '{"name": "", "parameters": {}}',
    '{"name": 1}',
    '{"name": "f", "parameters": {"a":',
    "{}",
    '{"name": "f"} x',
  ])("%s is content", (completion) => {
    expect(parse(`${completion}<|eot_id|>`)).toMatchObject({ content: completion, toolCalls: [], canonical: true });
  });

  test("a state of another format is refused", () => {
    const state = { ...llama.parser({ prompt }).state, kind: "tagged" } as ParserState;
    expect(code(() => llama.parser({ prompt, state }))).toBe("invalid_state");
  });
});

describe("llama-3", () => {
  const header = (role: string) => `<|start_header_id|>${role}<|end_header_id|>\n\n`;
  const system = (more = "", before = "") =>
    `<|begin_of_text|>${header("system")}${before}Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n${more}<|eot_id|>`;

  test("has a system block, and trims what is said", () => {
    expect(
      text([
        { role: "system", content: " S\n" },
        { role: "user", content: "\n q " },
      ]),
    ).toBe(`${system("S")}${header("user")}q<|eot_id|>`);
    expect(text([user], { config: { dateString: "01 Jan 2026" } })).toContain("Today Date: 01 Jan 2026\n\n<|eot_id|>");
  });

  test("tools stand in the first user message, or in the system block", () => {
    const printed = JSON.stringify(tools[0], null, 4);
    const inUser = text([user], { tools });
    expect(inUser.startsWith(`${system("", "Environment: ipython\n")}${header("user")}Given the following`)).toBe(true);
    expect(inUser.endsWith(`Do not use variables.\n\n${printed}\n\nhi<|eot_id|>`)).toBe(true);
    const inSystem = text([user], { tools, config: { toolsInUserMessage: false } });
    expect(inSystem).toContain(`Do not use variables.\n\n${printed}\n\n<|eot_id|>${header("user")}hi<|eot_id|>`);
    expect(text([user], { tools: [] })).toContain("Do not use variables.\n\nhi<|eot_id|>");
  });

  test("results are JSON", () => {
    const result = (content: NonNullable<Message["content"]> | null) =>
      text([user, asks({}), { role: "tool", content }], { config: { validate: "template" } }).split(
        header("ipython"),
      )[1];
    expect(result('a "b"\nü')).toBe('"a \\"b\\"\\nü"<|eot_id|>');
    expect(result([{ type: "text", text: "x" }])).toBe('[{"type": "text", "text": "x"}]<|eot_id|>');
    expect(result(null)).toBe("None<|eot_id|>");
  });

  test("arguments that come as text are printed anew, unless patched", () => {
    const compact = asks('{"a":1.0,"b":[1e16]}');
    expect(sampled(llama, compact)).toBe('{"name": "f", "parameters": {"a": 1.0, "b": [1e+16]}}<|eot_id|>');
    expect(sampled(patched, compact)).toBe('{"name": "f", "parameters": {"a":1.0,"b":[1e16]}}<|eot_id|>');
    const turn = sampledTurn(patched, [user, compact]);
    expect(patched.parseResponse(turn?.completion ?? [], { prompt })).toMatchObject({ canonical: true });
    expect(llama.parseResponse(turn?.completion ?? [], { prompt })).toMatchObject({ canonical: false });
  });

  test("white space around content is the model's when patched", () => {
    const answer: Message = { role: "assistant", content: " yes\n" };
    expect(sampled(llama, answer)).toBe("yes<|eot_id|>");
    expect(sampled(patched, answer)).toBe(" yes\n<|eot_id|>");
    expect(parse(" yes\n<|eot_id|>")).toMatchObject({ content: " yes\n", canonical: false });
  });

  test("what the format has no place for is refused", () => {
    const two: Message = {
      role: "assistant",
      content: "",
      tool_calls: [0, 1].flatMap(() => asks("{}").tool_calls ?? []),
    };
    expect(code(() => llama.render([user, two]))).toBe("invalid_message");
    expect(code(() => llama.render([{ role: "assistant", content: "x" }, user], { tools }))).toBe("invalid_message");
    expect(code(() => llama.render([{ role: "system", content: "x" }], { tools }))).toBe("invalid_message");
    expect(
      code(() => llamaWith({ toolsInUserMessage: false }).render([{ role: "system", content: "x" }], { tools })),
    ).toBe("none");
  });

  test.each([
    ['{"name": "f", "parameters": {"a": ', "<|eot_id|>"],
    ['{"name": "f", "parameters": {}}<|eot_id|>', ""],
    ['{"name": "f", "parameters": {}}<|eom_id|>', ""],
  ])("a bridge after %s", (completion, close) => {
    const made = llama.bridgeToNextTurn({
      promptIds: prompt,
      completionIds: tokenizer.encode(completion),
      newMessages: [{ role: "tool", content: "5" }, user],
      tools,
    });
    if (!made.ok) throw new Error(made.reason);
    expect(tokenizer.decode(made.extension.tokenIds)).toBe(
      `${close}${header("ipython")}"5"<|eot_id|>${header("user")}hi<|eot_id|>${header("assistant")}`,
    );
    expect(made.synthetic).toEqual(close === "" ? null : [0, 1]);
  });
});
