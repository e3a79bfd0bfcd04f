/*
 * The ways in which re-rendering breaks a rollout, one test each: the same conversation, rendered anew for the next turn,
 * does not start with what was prompted and sampled; bridged, it does.
 */
import { describe, expect, test } from "vitest";
import { type Message, Rollout } from "../../src/index.ts";
import { calculator, call, ids, qwen3, tokenizer } from "../support/qwen3.ts";

const tools = [calculator];
const question: Message = { role: "user", content: "What is 2 + 3?" };
const result = (rollout: Rollout, content = "5"): Message => ({
  role: "tool",
  content,
  tool_call_id: rollout.turns.at(-1)?.message.tool_calls?.[0]?.id ?? "",
});

const startsWith = (all: Int32Array, start: readonly number[] | Int32Array): boolean =>
  start.every((id, i) => all[i] === id);

/** Samples a turn, adds what follows, and tells whether the next prompt keeps the past: bridged, and rendered anew. */
function nextTurn(options: {
  readonly completion: Int32Array | readonly number[];
  readonly followUp: (rollout: Rollout) => Message[];
  readonly rendered?: (messages: readonly Message[]) => readonly Message[];
}) {
  const renderer = qwen3({ thinkingRetention: "all" });
  const rollout = new Rollout({ renderer, messages: [question], tools });
  const prompt = rollout.promptIds;
  rollout.addCompletion({ ids: options.completion });
  const past = [...prompt, ...options.completion];
  expect(rollout.addMessages(options.followUp(rollout))).toBeNull();
  const messages = options.rendered?.(rollout.messages) ?? rollout.messages;
  const rendered = qwen3({ validate: "template" }).renderIds(messages, { tools, addGenerationPrompt: true });
  return { rollout, bridged: startsWith(rollout.promptIds, past), rerendered: startsWith(rendered, past) };
}

describe("failure modes of re-rendering", () => {
  test("a boolean comes back as Python's False", () => {
    const bridged = qwen3({ thinkingRetention: "all" });
    const rollout = new Rollout({ renderer: bridged, messages: [question], tools });
    rollout.addCompletion({ ids: ids(`<think>\nhm\n</think>\n\n${call("compare", '{"left": 2}')}<|im_end|>`) });
    rollout.addMessages([result(rollout, "false")]);
    const sent = rollout.promptIds;
    expect(tokenizer.decode(sent)).toContain("<tool_response>\nfalse\n</tool_response>");
    rollout.addCompletion({ ids: ids("<think>\nno\n</think>\n\nNo.<|im_end|>") });
    rollout.addMessages([{ role: "user", content: "Sure?" }]);
    expect(startsWith(rollout.promptIds, sent)).toBe(true);
    expect(rollout.breaks).toEqual([]);
    // The client has parsed the tool's JSON; its template prints the value.
    const parsed = rollout.messages
      .slice(0, 3)
      .map((message) =>
        message.role === "tool" ? { ...message, content: JSON.parse(String(message.content)) } : message,
      );
    const rerendered = qwen3({ validate: "template" }).renderIds(parsed, { tools, addGenerationPrompt: true });
    expect(tokenizer.decode(rerendered)).toContain("<tool_response>\nFalse\n</tool_response>");
    expect(startsWith(rerendered, sent)).toBe(false);
  });

  test("a merge moves: json·p·enderer is sampled, jsonp·enderer is what the text encodes to", () => {
    const sampled = [
      ...ids("<think>\n"),
      ...["json", "p", "enderer"].flatMap((one) => [...ids(one)]),
      ...ids("\n</think>\n\n"),
      ...ids(`${call("calculator", '{"expression": "2 + 3"}')}<|im_end|>`),
    ];
    expect(ids("jsonpenderer")).not.toEqual(Int32Array.from(["json", "p", "enderer"].flatMap((one) => [...ids(one)])));
    const { bridged, rerendered, rollout } = nextTurn({ completion: sampled, followUp: (one) => [result(one)] });
    expect(rollout.turns[0].parsed.canonical).toBe(true);
    expect(bridged).toBe(true);
    expect(rerendered).toBe(false);
  });

  test("a call without arguments is written in another way", () => {
    const completion = ids('<think>\nhm\n</think>\n\n<tool_call>\n{"name": "calculator"}\n</tool_call><|im_end|>');
    const { bridged, rerendered, rollout } = nextTurn({ completion, followUp: (one) => [result(one)] });
    expect(rollout.turns[0].parsed.toolCalls[0]).toMatchObject({ status: "ok", arguments: {} });
    expect(bridged).toBe(true);
    expect(rerendered).toBe(false);
  });

  test("arguments lose their white space when a client parses and prints them", () => {
    const completion = ids(`<think>\nhm\n</think>\n\n${call("calculator", '{"expression":"2 + 3"}')}<|im_end|>`);
    const reprinted = (messages: readonly Message[]) =>
      messages.map((message) => ({
        ...message,
        ...(message.tool_calls
          ? {
              tool_calls: message.tool_calls.map((one) => ({
                ...one,
                function: { name: "calculator", arguments: JSON.parse(String(one.function?.arguments)) },
              })),
            }
          : {}),
      }));
    const { bridged, rerendered } = nextTurn({ completion, followUp: (one) => [result(one)], rendered: reprinted });
    expect(bridged).toBe(true);
    expect(rerendered).toBe(false);
  });

  test("a second question drops the thinking before it", () => {
    const completion = ids("<think>\nTwo and three.\n</think>\n\n5<|im_end|>");
    const { bridged, rerendered } = nextTurn({ completion, followUp: () => [{ role: "user", content: "And 3 + 4?" }] });
    expect(bridged).toBe(true);
    expect(rerendered).toBe(false);
  });

  test("a turn cut off at the token limit keeps its ids; its close is synthesised and not trained on", () => {
    const completion = ids("<think>\nTwo and");
    const { bridged, rerendered, rollout } = nextTurn({
      completion,
      followUp: () => [{ role: "user", content: "Go on." }],
    });
    expect(bridged).toBe(true);
    expect(rerendered).toBe(false);
    const afterwards = rollout.promptIds.subarray(rollout.turns[0].promptIds.length + completion.length);
    expect(tokenizer.decode(afterwards)).toMatch(/^\n<\/think>\n\n<\|im_end\|>\n<\|im_start\|>user\nGo on\./);
    rollout.addCompletion({ ids: ids("5<|im_end|>"), logprobs: [-0.5, -0.25] });
    const [sample] = rollout.samples();
    const trained = sample.tokenIds.filter((_, i) => sample.lossMask[i] === 1);
    expect(tokenizer.decode(trained)).toBe("<think>\nTwo and5<|im_end|>");
  });

  test("a close does not repeat the newline that the model has written", () => {
    const completion = ids("<think>\nTwo and\n");
    const { rollout } = nextTurn({ completion, followUp: () => [{ role: "user", content: "Go on." }] });
    const afterwards = rollout.promptIds.subarray(rollout.turns[0].promptIds.length + completion.length);
    expect(tokenizer.decode(afterwards)).toMatch(/^<\/think>\n\n<\|im_end\|>\n<\|im_start\|>user/);
  });

  test("a prompt over the length limit ends the rollout before sampling, and nothing is emptied", () => {
    const renderer = qwen3({ thinkingRetention: "all" });
    const rollout = new Rollout({ renderer, messages: [question], maxSequenceLength: 60 });
    const completion = ids("<think>\nhm\n</think>\n\n5<|im_end|>");
    rollout.addCompletion({ ids: completion, logprobs: Array.from(completion, () => -1) });
    expect(rollout.addMessages([{ role: "user", content: "and now something longer ".repeat(20) }])).toBeNull();
    expect(rollout.end).toMatchObject({
      reason: "max_sequence_length",
      maxSequenceLength: 60,
      promptTokens: rollout.promptIds.length,
    });
    expect(rollout.promptIds.length).toBeGreaterThan(60);
    expect(() => rollout.addCompletion({ ids: [1] })).toThrowError(expect.objectContaining({ code: "rollout_ended" }));
    expect(rollout.turns[0].completionIds).toEqual(completion);
    const [sample] = rollout.samples();
    expect(sample.tokenIds.length).toBe(rollout.turns[0].promptIds.length + completion.length);
    expect(sample.logprobs.filter((one) => one === -1)).toHaveLength(completion.length);
  });

  test("an empty completion bridges by a synthesised close", () => {
    const { bridged, rollout } = nextTurn({ completion: [], followUp: () => [{ role: "user", content: "Well?" }] });
    expect(bridged).toBe(true);
    expect(rollout.turns[0].completionIds).toHaveLength(0);
    expect(rollout.breaks).toEqual([]);
  });

  test("a scaffold that rewrites a call breaks the sequence, and is told where", () => {
    const renderer = qwen3({ thinkingRetention: "all" });
    const rollout = new Rollout({ renderer, messages: [question], tools });
    rollout.addCompletion({
      ids: ids(`<think>\nhm\n</think>\n\n${call("Calculator", '{"expression": "2 + 3"}')}<|im_end|>`),
    });
    const repaired = rollout.messages.map((message) =>
      message.tool_calls
        ? {
            ...message,
            tool_calls: message.tool_calls.map((one) => ({
              ...one,
              function: { name: "calculator", arguments: '{"expression": "2 + 3"}' },
            })),
          }
        : message,
    );
    const broken = rollout.continueWith([...repaired, result(rollout)]);
    expect(broken).toMatchObject({ turn: 1, reason: "history_rewritten", at: { message: 1, field: "tool_calls[0]" } });
    rollout.addCompletion({ ids: ids("<think>\n\n</think>\n\n5<|im_end|>") });
    const samples = rollout.samples();
    expect(samples).toHaveLength(2);
    expect(tokenizer.decode(samples[0].tokenIds)).toContain('"Calculator"');
    expect(tokenizer.decode(samples[1].tokenIds)).not.toContain('"Calculator"');
    // Only what was sampled in its own sequence is trained on.
    expect(tokenizer.decode(samples[1].tokenIds.filter((_, i) => samples[1].lossMask[i] === 1))).toBe(
      "<think>\n\n</think>\n\n5<|im_end|>",
    );
  });

  test("a scaffold that tells the past as it was is bridged, even if it prints arguments anew", () => {
    const renderer = qwen3({ thinkingRetention: "all" });
    const rollout = new Rollout({ renderer, messages: [question], tools });
    rollout.addCompletion({
      ids: ids(`<think>\nhm\n</think>\n\n${call("calculator", '{"expression": "2 + 3"}')}<|im_end|>`),
    });
    const reprinted = rollout.messages.map((message) =>
      message.tool_calls
        ? {
            role: message.role,
            content: message.content ?? "",
            tool_calls: message.tool_calls.map((one) => ({
              ...one,
              function: { name: "calculator", arguments: { expression: "2 + 3" } },
            })),
          }
        : message,
    );
    const prompt = rollout.turns[0].promptIds.length + rollout.turns[0].completionIds.length;
    expect(rollout.continueWith([...reprinted, result(rollout)])).toBeNull();
    expect(rollout.breaks).toEqual([]);
    expect(tokenizer.decode(rollout.promptIds.subarray(prompt))).toMatch(/<tool_response>\n5\n<\/tool_response>/);
  });
});
