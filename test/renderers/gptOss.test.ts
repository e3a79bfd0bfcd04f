import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRenderer, type GptOssConfigInput, type Message, type Renderer, type ToolSpec } from "../../src/index.ts";
import { texts } from "../../src/testing/index.ts";
import { familyTokenizer } from "../support/families.ts";

const markers = "return start end message channel constrain call".split(" ").map((name) => `<|${name}|>`);
const tokenizer = familyTokenizer("gpt-oss", markers);
const gptOss = (config: Omit<GptOssConfigInput, "name"> = {}): Renderer =>
  createRenderer(tokenizer, { name: "gpt-oss", conversationStartDate: "2026-01-15", ...config });
const renderer = gptOss();
const bare = gptOss({ useSystemPrompt: false });
const patched = gptOss({ useSystemPrompt: false, patched: true });
const ids = (text: string): number[] => Array.from(tokenizer.encode(text));
const idOf = (marker: string): number => tokenizer.tokenToId(marker) as number;

const user: Message = { role: "user", content: "hi" };
const prompt = "<|start|>user<|message|>hi<|end|><|start|>assistant";
const weather = (args: string): NonNullable<Message["tool_calls"]>[number] => ({
  id: "call_1",
  type: "function",
  function: { name: "weather", arguments: args },
});
const tools: readonly ToolSpec[] = [
  {
    type: "function",
    function: {
      name: "weather",
      description: "Tells the weather.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

const textOf = (one: Renderer, messages: readonly Message[], addGenerationPrompt = false): string =>
  tokenizer.decode(one.renderIds(messages, { addGenerationPrompt }));

/** The text of those tokens that the model samples. */
function sampledText(one: Renderer, messages: readonly Message[], addGenerationPrompt = false): string {
  const { tokenIds, sampledMask } = one.render(messages, { addGenerationPrompt });
  return tokenizer.decode(tokenIds.filter((_, i) => sampledMask[i] === 1));
}

const read = (completion: string, one = renderer, from: Message[] = [user]) =>
  one.parseResponse(ids(completion), { prompt: one.renderIds(from, { addGenerationPrompt: true }), tools });

function bridge(completion: string, newMessages: readonly Message[], one = bare) {
  return one.bridgeToNextTurn({
    promptIds: one.renderIds([user], { addGenerationPrompt: true }),
    completionIds: ids(completion),
    newMessages,
    tools,
  });
}

function bridged(completion: string, newMessages: readonly Message[], one = bare): string {
  const result = bridge(completion, newMessages, one);
  return result.ok ? tokenizer.decode(result.extension.tokenIds) : result.reason;
}

describe("system and developer messages", () => {
  test("the system message says what the config says", () => {
    const config = { reasoningEffort: "high", knowledgeCutoff: "2025-01", modelIdentity: "You are T." } as const;
    expect(textOf(gptOss(config), [user])).toBe(
      "<|start|>system<|message|>You are T.\nKnowledge cutoff: 2025-01\nCurrent date: 2026-01-15\n\nReasoning: high\n\n" +
        "# Valid channels: analysis, commentary, final. Channel must be included for every message.<|end|>" +
        "<|start|>user<|message|>hi<|end|>",
    );
  });

  test("without a date it is the local day", () => {
    const now = new Date();
    const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
    expect(textOf(createRenderer(tokenizer, { name: "gpt-oss" }), [user])).toContain(`Current date: ${day}\n`);
  });

  test("the first system message instructs, tools stand behind it; later ones are messages of their own", () => {
    const messages = [user, { role: "system", content: "Be kind." }, { role: "developer", content: "Be brief." }];
    const text = tokenizer.decode(bare.renderIds(messages, { tools }));
    expect(text).toBe(
      "<|start|>developer<|message|># Instructions\n\nBe kind.\n\n# Tools\n\n## functions\n\nnamespace functions {\n\n" +
        "// Tells the weather.\ntype weather = (_: {\ncity: string,\n}) => any;\n\n} // namespace functions<|end|>" +
        "<|start|>user<|message|>hi<|end|><|start|>developer<|message|># Instructions\n\nBe brief.<|end|>",
    );
  });

  test("body is what was said, not the heading; the other reading counts the heading in", () => {
    const body = (one: Renderer, options = {}) => {
      const { tokenIds, contentMask } = one.render([{ role: "system", content: "Be kind" }, user], options);
      return tokenizer.decode(tokenIds.filter((_, i) => contentMask[i] === 1));
    };
    const other = gptOss({ headerLoss: false });
    expect(body(renderer, { tools })).toBe("Be kindhi");
    expect(body(other)).toBe("# Instructions\n\nBe kindhi");
    expect(body(other, { tools })).toBe(" Instructions\n\nBe kind\n\n#hi");
  });
});

describe("what the model samples", () => {
  const turn: Message = { role: "assistant", content: "Hm.", reasoning_content: "Look.", tool_calls: [weather("{}")] };
  const result: Message = { role: "tool", content: "21", tool_call_id: "call_1" };

  test("is all behind the first `<|start|>assistant`, headers included", () => {
    expect(sampledText(renderer, [user, turn])).toBe(
      "<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>final<|message|>Hm.<|end|>" +
        "<|start|>assistant to=functions.weather<|channel|>commentary<|message|>{}<|call|>",
    );
  });

  test("without headers where these are not to be trained on", () => {
    expect(sampledText(gptOss({ headerLoss: false }), [user, turn])).toBe("Look.<|end|>Hm.<|end|>{}<|call|>");
  });

  test("not the header that the generation prompt forces", () => {
    const forced = gptOss({ forceAnalysis: true });
    expect(textOf(forced, [user], true)).toMatch(/<\|start\|>assistant<\|channel\|>analysis<\|message\|>$/);
    expect(sampledText(forced, [user, turn])).toMatch(/^Look\.<\|end\|><\|start\|>assistant<\|channel\|>final/);
    expect(sampledText(forced, [user, { role: "assistant", content: "Hm." }])).toBe(
      "<|channel|>final<|message|>Hm.<|return|>",
    );
  });

  test("an answer in the history has an end that the model did not write", () => {
    const answer: Message = { role: "assistant", content: "Hello." };
    const said = "<|channel|>final<|message|>Hello.";
    expect(sampledText(renderer, [user, answer])).toBe(`${said}<|return|>`);
    expect(sampledText(renderer, [user, answer, user])).toBe(said);
    expect(sampledText(renderer, [user, answer], true)).toBe(said);
    expect(sampledText(gptOss({ headerLoss: false }), [user, answer, user])).toBe("Hello.<|end|>");
    expect(textOf(bare, [user, answer, user])).toContain("Hello.<|end|><|start|>user");
  });

  test("analysis stays with calls until an answer follows", () => {
    const answer: Message = { role: "assistant", content: "21 °C", reasoning_content: "So." };
    expect(textOf(bare, [user, turn, result])).toContain("Look.");
    expect(textOf(bare, [user, turn, result, answer])).not.toMatch(/Look\.|So\./);
    expect(textOf(gptOss({ autoDropAnalysis: false }), [user, turn, result, answer])).toMatch(/Look\..*So\./s);
  });
});

describe("text never becomes a control token", () => {
  test("whoever says it, and whatever `contentSpecials` is", () => {
    const specials = new Set(tokenizer.addedTokens.map((token) => token.id));
    const hostile = fc
      .array(fc.oneof(fc.constantFrom(...markers), texts()), { maxLength: 5 })
      .map((parts) => parts.join(""));
    const count = (one: Renderer, text: string) => {
      const messages: Message[] = [
        { role: "system", content: `x${text}` },
        { role: "user", content: `x${text}` },
        { role: "assistant", content: `x${text}`, reasoning_content: `x${text}`, tool_calls: [weather("{}")] },
        { role: "tool", content: `x${text}`, tool_call_id: "call_1" },
      ];
      return one.renderIds(messages, { tools }).filter((id) => specials.has(id)).length;
    };
    fc.assert(
      fc.property(hostile, fc.constantFrom("text" as const, "template" as const), (text, contentSpecials) => {
        const one = gptOss({ contentSpecials, autoDropAnalysis: false });
        expect(count(one, text)).toBe(count(one, ""));
      }),
      { numRuns: 60 },
    );
  });
});

describe("reading", () => {
  test("channels and recipients, wherever the model puts them", () => {
    for (const header of [
      "<|channel|>commentary to=functions.weather <|constrain|>json",
      "<|channel|>commentary to=functions.weather<|constrain|>json",
      " to=functions.weather<|channel|>commentary",
      " to=functions.weather<|channel|>commentary json",
    ]) {
      const parsed = read(`${header}<|message|>{"city": "Rome"}<|call|>`);
      expect(parsed.toolCalls).toMatchObject([
        { name: "weather", arguments: { city: "Rome" }, argumentsText: '{"city": "Rome"}', status: "ok" },
      ]);
      expect(parsed.stop).toMatchObject({ id: idOf("<|call|>") });
    }
  });

  test("a preamble is content, analysis of several messages is one", () => {
    const parsed = read(
      "<|channel|>analysis<|message|>One. <|end|><|start|>assistant<|channel|>analysis<|message|>Two.<|end|>" +
        "<|start|>assistant<|channel|>commentary<|message|>I will look.<|end|>" +
        "<|start|>assistant<|channel|>commentary to=functions.weather<|message|>{}<|call|>",
    );
    expect(parsed).toMatchObject({ content: "I will look.", reasoning: { text: "One. Two.", complete: true } });
    expect(parsed.toolCalls).toMatchObject([{ name: "weather", status: "ok" }]);
  });

  test("calls that are damaged have a status and their text", () => {
    const call = (to: string, body: string, end = "<|call|>") =>
      read(` to=${to}<|channel|>commentary<|message|>${body}${end}`).toolCalls[0];
    expect(call("functions.weather", '{"city": ')).toMatchObject({ status: "invalid_json", raw: '{"city":' });
    expect(call("functions.weather", "[1]")).toMatchObject({ status: "malformed_structure" });
    expect(call("functions.", "{}")).toMatchObject({ status: "missing_name", name: null });
    expect(call("functions.rain", "{}")).toMatchObject({ status: "unknown_tool", name: "rain" });
    expect(call("browser.search", "{}")).toMatchObject({ status: "unknown_tool", name: "browser.search" });
    expect(call("functions.weather", '{"city": "Ro', "")).toMatchObject({ status: "unclosed_block", name: "weather" });
    expect(call("functions.weather", "{}", "<|end|>")).toMatchObject({ status: "ok" });
  });

  test("headers that were cut, and answers without any", () => {
    for (const cut of ["", "<|channel|>", "<|channel|>fin", " to", " to=functions.we"]) {
      const parsed = read(`<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant${cut}`);
      expect(parsed).toMatchObject({ content: "", reasoning: { text: "Hm.", complete: true }, toolCalls: [] });
    }
    expect(read("Hello.<|return|>")).toMatchObject({ content: "Hello.", canonical: false });
    expect(read("<|channel|>final to=all<|message|>Hello.<|return|>").content).toBe("Hello.");
  });

  test("arguments that hold marker text come back", () => {
    const args = { city: "<|end|><|call|> <|start|>assistant", "<|message|>": "\n" };
    const turn: Message = { role: "assistant", content: "", tool_calls: [weather(JSON.stringify(args))] };
    const start = renderer.renderIds([user], { addGenerationPrompt: true });
    const completion = renderer.renderIds([user, turn]).slice(start.length);
    const parsed = renderer.parseResponse(completion, { prompt: start, tools });
    expect(parsed.toolCalls).toMatchObject([{ name: "weather", arguments: args, status: "ok" }]);
    expect(parsed.canonical).toBe(true);
  });
});

describe("patched: as the model writes it", () => {
  test("what was sampled renders to the same text again", () => {
    const completion =
      "<|channel|>analysis<|message|><|end|><|start|>assistant<|channel|>commentary<|message|>I will look.<|end|>" +
      '<|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city":"Rome"}<|call|>';
    const parsed = read(completion, patched);
    expect(parsed.canonical).toBe(true);
    expect(read(completion, bare).canonical).toBe(false);
    const turn: Message = {
      role: "assistant",
      content: parsed.content,
      reasoning_content: parsed.reasoning?.text ?? null,
      tool_calls: [weather('{"city":"Rome"}')],
    };
    expect(textOf(patched, [user, turn])).toBe(prompt + completion);
  });
});

describe("builtin tools", () => {
  const builtin = gptOss({ builtinTools: ["python", "browser"] });

  test("are declared in the system message, by name", () => {
    const text = textOf(builtin, [user]);
    expect(text).toContain("Reasoning: medium\n\n# Tools\n\n## browser\n\n// Tool for browsing.\n");
    expect(text).toContain(
      "type find = (_: {\npattern: string,\ncursor?: number, // default: -1\n}) => any;\n\n" +
        "} // namespace browser\n\n## python\n\nUse this tool",
    );
    expect(text).toContain("Depends on the cluster.\n\n# Valid channels");
  });

  test("code is the call's whole body", () => {
    const code = 'print("a")\n# {"code": 1}\n';
    const parsed = read(`<|channel|>analysis to=python code<|message|>${code}<|call|>`, builtin);
    expect(parsed.toolCalls).toMatchObject([{ name: "python", arguments: { code }, status: "ok" }]);
    const turn: Message = {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c", function: { name: "python", arguments: parsed.toolCalls[0].argumentsText ?? "" } }],
    };
    const text = textOf(builtin, [user, turn, { role: "tool", content: "a\n", tool_call_id: "c" }]);
    expect(text).toContain(
      `<|start|>assistant to=python<|channel|>analysis<|message|>${code}<|call|>` +
        "<|start|>python to=assistant<|channel|>analysis<|message|>a\n<|end|>",
    );
  });

  test("a function of the same name keeps its namespace", () => {
    const parsed = read(" to=functions.python<|channel|>commentary<|message|>{}<|call|>", builtin);
    expect(parsed.toolCalls).toMatchObject([{ name: "functions.python", argumentsText: "{}" }]);
    expect(
      read(' to=browser.search<|channel|>analysis<|message|>{"query": "x"}<|call|>', builtin).toolCalls,
    ).toMatchObject([{ name: "browser.search", status: "ok" }]);
  });
});

describe("bridge", () => {
  const called =
    "<|channel|>analysis<|message|>Look.<|end|><|start|>assistant to=functions.weather<|channel|>commentary<|message|>{}";
  const result: Message = { role: "tool", content: "21", tool_call_id: "call_0" };
  const answer = "<|start|>functions.weather to=assistant<|channel|>commentary<|message|>21<|end|><|start|>assistant";

  test("a result is named after the call that was sampled", () => {
    expect(bridged(`${called}<|call|>`, [result])).toBe(answer);
    expect(bridged(`${called}<|call|>`, [{ ...result, name: "rain" }])).toContain("functions.rain to=assistant");
  });

  test("several calls may stand in a turn; the last one ends it", () => {
    const two = `${called}<|call|><|start|>assistant to=functions.rain<|channel|>commentary<|message|>{}<|call|>`;
    expect(bridged(two, [result, { ...result, content: "no" }])).toMatch(
      /^<\|start\|>functions\.weather to=.*functions\.rain to=/s,
    );
    expect(bridged(two, [result])).toBe("unresolved_tool_name");
    expect(bridged(`${called}<|call|>and more`, [result])).toBe("tokens_after_stop");
  });

  test("a turn that was cut is closed as far as it is open", () => {
    const note: Message = { role: "developer", content: "Go on." };
    const after = "<|start|>developer<|message|># Instructions\n\nGo on.<|end|><|start|>assistant";
    const analysis = "<|channel|>analysis<|message|>Look.<|end|>";
    const cases: [completion: string, close: string][] = [
      ["", "<|channel|>final<|message|><|end|>"],
      ["<|channel|>", "final<|message|><|end|>"],
      ["<|channel|>ana", "<|message|><|end|>"],
      ["<|channel|>analysis<|message|>Loo", "<|end|>"],
      [analysis, ""],
      [`${analysis}<|start|>`, "assistant<|channel|>final<|message|><|end|>"],
      [`${analysis}<|start|>assistant to=functions.we`, "<|channel|>commentary<|message|><|end|>"],
      [called, "<|end|>"],
    ];
    for (const [completion, close] of cases) {
      const bridge_ = bridge(completion, [note]);
      expect(bridge_).toMatchObject({ ok: true, synthetic: close === "" ? null : [0, ids(close).length] });
      expect(bridged(completion, [note])).toBe(close + after);
    }
  });

  test("a user's query drops analysis, unless all is kept; a stop inside analysis ends no turn", () => {
    const said = "<|channel|>final<|message|>Hello.<|return|>";
    expect(bridged(said, [user])).toBe("new_user_query");
    expect(bridged(said, [user], gptOss({ thinkingRetention: "all" }))).toBe(
      "<|start|>user<|message|>hi<|end|><|start|>assistant",
    );
    expect(bridged("<|channel|>analysis<|message|>Hm.<|return|>", [result])).toBe("unclosed_reasoning");
  });
});
