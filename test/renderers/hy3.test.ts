import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Hy3ConfigInput, Message, ToolSpec } from "../../src/index.ts";
import { awkwardStrings, bridgeEqualsRender, roundTrips, sampledTurn } from "../../src/testing/index.ts";
import { familyRenderer } from "../support/families.ts";

const hy3 = (config: Omit<Hy3ConfigInput, "name"> = {}) => familyRenderer({ name: "hy3", ...config });
const short = (text: string) => text.replaceAll(":opensource", "").replace(/<｜hy_(\w+)｜>/g, "<$1>");
const long = (text: string) =>
  text.replace(/<(\/?)(think|tool\w*|arg\w*)>/g, "<$1$2:opensource>").replaceAll("<eos>", "<｜hy_eos:opensource｜>");
const user: Message = { role: "user", content: "hi" };
const search: ToolSpec = {
  type: "function",
  function: { name: "search", parameters: { type: "object", properties: { q: { type: "string" } } } },
};
const asked = (args = {}): Message => ({
  role: "assistant",
  content: "a",
  reasoning_content: "r",
  tool_calls: [{ id: "a", type: "function", function: { name: "search", arguments: args } }],
});
const result: Message = { role: "tool", content: "r", tool_call_id: "a" };

function rendered(config: Omit<Hy3ConfigInput, "name">, messages: Message[], options = {}): string {
  const renderer = hy3(config);
  return short(renderer.tokenizer.decode(renderer.renderIds(messages, options)));
}

function read(config: Omit<Hy3ConfigInput, "name">, completion: string, addGenerationPrompt = true) {
  const renderer = hy3(config);
  const prompt = renderer.renderIds([user], { addGenerationPrompt });
  const ids = renderer.tokenizer.encode(long(completion).replaceAll("<Assistant>", "<｜hy_Assistant:opensource｜>"));
  return renderer.parseResponse(ids, { prompt, tools: [search] });
}

describe("rendering", () => {
  test("all system messages stand in the header, before the tools and the effort", () => {
    const system = (content: string): Message => ({ role: "system", content });
    expect(rendered({}, [system("A"), user, system("B")])).toBe(
      "<begin_of_sentence>AB<｜reasoning_mode｜>reasoning_effort:no_think<User>hi",
    );
    const withTools = (messages: Message[]) => rendered({ reasoningEffort: "low" }, messages, { tools: [search] });
    expect(withTools([user])).toMatch(/^<begin_of_sentence># Tools/);
    expect(withTools([system("A"), user])).toMatch(/^<begin_of_sentence>A\n\n# Tools/);
    expect(withTools([user])).toContain("print </tool_calls><｜reasoning_mode｜>reasoning_effort:low<User>hi");
  });

  test("results share a section until the next turn", () => {
    expect(rendered({}, [user, asked(), result, result, user], { addGenerationPrompt: true })).toContain(
      "</tool_calls><eos><tool_responses>\n<tool_response>\nr\n</tool_response>\n<tool_response>\nr\n</tool_response>\n" +
        "</tool_responses><User>hi<Assistant><think></think>",
    );
  });

  test("thinking stays after the last user message, with tools everywhere; explicit knobs win", () => {
    const keeps = (config: Omit<Hy3ConfigInput, "name">, options = {}) =>
      rendered(config, [user, asked(), result, user], options).includes("<think>r</think>");
    expect([keeps({}), keeps({}, { tools: [search] })]).toEqual([false, true]);
    expect([keeps({ preservedThinking: true }), keeps({ isTraining: true })]).toEqual([true, true]);
    expect(keeps({ preservedThinking: false }, { tools: [search] })).toBe(false);
    expect(rendered({}, [user, asked(), result])).toContain("<think>r</think>");
  });

  test("the last turn is open, ended or raw", () => {
    const last: Message = { role: "assistant", content: "a", reasoning_content: "r" };
    expect(rendered({}, [user, last])).toMatch(/<Assistant><think>r<\/think>a$/);
    expect(rendered({ isTraining: true }, [user, last])).toMatch(/<Assistant><think>r<\/think>a<eos>$/);
    expect(rendered({ rawLastAssistant: true }, [user, last])).toMatch(/<Assistant>a$/);
    expect(rendered({ rawLastAssistant: true }, [user, asked()])).toMatch(/<\/tool_calls><eos>$/);
  });

  test("thinking is sampled only where the model writes it", () => {
    const sampled = (reasoningEffort: "no_think" | "high") => {
      const renderer = hy3({ reasoningEffort });
      const { tokenIds, sampledMask } = renderer.render([user, asked(), result]);
      return short(renderer.tokenizer.decode(tokenIds.filter((_, i) => sampledMask[i] === 1)));
    };
    expect(sampled("no_think")).toMatch(/^a<tool_calls>/);
    expect(sampled("high")).toMatch(/^r<\/think>a<tool_calls>/);
  });
});

describe("reading", () => {
  test("turns read back whatever the effort, white space and all", () => {
    fc.assert(roundTrips(hy3({ reasoningEffort: "high" })), { numRuns: 80 });
    fc.assert(roundTrips(hy3({ isTraining: true })), { numRuns: 80 });
    fc.assert(bridgeEqualsRender(hy3({ reasoningEffort: "low" })), { numRuns: 40 });
  });

  test("every awkward string survives as an argument, markers of this format too", () => {
    const renderer = hy3();
    const own = ["</arg_value>", "a</arg_value>b", "</tool_call>", "x</tool_calls>y", "<tool_sep>"].map(long);
    for (const q of [...awkwardStrings, ...own]) {
      const turn = sampledTurn(renderer, [user, asked({ q })], [search]);
      const parsed = renderer.parseResponse(turn?.completion ?? [], { prompt: turn?.prompt ?? [], tools: [search] });
      expect(parsed.toolCalls).toHaveLength(1);
      expect(parsed.toolCalls[0]).toMatchObject({ name: "search", arguments: { q }, status: "ok" });
      expect(parsed.canonical).toBe(true);
    }
  });

  test("a call counts without its section, and without the end of its name", () => {
    const bare = "<tool_call>search<tool_sep>\n<arg_key>q</arg_key>\n<arg_value>x</arg_value>\n</tool_call>";
    const parsed = read({}, `a${bare}<eos>`);
    expect(parsed).toMatchObject({ content: "a", canonical: false });
    expect(parsed.toolCalls[0]).toMatchObject({ name: "search", arguments: { q: "x" }, status: "ok" });
    const [call] = read({}, `${bare.replace("<tool_sep>", "")}<eos>`).toolCalls;
    expect(call).toMatchObject({ name: "search", arguments: { q: "x" }, status: "ok" });
  });

  test("damaged calls have a status and keep their text", () => {
    const first = (body: string) =>
      read({}, `<tool_calls>\n<tool_call>${body}</tool_call>\n</tool_calls><eos>`).toolCalls[0];
    expect(first("<tool_sep>\n")).toMatchObject({ name: null, status: "missing_name" });
    expect(first("search<tool_sep>\n<arg_key>q</arg_key>\n")).toMatchObject({ status: "malformed_structure" });
    expect(read({}, "<tool_calls>\n<tool_call>search<tool_sep>\n<arg_key>q").toolCalls[0]).toMatchObject({
      status: "unclosed_block",
      raw: long("search<tool_sep>\n<arg_key>q"),
    });
  });

  test("no marker of thinking is read after a prompt that has closed it, and a call does not end open thinking", () => {
    expect(read({}, "a</think>b<eos>")).toMatchObject({ content: long("a</think>b"), reasoning: null });
    const open = read(
      { reasoningEffort: "high" },
      "go<tool_calls>\n<tool_call>search<tool_sep>\n</tool_call>\n</tool_calls><eos>",
    );
    expect(open).toMatchObject({ content: "", toolCalls: [], reasoning: { complete: false } });
  });

  test("the turn's own header is read where no generation prompt was written", () => {
    const retry = { fallbackStrategy: "reasoning_toolcall_retry" } as const;
    expect(rendered(retry, [user], { addGenerationPrompt: true })).toMatch(/reasoning_effort:high<User>hi$/);
    expect(read(retry, "<Assistant><think>r</think>c<eos>")).toMatchObject({
      content: "c",
      reasoning: { text: "r", complete: true },
      canonical: true,
    });
  });
});

describe("bridge", () => {
  const renderer = hy3({ reasoningEffort: "high" });
  const promptIds = renderer.renderIds([user], { addGenerationPrompt: true });
  const bridge = (completion: string, newMessages: Message[], request = {}) =>
    renderer.bridgeToNextTurn({
      promptIds,
      completionIds: renderer.tokenizer.encode(long(completion)),
      newMessages,
      ...request,
    });
  const extension = (...args: Parameters<typeof bridge>) => {
    const result = bridge(...args);
    return result.ok ? short(renderer.tokenizer.decode(result.extension.tokenIds)) : result.reason;
  };

  test("results open a section, and close it before the next turn", () => {
    expect(extension("r</think>a<eos>", [result])).toBe(
      "<tool_responses>\n<tool_response>\nr\n</tool_response>\n</tool_responses><Assistant><think>",
    );
  });

  test("a cut turn is closed, its thinking first", () => {
    expect(extension("r", [result])).toMatch(/^<\/think><eos><tool_responses>/);
    expect(extension("r</think>a", [result])).toMatch(/^<eos><tool_responses>/);
    expect(extension("r<eos>", [result])).toBe("unclosed_reasoning");
  });

  test("what it cannot write is refused, and a user's query depends on the tools", () => {
    expect(extension("r</think>a<eos>", [{ role: "system", content: "s" }])).toBe("role_not_rendered");
    expect(extension("r</think>a<eos>", [user])).toBe("new_user_query");
    expect(extension("r</think>a<eos>", [user], { tools: [search] })).toBe("<User>hi<Assistant><think>");
    const quiet = hy3();
    const prompt = quiet.renderIds([user], { addGenerationPrompt: true });
    expect(quiet.bridgeToNextTurn({ promptIds: prompt, completionIds: [], newMessages: [result] })).toMatchObject({
      ok: false,
      reason: "empty_completion",
    });
  });
});
