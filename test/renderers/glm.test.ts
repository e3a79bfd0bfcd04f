import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Message, type RendererConfigInput, type ToolSpec, toOpenAIMessage } from "../../src/index.ts";
import { awkwardStrings, roundTrips, sampledTurn, turns } from "../../src/testing/index.ts";
import { familyRenderer } from "../support/families.ts";

type Name = "glm-4.5" | "glm-5" | "glm-5.1" | "glm-5.3";
const names: readonly Name[] = ["glm-4.5", "glm-5", "glm-5.1", "glm-5.3"];

const glm = (config: { name: Name } & Record<string, unknown>) =>
  familyRenderer(config as RendererConfigInput, ["/nothink", "<tool_response>", "</tool_response>"]);
const user: Message = { role: "user", content: "hi" };
const search: ToolSpec = {
  type: "function",
  function: {
    name: "search",
    parameters: { type: "object", properties: { q: { type: "string" }, n: { type: "number" } } },
    strict: true,
  },
};

function call(args: Record<string, never>, id = "call_0"): NonNullable<Message["tool_calls"]>[number] {
  return { id, type: "function", function: { name: "search", arguments: args } };
}

/** A text after the prompt of one user message, read as a completion. */
function read(name: Name, completion: string, { tools = [search], ...config }: Record<string, unknown> = {}) {
  const renderer = glm({ name, ...config });
  const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
  const options = { prompt, tools: tools as ToolSpec[] | null };
  return renderer.parseResponse(renderer.tokenizer.encode(completion), options);
}

const rendered = (renderer: ReturnType<typeof glm>, messages: Message[], addGenerationPrompt = false): string =>
  renderer.tokenizer.decode(renderer.renderIds(messages, { addGenerationPrompt, orphanResults: true }));

describe.each(names)("%s", (name) => {
  const renderer = glm({ name });
  const { tokenizer } = renderer;
  const id = (text: string) => tokenizer.tokenToId(text) as number;

  test("turns read back with thinking kept or off, too", () => {
    if (name !== "glm-4.5") fc.assert(roundTrips(glm({ name, clearThinking: false })), { numRuns: 60 });
    if (name === "glm-5.3") return;
    const quiet = glm({ name, enableThinking: false });
    const words = fc.stringMatching(/^([a-z]+( |\n+)?[a-z.]+)?$/);
    fc.assert(
      fc.property(turns({ words, reasoning: false }), ({ message, tools }) => {
        const turn = sampledTurn(quiet, [user, message], tools);
        const parsed = quiet.parseResponse(turn?.completion ?? [], { prompt: turn?.prompt ?? [], tools });
        expect(parsed).toMatchObject({ content: message.content, reasoning: null, canonical: true });
        expect(parsed.toolCalls.map((one) => one.name)).toEqual(
          (message.tool_calls ?? []).map((one) => one.function?.name),
        );
        expect(parsed.toolCalls.every((one) => one.status === "ok")).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("every awkward string survives as an argument", () => {
    for (const q of [...awkwardStrings, "</arg_value>", "a</arg_value>b", "</arg_key><arg_value>", "x</tool_call>\n"]) {
      const message: Message = { role: "assistant", content: "", tool_calls: [call({ q } as never)] };
      const turn = sampledTurn(renderer, [user, message], [search]);
      const parsed = renderer.parseResponse(turn?.completion ?? [], { prompt: turn?.prompt ?? [], tools: [search] });
      expect(parsed.toolCalls).toHaveLength(1);
      expect(parsed.toolCalls[0]).toMatchObject({ name: "search", arguments: { q }, status: "ok" });
      expect(parsed.canonical).toBe(true);
    }
  });

  test("the marker after an assistant's turn is the turn's own, and sampled", () => {
    const messages: Message[] = [
      user,
      { role: "assistant", content: "a", tool_calls: [call({})] },
      { role: "tool", content: "r", tool_call_id: "call_0" },
      { role: "assistant", content: "b" },
      user,
    ];
    const { tokenIds, messageIndices, sampledMask } = renderer.render(messages, { tools: [search] });
    const place = (text: string, from: number) => tokenIds.indexOf(id(text), from);
    const first = tokenIds.indexOf(id("<|user|>"));
    const observation = place("<|observation|>", 0);
    const last = place("<|user|>", observation);
    expect([first, observation, last].map((at) => [messageIndices[at], sampledMask[at]])).toEqual([
      [0, 0],
      [1, 1],
      [3, 1],
    ]);
  });

  test("a bridge does not repeat the marker that the model sampled", () => {
    const keeps = glm({ name, thinkingRetention: "all" });
    const turn = sampledTurn(keeps, [user, { role: "assistant", content: "a", tool_calls: [call({})] }], [search]);
    const spoken = Array.from(turn?.completion.slice(0, -1) ?? []);
    const bridge = (stop: string | null, message: Message) => {
      const completionIds = stop === null ? spoken : [...spoken, id(stop)];
      const result = keeps.bridgeToNextTurn({ promptIds: turn?.prompt ?? [], completionIds, newMessages: [message] });
      return result.ok ? [tokenizer.decode(result.extension.tokenIds), result.synthetic] : [result.reason];
    };
    const result: Message = { role: "tool", content: "r", tool_call_id: "call_0" };
    const [afterObservation, none] = bridge("<|observation|>", result);
    expect(none).toBeNull();
    expect(afterObservation).not.toContain("<|observation|>");
    expect(bridge("<|user|>", result)[0]).toBe(`<|observation|>${afterObservation}`);
    expect(bridge("<|endoftext|>", result)[0]).toBe(`<|observation|>${afterObservation}`);
    expect(bridge(null, result)).toEqual([`<|endoftext|><|observation|>${afterObservation}`, [0, 1]]);
    expect(bridge("<|user|>", user)[0]).not.toContain("<|user|>");
  });

  test("open thinking is closed after a truncation, and refused after a stop", () => {
    const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
    const bridge = (completion: string) =>
      renderer.bridgeToNextTurn({
        promptIds: prompt,
        completionIds: tokenizer.encode(completion),
        newMessages: [{ role: "tool", content: "r" }],
      });
    for (const thought of [`${name === "glm-4.5" ? "\n<think>" : ""}so`, ""]) {
      const cut = bridge(thought);
      expect(cut.ok && tokenizer.decode(cut.extension.tokenIds)).toMatch(/^<\/think><\|endoftext\|><\|observation\|>/);
      expect(cut.ok && cut.synthetic).toEqual([0, 2]);
      expect(bridge(`${thought}<|user|>`)).toMatchObject({ ok: false, reason: "unclosed_reasoning" });
    }
  });

  test("damaged calls have a status and keep their text", () => {
    const open = name === "glm-4.5" ? "<think></think>" : "</think>";
    const first = (body: string) => read(name, `${open}<tool_call>${body}</tool_call><|observation|>`).toolCalls[0];
    const pair = (key: string, value: string) => `<arg_key>${key}</arg_key><arg_value>${value}</arg_value>`;
    expect(first("search")).toMatchObject({ name: "search", arguments: {}, status: "ok" });
    expect(first(pair("q", "x"))).toMatchObject({ name: null, status: "missing_name" });
    expect(first(`nothing${pair("q", "x")}`)).toMatchObject({ name: "nothing", status: "unknown_tool" });
    expect(first(`search${pair("n", "much")}`)).toMatchObject({ arguments: { n: "much" }, status: "invalid_json" });
    expect(first(`search${pair("q", "x")}<arg_key>n`)).toMatchObject({
      arguments: { q: "x" },
      status: "malformed_structure",
    });
    expect(first("search<arg_value>x</arg_value>")).toMatchObject({ name: "search", status: "malformed_structure" });
    expect(first(`search${pair("q", "x")}, ${pair("n", "1")}`)).toMatchObject({
      arguments: { q: "x", n: 1 },
      status: "ok",
    });
    const cut = read(name, `${open}a<tool_call>search<arg_key>q`);
    expect(cut).toMatchObject({ content: "a", canonical: false });
    expect(cut.toolCalls[0]).toMatchObject({ name: null, status: "unclosed_block", raw: "search<arg_key>q" });
  });

  test("a value without its end does not swallow the next call", () => {
    const open = name === "glm-4.5" ? "<think></think>" : "</think>";
    const whole = "search<arg_key>q</arg_key><arg_value>y</arg_value>";
    const broken = "search<arg_key>q</arg_key><arg_value>x";
    const { toolCalls } = read(name, `${open}<tool_call>${broken}</tool_call><tool_call>${whole}</tool_call><|user|>`);
    expect(toolCalls.map(({ status }) => status)).toEqual(["malformed_structure", "ok"]);
    expect(toolCalls[1].arguments).toEqual({ q: "y" });
  });

  test("without schemas a text that is also a value is ambiguous", () => {
    const open = name === "glm-4.5" ? "<think></think>" : "</think>";
    const body = (value: string) => `search<arg_key>q</arg_key><arg_value>${value}</arg_value>`;
    const first = (value: string) =>
      read(name, `${open}<tool_call>${body(value)}</tool_call><|user|>`, { tools: null }).toolCalls[0];
    expect(first("42")).toMatchObject({ arguments: { q: 42 }, status: "ambiguous_arguments" });
    expect(first("1e16").argumentsText).toBe('{"q": 1e16}');
    expect(first("fourty")).toMatchObject({ arguments: { q: "fourty" }, status: "ok" });
  });

  test("a call's marker inside thinking that closes is only talked about; without the close it was meant", () => {
    const open = name === "glm-4.5" ? "\n<think>" : "";
    const talk = read(name, `${open}say <tool_call> now</think>done<|user|>`);
    expect(talk.reasoning).toEqual({ text: "say <tool_call> now", complete: true });
    expect(talk).toMatchObject({ content: "done", toolCalls: [] });
    const meant = read(name, `${open}go<tool_call>search</tool_call><|observation|>`);
    expect(meant.reasoning).toEqual({ text: "go", complete: true });
    expect(meant.toolCalls[0]).toMatchObject({ name: "search", status: "ok" });
  });

  test("what a patched renderer reads, it renders again, white space and all", () => {
    const patched = glm({ name, patched: true });
    const words = fc.stringMatching(/^[ \n]{0,2}[a-z]{0,3}[ \n]{0,2}$/);
    fc.assert(
      fc.property(words, words, fc.boolean(), (content, reasoning_content, calls) => {
        const message: Message = {
          role: "assistant",
          content,
          reasoning_content,
          ...(calls ? { tool_calls: [call({ q: content } as never)] } : {}),
        };
        const turn = sampledTurn(patched, [user, message], [search]);
        if (turn === null) throw new Error("nothing was sampled");
        const parsed = patched.parseResponse(turn.completion, { prompt: turn.prompt, tools: [search] });
        expect(parsed).toMatchObject({ content, reasoning: { text: reasoning_content }, canonical: true });
        const again = sampledTurn(patched, [user, toOpenAIMessage(parsed).message], [search]);
        expect(again?.completion).toEqual(turn.completion);
      }),
      { numRuns: 150 },
    );
  });
});

describe("GLM-4.5", () => {
  test("says without a marker that it thinks", () => {
    expect(read("glm-4.5", "plain")).toMatchObject({ content: "", reasoning: { text: "plain", complete: false } });
    expect(read("glm-4.5", "\n")).toMatchObject({ content: "", reasoning: { complete: false } });
    expect(read("glm-4.5", "\n<think>r</think>\nc<|user|>")).toMatchObject({
      content: "c",
      reasoning: { text: "r", complete: true },
      canonical: true,
    });
    expect(read("glm-4.5", "<think>r</think>\nc<|user|>").canonical).toBe(false);
  });

  test("asks for no thinking with a suffix, once", () => {
    const quiet = glm({ name: "glm-4.5", enableThinking: false });
    const prompt = (content: string) => rendered(quiet, [{ role: "user", content }], true);
    const expected = "[gMASK]<sop><|user|>\nhi/nothink<|assistant|>\n<think></think>";
    expect(prompt("hi")).toBe(expected);
    expect(prompt("hi/nothink")).toBe(expected);
    expect(read("glm-4.5", "\nhi<|user|>", { enableThinking: false })).toMatchObject({
      content: "hi",
      reasoning: null,
      canonical: true,
    });
  });
});

describe("GLM-5 and after", () => {
  const turn: Message = { role: "assistant", content: " a ", reasoning_content: " r " };

  test("a turn without thinking is a lone close, an empty block, or both by its place", () => {
    const blank: Message = { role: "assistant", content: "a" };
    const greeting: Message = { role: "user", content: "hello" };
    const tail = (name: Name, config = {}) =>
      rendered(glm({ name, ...config }), [greeting, blank, greeting, blank]).split("hello");
    expect(tail("glm-5").slice(1)).toEqual(["<|assistant|></think>a<|user|>", "<|assistant|></think>a"]);
    expect(tail("glm-5.1").slice(1)).toEqual(["<|assistant|></think>a<|user|>", "<|assistant|><think></think>a"]);
    expect(tail("glm-5.1", { enableThinking: false }).at(-1)).toBe("<|assistant|></think>a");
    expect(tail("glm-5.3").slice(1)).toEqual([
      "<|assistant|><think></think>a<|user|>",
      "<|assistant|><think></think>a",
    ]);
  });

  test("GLM-5.3 keeps the thinking of all turns by the letter, unless told otherwise", () => {
    const text = (config = {}) => rendered(glm({ name: "glm-5.3", ...config }), [user, turn, user]);
    expect(text()).toBe(
      "[gMASK]<sop><|system|>Reasoning Effort: Max<|user|>hi<|assistant|><think> r </think>a<|user|>hi",
    );
    expect(text({ clearThinking: true })).toContain("<|assistant|><think></think>a");
  });

  test("GLM-5.3 sorts results by the calls, where that is clear", () => {
    const asked: Message = { role: "assistant", content: "", tool_calls: [call({}, "a"), call({}, "b")] };
    const result = (content: string, of?: string): Message => ({
      role: "tool",
      content,
      ...(of === undefined ? {} : { tool_call_id: of }),
    });
    const order = (name: Name, ...results: Message[]) => {
      const { tokenIds, messageIndices } = glm({ name }).render([user, asked, ...results], { orphanResults: true });
      const text = glm({ name }).tokenizer.decode(tokenIds);
      return [[...text.matchAll(/<tool_response>(\w+)/g)].map(([, one]) => one).join(), messageIndices.at(-1)];
    };
    expect(order("glm-5.3", result("B", "b"), result("A", "a"))).toEqual(["A,B", 2]);
    expect(order("glm-5.3", result("B", "b"), result("A"))).toEqual(["B,A", 3]);
    expect(order("glm-5.3", result("B", "b"), result("C", "b"))).toEqual(["B,C", 3]);
    expect(order("glm-5", result("B", "b"), result("A", "a"))).toEqual(["B,A", 3]);
  });

  test("tools are printed as given, or without their envelope", () => {
    const line = (name: Name) => {
      const renderer = glm({ name });
      const text = renderer.tokenizer.decode(renderer.renderIds([user], { tools: [search] }));
      return text.split("\n").find((one) => one.startsWith("{"));
    };
    expect(line("glm-5")).toMatch(/^{"type": "function", "function": {"name": "search".*"strict": true}}$/);
    expect(line("glm-5.1")).toMatch(/^{"name": "search".*}$/);
    expect(line("glm-5.1")).not.toContain("strict");
  });

  test("a whole turn without a generation prompt reads the same", () => {
    const renderer = glm({ name: "glm-5" });
    const prompt = renderer.renderIds([user]);
    const ids = [...prompt, renderer.tokenizer.tokenToId("<|assistant|>") as number];
    const parsed = (text: string) => renderer.parseResponse(renderer.tokenizer.encode(text), { prompt: ids });
    expect(parsed("<think>r</think>c<|user|>")).toMatchObject({
      content: "c",
      reasoning: { text: "r" },
      canonical: true,
    });
    expect(parsed("</think>c<|user|>")).toMatchObject({ content: "c", reasoning: { text: "" }, canonical: true });
  });

  test("arguments that are no object are an error where the template raises", () => {
    const bad: Message = {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "a", type: "function", function: { name: "search", arguments: "{" } }],
    };
    const text = (name: Name) => rendered(glm({ name, validate: "template" }), [user, bad]);
    expect(text("glm-5")).toContain("<tool_call>search</tool_call>");
    expect(() => text("glm-5.3")).toThrow(/tool_calls\[0\]\.function\.arguments/);
  });
});
