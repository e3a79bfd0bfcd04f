import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message, ParserState, Renderer, RendererConfigInput } from "../../src/index.ts";
import { sampledTurn } from "../../src/testing/index.ts";
import { familyRenderer } from "../support/families.ts";

const user: Message = { role: "user", content: "hi" };
const thinkTokens = ["<think>", "</think>"];
const v3 = familyRenderer({ name: "deepseek-v3" });
const r1 = familyRenderer({ name: "deepseek-r1" }, thinkTokens);
const v4 = (config: Partial<RendererConfigInput> & Record<string, unknown> = {}) =>
  familyRenderer({ name: "deepseek-v4", ...config } as RendererConfigInput);
const chat = v4();
const thinking = v4({ enableThinking: true });

const ids = ({ tokenizer }: Renderer, text: string) => tokenizer.encode(text, { addedTokens: "match" });
const rendered = (renderer: Renderer, messages: readonly object[], options = {}) =>
  renderer.tokenizer.decode(renderer.renderIds(messages as Message[], options));
const parse = (renderer: Renderer, text: string, reasoning: "open" | "closed" = "closed") =>
  renderer.parseResponse(ids(renderer, text), { prompt: { reasoning } });
const call = (args: object | string, id = "c1", name = "f") =>
  ({ id, type: "function", function: { name, arguments: args } }) as const;
const assistant = (...calls: ReturnType<typeof call>[]) =>
  ({ role: "assistant", content: "ok", tool_calls: calls }) as Message;
const result = (content: string, id?: string): Message => ({
  role: "tool",
  content,
  ...(id === undefined ? {} : { tool_call_id: id }),
});

const closings: Readonly<Record<string, readonly string[]>> = {
  "deepseek-v3": ["<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>", "```", "\n```"],
  "deepseek-v4": [
    "</｜DSML｜parameter>",
    "</｜DSML｜parameter>\n",
    "</｜DSML｜invoke>",
    "</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
    '<｜DSML｜parameter name="x" string="true">',
  ],
};

describe.each([
  ["V3", v3],
  ["V4", chat],
] as const)("%s: a call's values hold the format's own closing tags", (_, renderer) => {
  const piece = fc.constantFrom(...closings[renderer.config.name], " ", "\n", "x", '"', "\\", "é");
  const value = fc.array(piece, { maxLength: 4 }).map((parts) => parts.join(""));
  // Where a closing tag is laid out as the format's own, nothing can tell the two apart.
  const isOneValue = (text: string) => !/<\/｜DSML｜parameter>\s*<(｜DSML｜parameter|\/｜DSML｜invoke)/.test(text);
  const args = fc.dictionary(
    fc.constantFrom("a", "b"),
    fc.oneof(value.filter(isOneValue), fc.array(value.filter(isOneValue), { maxLength: 2 })),
  );

  test("and read back as they were, however the ids are cut", () => {
    fc.assert(
      fc.property(args, args, fc.array(fc.nat(4)), (first, second, cuts) => {
        const turn = sampledTurn(renderer, [user, assistant(call(first), call(second, "c2", "g"))]);
        if (!turn) throw new Error("nothing is sampled");
        const { prompt, completion } = turn;
        const parsed = renderer.parseResponse(completion, { prompt });
        expect(parsed.toolCalls.map(({ name, status, arguments: read }) => ({ name, status, read }))).toEqual([
          { name: "f", status: "ok", read: first },
          { name: "g", status: "ok", read: second },
        ]);
        expect(parsed.canonical).toBe(true);
        expect(parsed.content).toBe("ok");
        let state: ParserState | undefined;
        let at = 0;
        for (const size of [...cuts, completion.length]) {
          const parser = renderer.parser({ prompt, state });
          parser.push(completion.slice(at, at + size));
          state = JSON.parse(JSON.stringify(parser.state)) as ParserState;
          at += size;
        }
        expect(renderer.parser({ prompt, state }).end().response).toEqual(parsed);
      }),
      { numRuns: 150 },
    );
  });
});

describe("DeepSeek V3", () => {
  test("writes system messages at the beginning as one text, later ones as users, and no tools", () => {
    const system: Message = { role: "system", content: "S" };
    const tools = [{ name: "f" }];
    expect(rendered(v3, [system, system, user, system], { tools, addGenerationPrompt: true })).toBe(
      "<｜begin▁of▁sentence｜>S\n\nS<｜User｜>hi<｜User｜>S<｜Assistant｜>",
    );
  });

  test("goes on behind tool results without a new turn, rendered and bridged", () => {
    const history = [user, assistant(call('{"a":1}'), call({ b: 1.5 }))];
    const turn = sampledTurn(v3, history);
    const results = [result("x"), result("y")];
    const bridge = v3.bridgeToNextTurn({
      promptIds: turn?.prompt ?? [],
      completionIds: turn?.completion ?? [],
      newMessages: results,
    });
    const full = v3.renderIds([...history, ...results], { addGenerationPrompt: true });
    expect(bridge).toMatchObject({ ok: true, synthetic: null });
    expect([
      ...(turn?.prompt ?? []),
      ...(turn?.completion ?? []),
      ...(bridge.ok ? bridge.extension.tokenIds : []),
    ]).toEqual(Array.from(full));
    expect(v3.tokenizer.decode(full)).toBe(
      "<｜begin▁of▁sentence｜><｜User｜>hi<｜Assistant｜>ok<｜tool▁calls▁begin｜>" +
        '<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a":1}\n```<｜tool▁call▁end｜>' +
        '<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"b": 1.5}\n```<｜tool▁call▁end｜>' +
        "<｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁outputs▁begin｜>" +
        "<｜tool▁output▁begin｜>x<｜tool▁output▁end｜><｜tool▁output▁begin｜>y<｜tool▁output▁end｜><｜tool▁outputs▁end｜>",
    );
  });

  test("reads thinking whose markers are no tokens, and never writes it", () => {
    const parsed = parse(v3, "<think>\na\n</think>\n\nb<｜end▁of▁sentence｜>");
    expect(parsed).toMatchObject({ reasoning: { text: "a", complete: true }, content: "b", canonical: false });
    expect(rendered(v3, [user, { role: "assistant", content: "b", reasoning_content: "a" }])).toBe(
      "<｜begin▁of▁sentence｜><｜User｜>hi<｜Assistant｜>b<｜end▁of▁sentence｜>",
    );
  });

  test("a marker in a tool's result opens no reasoning", () => {
    const prompt = v3.renderIds([user, assistant(call({})), result("use <think> here")], { addGenerationPrompt: true });
    expect(v3.parseResponse(ids(v3, "b<｜end▁of▁sentence｜>"), { prompt })).toMatchObject({
      content: "b",
      reasoning: null,
    });
  });

  test.each([
    ["function<｜tool▁sep｜>f\n```json\n{bad\n```<｜tool▁call▁end｜>", "f", "invalid_json"],
    ["function<｜tool▁sep｜>f\n```json\n[1]\n```<｜tool▁call▁end｜>", "f", "malformed_structure"],
    ["function<｜tool▁sep｜>\n<｜tool▁call▁end｜>", null, "missing_name"],
    ["functionf\n```json\n{}\n```<｜tool▁call▁end｜>", null, "malformed_structure"],
    ['function<｜tool▁sep｜>f\n{"a": 1}<｜tool▁call▁end｜>', "f", "ok"],
    ["function<｜tool▁sep｜>f<｜tool▁call▁end｜>", "f", "ok"],
    ['function<｜tool▁sep｜>f\n```json\n{"a', "f", "unclosed_block"],
    ['function<｜tool▁sep｜>f\n```json\n{"a<｜tool▁calls▁end｜>', "f", "unclosed_block"],
  ])("%s: %s, %s", (text, name, status) => {
    const parsed = parse(v3, `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${text}`);
    expect(parsed.toolCalls).toHaveLength(1);
    expect(parsed.toolCalls[0]).toMatchObject({ name, status });
  });

  test("a call that was damaged leaves the next one whole", () => {
    const next =
      "<｜tool▁call▁begin｜>function<｜tool▁sep｜>g\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>x";
    const parsed = parse(
      v3,
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n\`\`\`json\n{"a": "b}\n\`\`\`<｜tool▁call▁end｜>${next}`,
    );
    expect(parsed.toolCalls.map(({ name, status }) => [name, status])).toEqual([
      ["f", "invalid_json"],
      ["g", "ok"],
    ]);
    expect(parsed.content).toBe("x");
  });
});

describe("DeepSeek R1", () => {
  test("drops the thinking of a turn that is history, wherever it stands", () => {
    const turns: object[] = [
      { role: "assistant", content: "<think>\na\n</think>\n\nb" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "a" },
          { type: "text", text: "\n\nb" },
        ],
      },
      { role: "assistant", content: "\n\nb", reasoning_content: "a" },
    ];
    for (const turn of turns)
      expect(rendered(r1, [user, turn])).toBe(
        "<｜begin▁of▁sentence｜><｜User｜>hi<｜Assistant｜>\n\nb<｜end▁of▁sentence｜>",
      );
  });

  test("bridges only where the history is to stay as it was sampled", () => {
    const request = {
      promptIds: r1.renderIds([user], { addGenerationPrompt: true }),
      completionIds: ids(r1, "a\n</think>\n\nb<｜end▁of▁sentence｜>"),
      newMessages: [user],
    };
    expect(r1.bridgeToNextTurn(request)).toMatchObject({ ok: false, reason: "template_rewrites_history" });
    const keeping = familyRenderer({ name: "deepseek-r1", thinkingRetention: "all" }, thinkTokens);
    const bridge = keeping.bridgeToNextTurn(request);
    expect(bridge.ok && keeping.tokenizer.decode(bridge.extension.tokenIds)).toBe(
      "<｜User｜>hi<｜Assistant｜><think>\n",
    );
  });

  test.each([thinkTokens, []])("closes thinking that was cut short, markers being %j", (...tokens) => {
    const keeping = familyRenderer({ name: "deepseek-r1", thinkingRetention: "all" }, tokens);
    const bridge = keeping.bridgeToNextTurn({
      promptIds: keeping.renderIds([user], { addGenerationPrompt: true }),
      completionIds: ids(keeping, "hm"),
      newMessages: [user],
    });
    if (!bridge.ok) throw new Error(bridge.message);
    const [start, end] = bridge.synthetic ?? [0, 0];
    expect(keeping.tokenizer.decode(bridge.extension.tokenIds.slice(start, end))).toBe(
      "\n</think>\n\n<｜end▁of▁sentence｜>",
    );
  });

  test("what it was read to is canonical to the letter", () => {
    const prompt = r1.renderIds([user], { addGenerationPrompt: true });
    const read = (text: string) => r1.parseResponse(ids(r1, text), { prompt });
    expect(read("a\n</think>\n\nb<｜end▁of▁sentence｜>")).toMatchObject({
      reasoning: { text: "a", complete: true },
      content: "b",
      canonical: true,
    });
    expect(read("a</think>b<｜end▁of▁sentence｜>").canonical).toBe(false);
    const patched = familyRenderer({ name: "deepseek-r1", patched: true }, thinkTokens);
    expect(
      patched.parseResponse(ids(patched, "\na\n\n</think>\n\n\nb<｜end▁of▁sentence｜>"), { prompt }),
    ).toMatchObject({ content: "\nb", canonical: true });
  });
});

describe("DeepSeek V4", () => {
  const query = { addGenerationPrompt: true };

  test("merges users and results into one turn, results in the order of their calls", () => {
    const messages = [user, assistant(call({}, "a"), call({}, "b")), result("2", "b"), { ...user }, result("1", "a")];
    expect(rendered(chat, messages, query).split("<｜end▁of▁sentence｜>")[1]).toBe(
      "<｜User｜><tool_result>1</tool_result>\n\nhi\n\n<tool_result>2</tool_result><｜Assistant｜></think>",
    );
  });

  test("drops thinking before the last query, unless there are tools or it is told to keep it", () => {
    const turn = { role: "assistant", content: "b", reasoning_content: "a" };
    const messages = [user, turn, user, turn];
    const kept = "<｜Assistant｜><think>a</think>b<｜end▁of▁sentence｜>";
    const dropped = "<｜Assistant｜></think>b<｜end▁of▁sentence｜>";
    const answers = (text: string) => text.slice(text.indexOf("<｜Assistant｜>"));
    const both = (first: string, second: string) => `${first}<｜User｜>hi${second}`;
    expect(answers(rendered(chat, messages))).toBe(both(dropped, dropped));
    expect(answers(rendered(thinking, messages))).toBe(both(dropped, kept));
    expect(answers(rendered(thinking, messages, { tools: [{ name: "f" }] }))).toBe(both(kept, kept));
    expect(answers(rendered(v4({ enableThinking: true, dropThinking: false }), messages))).toBe(both(kept, kept));
  });

  test("puts tools behind the first developer, else the first system message, else alone", () => {
    const tools = [{ type: "function", function: { name: "f" } }];
    const system = { role: "system", content: "S" };
    const developer = { role: "developer", content: "D" };
    const opening = (messages: readonly object[]) => rendered(chat, messages, { tools }).split("\n\n## Tools")[0];
    expect(opening([user])).toBe("<｜begin▁of▁sentence｜>");
    expect(opening([system, user])).toBe("<｜begin▁of▁sentence｜>S");
    expect(opening([system, developer])).toBe("<｜begin▁of▁sentence｜>S<｜User｜>D");
    expect(rendered(chat, [user], { tools })).toContain('### Available Tool Schemas\n\n{"name": "f"}\n\nYou MUST');
  });

  test("writes tasks, reminders, response formats and open ends", () => {
    const lenient = v4({ validate: "template" });
    const text = (messages: readonly object[], options = {}) =>
      rendered(lenient, messages, options).replace("<｜begin▁of▁sentence｜>", "");
    expect(text([{ ...user, task: "query" }])).toBe("<｜User｜>hi<｜query｜>");
    expect(text([{ ...user, task: "action" }], query)).toBe("<｜User｜>hi<｜Assistant｜></think><｜action｜>");
    expect(text([user, { role: "latest_reminder", content: "R" }])).toBe(
      "<｜User｜>hi<｜Assistant｜></think><｜latest_reminder｜>R",
    );
    expect(text([{ role: "system", content: "S", response_format: { type: "object" } }])).toBe(
      'S\n\n## Response Format:\n\nYou MUST strictly adhere to the following schema to reply:\n{"type": "object"}',
    );
    expect(text([user, { role: "assistant", content: "b", wo_eos: true }])).toBe(
      "<｜User｜>hi<｜Assistant｜></think>b",
    );
    expect(() => text([{ ...user, task: "nonsense" }])).toThrow(/one of action, query/);
    expect(() => text([{ role: "developer", content: "" }])).toThrow(/developer/);
    expect(() => text([{ role: "critic", content: "" }])).toThrow(/critic/);
  });

  test("prints values as Python does, and to the letter when patched", () => {
    const args = '{"a":1e16,"b":{"x":1.0,"2":[]},"c":"1"}';
    const parameters = (renderer: Renderer) =>
      [...rendered(renderer, [user, assistant(call(args))]).matchAll(/string="(.*?)">(.*?)<\//g)].map((one) =>
        one.slice(1),
      );
    expect(parameters(chat)).toEqual([
      ["false", "1e+16"],
      ["false", '{"x": 1.0, "2": []}'],
      ["true", "1"],
    ]);
    expect(parameters(v4({ patched: true }))).toEqual([
      ["false", "1e16"],
      ["false", '{"x":1.0,"2":[]}'],
      ["true", "1"],
    ]);
    expect(rendered(chat, [user, assistant(call({}))])).toContain('<｜DSML｜invoke name="f">\n\n</｜DSML｜invoke>');
  });

  const open = '<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">';
  const end = "</｜DSML｜parameter>\n</｜DSML｜invoke>";
  test.each([
    [`${open}v${end}`, [["f", "ok", { a: "v" }]]],
    [`${open}v</｜DSML｜parameter></｜DSML｜invoke>`, [["f", "ok", { a: "v" }]]],
    [`${open}v</｜DSML｜invoke>`, [["f", "malformed_structure", null]]],
    [
      `${open}v</｜DSML｜invoke>\n${open}w${end}`,
      [
        ["f", "malformed_structure", null],
        ["f", "ok", { a: "w" }],
      ],
    ],
    [`${open.replace("true", "false")}v${end}`, [["f", "invalid_json", { a: "v" }]]],
    [`${open.replace('name="f"', 'nme="f"')}v${end}`, [[null, "missing_name", { a: "v" }]]],
    [`<｜DSML｜invoke name="f">\njunk\n</｜DSML｜invoke>`, [["f", "malformed_structure", null]]],
    [`${open}v</｜DSML｜para`, [["f", "unclosed_block", null]]],
  ])("%s", (text, expected) => {
    const shown = (renderer: Renderer, whole: string) =>
      parse(renderer, whole).toolCalls.map(({ name, status, arguments: args }) => [name, status, args]);
    expect(shown(chat, `\n\n<｜DSML｜tool_calls>\n${text}\n</｜DSML｜tool_calls>`)).toEqual(expected);
    expect(shown(chat, `words ${text}`)).toEqual(expected);
  });

  test("a parameter named twice is no call", () => {
    const twice = `${open}v</｜DSML｜parameter>\n${open.split("\n")[1]}w${end}`;
    expect(parse(chat, `<｜DSML｜tool_calls>\n${twice}`).toolCalls[0]).toMatchObject({ status: "malformed_structure" });
  });

  test("tags without their token are text", () => {
    const spelled = chat.tokenizer.encode(`<｜DSML｜tool_calls>\n${open}v${end}`, { addedTokens: "plain" });
    expect(chat.parseResponse(spelled, { prompt: { reasoning: "closed" } }).toolCalls).toEqual([]);
  });

  test("a section ends thinking at once, also where the ids are cut inside its tag", () => {
    const text = `hm\n\n<｜DSML｜tool_calls>\n${open}v${end}\n</｜DSML｜tool_calls>`;
    const all = ids(thinking, text);
    const whole = parse(thinking, text, "open");
    expect(whole).toMatchObject({ reasoning: { complete: true }, content: "", toolCalls: [{ status: "ok" }] });
    for (let at = 0; at <= all.length; at++) {
      const parser = thinking.parser({ prompt: { reasoning: "open" } });
      parser.push(all.slice(0, at));
      parser.push(all.slice(at));
      expect(parser.end().response).toEqual(whole);
    }
  });

  test("bridges one result, and refuses what it cannot know", () => {
    const promptIds = thinking.renderIds([user], query);
    const completionIds = ids(thinking, "a</think>b<｜end▁of▁sentence｜>");
    const bridge = (...newMessages: Message[]) =>
      thinking.bridgeToNextTurn({ promptIds, completionIds, newMessages, tools: [{ name: "f" }] });
    const one = bridge(result("x"));
    expect(one.ok && thinking.tokenizer.decode(one.extension.tokenIds)).toBe(
      "<｜User｜><tool_result>x</tool_result><｜Assistant｜><think>",
    );
    expect(bridge(result("x"), result("y"))).toMatchObject({ ok: false, reason: "tool_order_unknown" });
    expect(bridge(user)).toMatchObject({ ok: false, reason: "new_user_query" });
    expect(bridge({ role: "developer", content: "D" })).toMatchObject({ ok: false, reason: "new_user_query" });
    expect(
      chat.bridgeToNextTurn({
        promptIds: chat.renderIds([user], query),
        completionIds: ids(chat, "b<｜end▁of▁sentence｜>"),
        newMessages: [{ role: "developer", content: "" }],
      }),
    ).toMatchObject({ ok: false, reason: "content_not_rendered" });
  });

  test("a token that a body shares with a tag is content, and stays the tag's message's", () => {
    const { tokenIds, contentMask, messageIndices } = chat.render([user, assistant(call({})), result("\n\nx")]);
    const at = tokenIds.findIndex((id, i) => messageIndices[i] === 2 && chat.tokenizer.decode([id]) === ">\n\n");
    expect(contentMask.slice(at - 1, at + 2)).toEqual(Uint8Array.of(0, 1, 1));
  });
});
