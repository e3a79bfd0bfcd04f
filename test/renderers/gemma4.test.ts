import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BridgeRequest,
  type Message,
  type Renderer,
  type RendererConfigInput,
  TitoError,
  type ToolSpec,
  toOpenAIMessage,
} from "../../src/index.ts";
import { images, results, sampledTurn, texts, turns } from "../../src/testing/index.ts";
import { familyRenderer } from "../support/families.ts";

type Config = Partial<Extract<RendererConfigInput, { readonly name: "gemma4" }>>;

const gemma4 = (config: Config = {}) => familyRenderer({ name: "gemma4", ...config });
const renderer = gemma4();
const thinking = gemma4({ enableThinking: true });
const prefilling = gemma4({ prefillEmptyThought: true });
const patched = gemma4({ patched: true });

const user: Message = { role: "user", content: "hi" };
const called = (args: unknown, more: Partial<Message> = {}): Message => ({
  role: "assistant",
  content: "",
  ...more,
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: args as never } }],
});
const result = (content: unknown, more: Partial<Message> = {}): Message => ({
  role: "tool",
  tool_call_id: "c",
  ...more,
  content: content as string,
});

const encode = ({ tokenizer }: Renderer, text: string) => tokenizer.encode(text);
const decoded = (one: Renderer, messages: readonly Message[], addGenerationPrompt = false, tools?: ToolSpec[]) =>
  one.tokenizer.decode(one.renderIds(messages, { addGenerationPrompt, tools }));
const parse = (text: string, reasoning: "open" | "closed" = "closed", one = renderer) =>
  one.parseResponse(encode(one, text), { prompt: { reasoning } });

/** What a bridge adds, as text, or why it refuses. */
function bridged(
  one: Renderer,
  completion: string,
  newMessages: readonly Message[],
  prompt = decoded(one, [user], true),
) {
  const request: BridgeRequest = {
    promptIds: encode(one, prompt),
    completionIds: encode(one, completion),
    newMessages,
  };
  const bridge = one.bridgeToNextTurn(request);
  return bridge.ok ? one.tokenizer.decode(bridge.extension.tokenIds) : bridge.reason;
}

describe("rendering", () => {
  test("declares tools in its own manner", () => {
    const tool: ToolSpec = {
      type: "function",
      function: {
        name: "f",
        description: "Does f.",
        parameters: {
          type: "object",
          required: ["where"],
          properties: {
            where: { type: "string", description: "A place", enum: ["a", "b"] },
            Days: { type: "array", nullable: true, items: { type: ["integer", "null"], minimum: 1, default: null } },
            opts: { type: "object", properties: { z: { type: "number" } }, required: ["z"] },
            any: { type: "object", additionalProperties: false },
            untyped: {},
          },
        },
        response: { type: "object", description: "What f gives" },
      },
    };
    const q = '<|"|>';
    expect(decoded(renderer, [{ role: "system", content: " Be kind.\n" }], false, [tool])).toBe(
      `<bos><|turn>system\nBe kind.<|tool>declaration:f{description:${q}Does f.${q},parameters:{properties:{` +
        `any:{properties:{additionalProperties:{type:${q}${q}}},type:${q}OBJECT${q}},` +
        `Days:{items:{minimum:1,type:[${q}INTEGER${q},${q}NULL${q}]},nullable:true,type:${q}ARRAY${q}},` +
        `opts:{properties:{z:{type:${q}NUMBER${q}}},required:[${q}z${q}],type:${q}OBJECT${q}},untyped:{type:${q}${q}},` +
        `where:{description:${q}A place${q},enum:[${q}a${q},${q}b${q}],type:${q}STRING${q}}},required:[${q}where${q}],` +
        `type:${q}OBJECT${q}},response:{description:${q}What f gives${q},type:${q}OBJECT${q}}}<tool|><turn|>\n`,
    );
  });

  test("puts results into the model's turn, which goes on behind them", () => {
    const cycle = [user, called({ b: "x", A: [1, null] }, { reasoning_content: "hm" }), result("21 °C")];
    expect(decoded(thinking, [...cycle, { role: "assistant", content: "Done.", reasoning_content: "so" }])).toBe(
      "<bos><|turn>system\n<|think|>\n<turn|>\n<|turn>user\nhi<turn|>\n<|turn>model\n<|channel>thought\nhm\n<channel|>" +
        '<|tool_call>call:f{A:[1,null],b:<|"|>x<|"|>}<tool_call|>' +
        '<|tool_response>response:f{value:<|"|>21 °C<|"|>}<tool_response|>' +
        "<|channel>thought\nso\n<channel|>Done.<turn|>\n",
    );
    expect(decoded(thinking, cycle, true).endsWith('°C<|"|>}<tool_response|><|channel>thought\n')).toBe(true);
    expect(decoded(renderer, cycle, true).endsWith("<tool_response|>")).toBe(true);
    expect(decoded(renderer, cycle.slice(0, 2), true).endsWith("<tool_call|><|tool_response>")).toBe(true);
    expect(decoded(renderer, [...cycle, user]).endsWith("<tool_response|><turn|>\n<|turn>user\nhi<turn|>\n")).toBe(
      true,
    );
  });

  test("words of a turn with calls stand behind the results, patched before them", () => {
    const cycle = [user, called({}, { content: " Wait. " }), result("ok")];
    const answer = 'response:f{value:<|"|>ok<|"|>}<tool_response|>';
    expect(decoded(renderer, cycle)).toContain(`<tool_call|><|tool_response>${answer}Wait.<turn|>\n`);
    expect(decoded(patched, cycle).endsWith(`<tool_call|> Wait. <|tool_response>${answer}`)).toBe(true);
  });

  test("the empty thought of a prompt stays in the history, and is not the model's", () => {
    const messages: Message[] = [user, { role: "assistant", content: "hello" }, user];
    const prompt = prefilling.renderIds([user], { addGenerationPrompt: true });
    const { tokenIds, sampledMask } = prefilling.render(messages);
    expect(prefilling.tokenizer.decode(prompt).endsWith("<|turn>model\n<|channel>thought\n<channel|>")).toBe(true);
    expect(Array.from(tokenIds.subarray(0, prompt.length))).toEqual(Array.from(prompt));
    expect(sampledMask.subarray(0, prompt.length).includes(1)).toBe(false);
    expect(sampledMask[prompt.length]).toBe(1);
  });

  test("the thought that a prompt opens behind results is not the model's from its first word", () => {
    const messages = [user, called({}), result("ok"), { role: "assistant", content: "x", reasoning_content: "hm" }];
    const prompt = thinking.renderIds(messages.slice(0, 3), { addGenerationPrompt: true });
    const { tokenIds, sampledMask } = thinking.render(messages);
    expect(Array.from(tokenIds.subarray(0, prompt.length))).toEqual(Array.from(prompt));
    expect(sampledMask.subarray(prompt.length - 3, prompt.length + 1)).toEqual(Uint8Array.of(0, 0, 0, 1));
  });

  test("says who samples what, and what is body", () => {
    const { tokenIds, sampledMask, contentMask, messageIndices } = renderer.render([user, called({}), result("a")]);
    const place = (text: string, from = 0) => tokenIds.indexOf(renderer.tokenizer.tokenToId(text) as number, from);
    const [first, quote] = [place("<|tool_response>"), place('<|"|>')];
    expect([messageIndices[first], sampledMask[first], contentMask[first]]).toEqual([1, 1, 1]);
    expect([messageIndices[first + 1], sampledMask[first + 1], contentMask[first + 1]]).toEqual([2, 0, 0]);
    expect([messageIndices[quote], sampledMask[quote], contentMask[quote]]).toEqual([2, 0, 1]);
  });

  test.each<[string, Config, readonly string[]]>([
    ["drops thinking before the last query", {}, ["c"]],
    ["but where calls were made, if it is to stay there", { preserveThinking: true }, ["b", "c"]],
  ])("%s", (_, config, kept) => {
    const messages: Message[] = [
      user,
      { role: "assistant", content: "x", reasoning_content: "a" },
      user,
      called({}, { reasoning_content: "b" }),
      result("r"),
      user,
      { role: "assistant", content: "y", reasoning_content: "c" },
    ];
    const found = [...decoded(gemma4(config), messages).matchAll(/<\|channel>thought\n(.*)\n<channel\|>/g)];
    expect(found.map(([, text]) => text)).toEqual(kept);
  });

  test("cuts thinking out of an assistant's words", () => {
    const content = " a<|channel>thought\nb<channel|>c<channel|>d ";
    expect(decoded(renderer, [user, { role: "assistant", content }])).toContain("<|turn>model\nacd<turn|>");
    expect(decoded(patched, [user, { role: "assistant", content }])).toContain(`<|turn>model\n${content}<turn|>`);
  });

  test("names of tools: by id, by name, by place; the template's way is to compare ids alone", () => {
    const both: Message = {
      role: "assistant",
      content: "",
      tool_calls: [{ function: { name: "f", arguments: {} } }, { function: { name: "g", arguments: {} } }],
    };
    const names = (one: Renderer, ...messages: Message[]) =>
      [...decoded(one, messages).matchAll(/response:(\w+)/g)].map(([, name]) => name);
    const answer: Message = { role: "tool", content: "" };
    const template = gemma4({ validate: "template" });
    expect(names(renderer, user, both, answer, answer)).toEqual(["f", "g"]);
    expect(names(template, user, both, answer, answer)).toEqual(["g", "g"]);
    expect(names(renderer, user, both, { ...answer, name: "h" })).toEqual(["h"]);
    expect(names(renderer, user, both, answer)).toEqual(["unknown"]);
    expect(names(renderer, user, called({}), answer)).toEqual(["f"]);
    expect(names(template, user, called({}), answer)).toEqual(["unknown"]);
    expect(names(template, user, called({}), result("", { name: "h" }))).toEqual(["f"]);
  });

  test("results whose call could not be read stand behind the turn's words", () => {
    const messages: Message[] = [
      user,
      { role: "assistant", content: "Wait." },
      { role: "tool", content: "no call", name: "f" },
    ];
    const ids = renderer.renderIds(messages, { orphanResults: true, addGenerationPrompt: true });
    expect(renderer.tokenizer.decode(ids)).toContain(
      '<|turn>model\nWait.<|tool_response>response:f{value:<|"|>no call<|"|>}<tool_response|>',
    );
  });

  test.each<[string, readonly Message[], Config, string]>([
    ["a result without a turn", [user, result("x")], { validate: "template" }, "orphan_tool_result"],
    ["a result behind another turn", [user, called({}), user, result("x")], {}, "orphan_tool_result"],
    ["arguments that are no object", [user, called("[1]")], { validate: "template" }, "invalid_arguments"],
    ["arguments that are no JSON", [user, called("{")], { validate: "template" }, "invalid_arguments"],
    ["no arguments", [user, called("")], { validate: "template" }, "invalid_arguments"],
    ["an unknown role", [{ role: "critic", content: "x" }], {}, "unknown_role"],
  ])("refuses %s", (_, messages, config, code) => {
    try {
      gemma4(config).render(messages);
      expect.unreachable("it was rendered");
    } catch (error) {
      expect(error).toBeInstanceOf(TitoError);
      expect((error as TitoError).code).toBe(code);
    }
  });

  test("gives other roles a turn of their own, as the template does", () => {
    expect(decoded(gemma4({ validate: "template" }), [user, { role: "critic", content: " x " }])).toContain(
      "<|turn>critic\nx<turn|>\n",
    );
  });
});

describe("images", () => {
  const [image] = fc.sample(images(), { numRuns: 1, seed: 1 });

  test("stand between their tokens in user turns, and behind results", () => {
    const messages: Message[] = [
      { role: "user", content: [{ type: "text", text: " a " }, image, { type: "text", text: "b" }] },
      called({}),
      { ...result(""), content: [{ type: "text", text: " r " }, image] },
    ];
    const rendered = renderer.render(messages);
    const text = renderer.tokenizer.decode(rendered.tokenIds).replaceAll(/(<\|image\|>)+/g, "▪");
    expect(text).toContain("<|turn>user\na<|image>▪<image|>b<turn|>");
    expect(text).toContain('response:f{value:<|"|> r <|"|>}<tool_response|><|image>▪<image|>');
    expect(rendered.multimodal?.images.map(({ message }) => message)).toEqual([0, 2]);
    const placeholder = renderer.tokenizer.tokenToId("<|image|>") as number;
    expect(renderer.mmTokenTypes).toEqual(new Map([[placeholder, 1]]));
    const bridge = bridged(renderer, "<|tool_call>call:f{}<tool_call|><|tool_response>", [messages[2]]);
    expect(bridge.replaceAll(/(<\|image\|>)+/g, "▪").endsWith("<tool_response|><|image>▪<image|>")).toBe(true);
  });

  test.each(["assistant", "system"])("are refused in a message of the %s", (role) => {
    expect(() => renderer.render([{ role, content: [image] }])).toThrow(/none in a message/);
  });
});

describe("reading", () => {
  test.each<[string, string, object]>([
    [
      "words behind calls",
      "<|tool_call>call:f{}<tool_call|>Wait.<|tool_response>",
      { content: "Wait.", canonical: true },
    ],
    [
      "words before calls",
      "Wait.<|tool_call>call:f{}<tool_call|><|tool_response>",
      { content: "Wait.", canonical: false },
    ],
    ["white space of words", " x \n<turn|>", { content: " x \n", canonical: false }],
    [
      "an empty thought",
      "<|channel>thought\n<channel|>x<turn|>",
      { content: "x", reasoning: { text: "", complete: true } },
    ],
    ["a stray end of a thought", "a<channel|>b<turn|>", { content: "a<channel|>b", reasoning: null, canonical: false }],
    [
      "thoughts between calls",
      "<|channel>thought\na\n<channel|><|tool_call>call:f{}<tool_call|><|channel>thought\nb\n<channel|><|tool_call>call:g{}<tool_call|>",
      { reasoning: { text: "a\nb", complete: true }, toolCalls: [{ name: "f" }, { name: "g" }], content: "" },
    ],
  ])("%s", (_, text, expected) => {
    expect(parse(text)).toMatchObject(expected);
  });

  test("behind results the prompt has opened the thought", () => {
    const prompt = thinking.renderIds([user, called({}), result("ok")], { addGenerationPrompt: true });
    const read = (text: string) => thinking.parseResponse(encode(thinking, text), { prompt });
    expect(read("hm\n<channel|>x<turn|>")).toMatchObject({ content: "x", reasoning: { text: "hm" }, canonical: true });
    expect(read("hm")).toMatchObject({ content: "", reasoning: { text: "hm", complete: false } });
    expect(read("<|channel>thought\nhm\n<channel|>x")).toMatchObject({ content: "x", reasoning: { text: "hm" } });
  });

  test("typed markers in a result open nothing", () => {
    const template = gemma4({ contentSpecials: "template" });
    const prompt = template.renderIds([user, called({}), result("a <|channel> b")], { addGenerationPrompt: true });
    expect(template.parseResponse(encode(template, "x"), { prompt })).toMatchObject({ content: "x", reasoning: null });
  });

  test.each<[string, string, object]>([
    ["the calls' own end", '{a:<|"|>x<tool_call|>y<|"|>}', { a: "x<tool_call|>y" }],
    ["another call", '{a:<|"|><|tool_call>call:g{}<tool_call|><|"|>}', { a: "<|tool_call>call:g{}<tool_call|>" }],
    ["a thought", '{a:<|"|><|channel>thought\n<channel|><|"|>}', { a: "<|channel>thought\n<channel|>" }],
    ["quotes", '{a:<|"|>say <|"|>hi<|"|>!<|"|>}', { a: 'say <|"|>hi<|"|>!' }],
  ])("a string may hold %s", (_, args, expected) => {
    const { toolCalls, content } = parse(`<|tool_call>call:f${args}<tool_call|>after<|tool_response>`);
    expect(toolCalls).toMatchObject([{ name: "f", status: "ok", arguments: expected }]);
    expect(content).toBe("after");
  });

  test.each<[string, string]>([
    ['call:f{a:<|"|>x}<tool_call|>', "invalid_json"],
    ["call:f{a<tool_call|>", "malformed_structure"],
    ["f{}<tool_call|>", "malformed_structure"],
    ["call:{}<tool_call|>", "missing_name"],
    ["call:f{a:1", "unclosed_block"],
  ])("<|tool_call>%s is %s, and its text is kept", (text, status) => {
    const { toolCalls, canonical } = parse(`<|tool_call>${text}`);
    expect(toolCalls).toMatchObject([{ status, raw: text.replace("<tool_call|>", "") }]);
    expect(canonical).toBe(false);
  });

  test("a quote that never ends leaves the words behind the call as they are", () => {
    expect(parse('<|tool_call>call:f{a:<|"|>x}<tool_call|>Oh.<|tool_response>')).toMatchObject({
      content: "Oh.",
      toolCalls: [{ name: "f", status: "invalid_json", arguments: null }],
    });
  });

  test("patched, numbers and the order of keys are as they were sampled", () => {
    const text = '<|tool_call>call:f{b:1.50,a:1e2,<|"|>x:y<|"|>:null}<tool_call|> so<|tool_response>';
    const read = parse(text, "closed", patched);
    expect(read).toMatchObject({
      canonical: true,
      toolCalls: [{ argumentsText: '{"b": 1.50, "a": 1e2, "x:y": null}' }],
    });
    expect(parse(text).canonical).toBe(false);
    const { message } = toOpenAIMessage(read);
    const turn = sampledTurn(patched, [user, message]);
    expect(patched.tokenizer.decode(turn?.completion ?? [])).toBe(text);
  });
});

describe("bridges", () => {
  const call = "<|tool_call>call:f{}<tool_call|>";

  test.each<[string, Renderer, string, readonly Message[], string]>([
    ["a query", renderer, "ok<turn|>", [user], "\n<|turn>user\nhi<turn|>\n<|turn>model\n"],
    [
      "a query, with an empty thought prefilled",
      prefilling,
      "ok<turn|>",
      [user],
      "\n<|turn>user\nhi<turn|>\n<|turn>model\n<|channel>thought\n<channel|>",
    ],
    [
      "a query behind the newline that an engine gave back",
      renderer,
      "ok<turn|>\n",
      [user],
      "<|turn>user\nhi<turn|>\n<|turn>model\n",
    ],
    [
      "a truncation",
      renderer,
      "ok",
      [{ role: "developer", content: "x" }],
      "<turn|>\n<|turn>developer\nx<turn|>\n<|turn>model\n",
    ],
    [
      "a truncated thought",
      renderer,
      "<|channel>thought\nhm",
      [{ role: "system", content: "x" }],
      "\n<channel|><turn|>\n<|turn>system\nx<turn|>\n<|turn>model\n",
    ],
    [
      "a result",
      renderer,
      `${call}<|tool_response>`,
      [{ role: "tool", content: "r" }],
      'response:f{value:<|"|>r<|"|>}<tool_response|>',
    ],
    [
      "results, thinking",
      thinking,
      `${call}<|tool_call>call:g{}<tool_call|><|tool_response>`,
      [
        { role: "tool", content: "r" },
        { role: "tool", content: "s" },
      ],
      'response:f{value:<|"|>r<|"|>}<tool_response|><|tool_response>response:g{value:<|"|>s<|"|>}<tool_response|><|channel>thought\n',
    ],
  ])("%s", (_, one, completion, messages, expected) => {
    expect(bridged(one, completion, messages)).toBe(expected);
  });

  test.each<[string, Renderer, string, readonly Message[], string]>([
    ["a query while results are awaited", renderer, `${call}<|tool_response>`, [user], "turn_not_continued"],
    ["a result behind a finished turn", renderer, "ok<turn|>", [result("x")], "turn_not_continued"],
    ["a result behind a truncation", renderer, call, [result("x")], "turn_not_continued"],
    ["anything behind the end", renderer, "ok<eos>", [user], "turn_not_continued"],
    ["a thought that the model left open", renderer, "<|channel>thought\nhm<turn|>", [user], "unclosed_reasoning"],
    ["a query that drops thinking", thinking, "ok<turn|>", [user], "new_user_query"],
    [
      "another role",
      gemma4({ validate: "template" }),
      "ok<turn|>",
      [{ role: "critic", content: "" }],
      "role_not_rendered",
    ],
    ["ids behind the stop", renderer, `${call}<|tool_response>\n`, [result("x")], "tokens_after_stop"],
    [
      "a result of one of two calls",
      renderer,
      `${call}${call}<|tool_response>`,
      [{ role: "tool", content: "x" }],
      "unresolved_tool_name",
    ],
    [
      "a result of a call that has no name",
      renderer,
      "<|tool_call>x<tool_call|><|tool_response>",
      [result("x")],
      "unresolved_tool_name",
    ],
  ])("%s is refused", (_, one, completion, messages, reason) => {
    expect(bridged(one, completion, messages)).toBe(reason);
  });

  test("a result of a call that has no name may name its tool", () => {
    const answer = result("x", { name: "f" });
    expect(bridged(renderer, "<|tool_call>x<tool_call|><|tool_response>", [answer])).toContain("response:f{");
  });

  test("a query does not drop thinking that is to stay", () => {
    const keeping = gemma4({ enableThinking: true, thinkingRetention: "all" });
    expect(bridged(keeping, "ok<turn|>", [user])).toBe("\n<|turn>user\nhi<turn|>\n<|turn>model\n");
    expect(thinking.thinkingRetention).toBe("tool_cycle");
    expect(renderer.thinkingRetention).toBe("all");
    expect(gemma4({ enableThinking: true, preserveThinking: true }).thinkingRetention).toBe("all");
  });

  test("give what a full render gives, from turn to turn", () => {
    const wordless = turns({ words: fc.constantFrom("hm", "é 🤔"), contentBesideCalls: false })
      .filter(({ message }) => message.tool_calls !== undefined)
      .chain((turn) => fc.record({ turn: fc.constant(turn), answers: results(turn.message, texts()) }));
    const cycles = fc.array(wordless, { minLength: 1, maxLength: 3 });
    const exact = gemma4({ patched: true, enableThinking: true });
    fc.assert(
      fc.property(cycles, fc.constantFrom(renderer, thinking, prefilling, patched, exact), (turns, one) => {
        const tools = turns.flatMap((cycle) => cycle.turn.tools);
        const messages = [user];
        let prompt = one.renderIds(messages, { tools, addGenerationPrompt: true });
        for (const { turn, answers } of turns) {
          // Without thinking in the prompt before, an answer begins with its calls.
          const message = one === prefilling ? { ...turn.message, reasoning_content: "" } : turn.message;
          const sampled = one.renderIds([...messages, message], { tools });
          messages.push(message, ...answers);
          const next = one.renderIds(messages, { tools, addGenerationPrompt: true });
          const bridge = one.bridgeToNextTurn({
            promptIds: prompt,
            completionIds: sampled.subarray(prompt.length),
            newMessages: answers,
            tools,
          });
          if (!bridge.ok) throw new Error(bridge.reason);
          expect(bridge.synthetic).toBe(null);
          expect([...sampled, ...bridge.extension.tokenIds]).toEqual([...next]);
          prompt = next;
        }
      }),
      { numRuns: 60 },
    );
  });
});
