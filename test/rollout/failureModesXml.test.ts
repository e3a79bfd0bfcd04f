/*
 * The ways in which re-rendering breaks a rollout, on Qwen3.5's XML calls: there values have no quotes, and the published
 * template prints them as Python does.
 */
import { describe, expect, test } from "vitest";
import { type Message, Rollout, type ToolSpec, type Turn } from "../../src/index.ts";
import { familyRenderer } from "../support/families.ts";

const edit: ToolSpec = {
  type: "function",
  function: {
    name: "edit",
    description: "Edits a file.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string" },
        all: { type: "boolean" },
        old: { type: "string" },
        line: { type: ["integer", "null"] },
      },
    },
  },
};
const tools = [edit];
const question: Message = { role: "user", content: "Rename it." };

const bridging = familyRenderer({ name: "qwen3.5", thinkingRetention: "all" });
const published = familyRenderer({ name: "qwen3.5" });
const patched = familyRenderer({ name: "qwen3.5", patched: true });
const { tokenizer } = bridging;
const ids = (text: string) => tokenizer.encode(text);

const parameter = (name: string, value: string) => `<parameter=${name}>\n${value}\n</parameter>\n`;
const call = (body: string, before = "hm\n</think>\n\n") =>
  `${before}<tool_call>\n<function=edit>\n${body}</function>\n</tool_call><|im_end|>`;

const startsWith = (all: Int32Array, start: readonly number[]): boolean => start.every((id, i) => all[i] === id);

/** Samples a turn and its tool's result; tells which ways of going on keep the past, and what was read. */
function afterTurn(completion: Int32Array | readonly number[]) {
  const rollout = new Rollout({ renderer: bridging, messages: [question], tools });
  const prompt = rollout.promptIds;
  const { message } = rollout.addCompletion({ ids: completion });
  const past = [...prompt, ...completion];
  const tool_call_id = message.tool_calls?.[0]?.id ?? "";
  const broken = rollout.addMessages([{ role: "tool", content: "done", tool_call_id }]);
  const options = { tools, addGenerationPrompt: true, orphanResults: true };
  return {
    turn: rollout.turns[0] as Turn,
    broken,
    keeps: {
      bridge: startsWith(rollout.promptIds, past),
      published: startsWith(published.renderIds(rollout.messages, options), past),
      patched: startsWith(patched.renderIds(rollout.messages, options), past),
    },
  };
}

describe("failure modes of re-rendering XML calls", () => {
  test("a call that the template writes alike keeps the past in every way", () => {
    const { keeps, turn } = afterTurn(ids(call(parameter("path", "a.py"))));
    expect(turn.parsed.canonical).toBe(true);
    expect(keeps).toEqual({ bridge: true, published: true, patched: true });
  });

  test("a boolean that was sampled as false comes back as False", () => {
    const { keeps, turn } = afterTurn(ids(call(parameter("path", "a.py") + parameter("all", "false"))));
    expect(turn.parsed.toolCalls[0]).toMatchObject({ status: "ok", arguments: { path: "a.py", all: false } });
    expect(keeps).toEqual({ bridge: true, published: false, patched: true });
  });

  test("null comes back as None", () => {
    const { keeps, turn } = afterTurn(ids(call(parameter("line", "null"))));
    expect(turn.parsed.toolCalls[0].arguments).toEqual({ line: null });
    expect(keeps).toEqual({ bridge: true, published: false, patched: true });
  });

  test("a merge moves inside a value", () => {
    const split = ["json", "p", "enderer"].flatMap((one) => [...ids(one)]);
    expect([...ids("jsonpenderer")]).not.toEqual(split);
    const [before, after] = call(parameter("old", "\0")).split("\0");
    const { keeps, turn } = afterTurn([...ids(before), ...split, ...ids(after)]);
    expect(turn.parsed.toolCalls[0].arguments).toEqual({ old: "jsonpenderer" });
    expect(keeps).toEqual({ bridge: true, published: false, patched: false });
  });

  test("a call without arguments with a stray closing tag loses it", () => {
    const { keeps, turn } = afterTurn(ids(call("</parameter>\n")));
    expect(turn.parsed.canonical).toBe(false);
    expect(turn.parsed.toolCalls[0].raw).toContain("</parameter>");
    expect(keeps.bridge).toBe(true);
    expect(keeps.published).toBe(false);
  });

  test("a value keeps its empty lines and its own closing tag, which a template's client would lose", () => {
    const value = "\n  a</parameter>b\n\n";
    const { turn, keeps } = afterTurn(ids(call(parameter("old", value))));
    expect(turn.parsed.toolCalls[0]).toMatchObject({ status: "ok", arguments: { old: value } });
    expect(keeps).toEqual({ bridge: true, published: true, patched: true });
  });

  test("content loses the white space at its edges", () => {
    const { keeps } = afterTurn(ids(call(parameter("path", "a"), "hm\n</think>\n\n  I will. \n\n")));
    expect(keeps).toEqual({ bridge: true, published: false, patched: true });
  });

  test("an empty completion, as a length limit leaves it, is bridged by a synthesised close", () => {
    const rollout = new Rollout({ renderer: bridging, messages: [question], tools });
    const prompt = [...rollout.promptIds];
    rollout.addCompletion({ ids: [] });
    expect(rollout.addMessages([{ role: "user", content: "Well?" }])).toBeNull();
    expect(startsWith(rollout.promptIds, prompt)).toBe(true);
    expect(tokenizer.decode(rollout.promptIds.subarray(prompt.length))).toMatch(/^\n?<\/think>\n\n<\|im_end\|>\n/);
  });

  test("a scaffold that repairs a call breaks the sequence, and is told where", () => {
    const rollout = new Rollout({ renderer: bridging, messages: [question], tools });
    rollout.addCompletion({ ids: ids(call(parameter("pth", "a.py"))) });
    const repaired = rollout.messages.map((message) =>
      message.tool_calls
        ? {
            ...message,
            tool_calls: message.tool_calls.map((one) => ({
              ...one,
              function: { name: "edit", arguments: '{"path": "a.py"}' },
            })),
          }
        : message,
    );
    const tool_call_id = rollout.turns[0].message.tool_calls?.[0]?.id ?? "";
    const broken = rollout.continueWith([...repaired, { role: "tool", content: "done", tool_call_id }]);
    expect(broken).toMatchObject({ reason: "history_rewritten", at: { message: 1, field: "tool_calls[0]" } });
  });
});
