import { describe, expect, test } from "vitest";
import { type Message, Rollout } from "../../src/index.ts";
import { calculator, call, ids, qwen3, tokenizer } from "../support/qwen3.ts";

const question: Message = { role: "user", content: "2 + 3?" };
const start = (config = {}) => new Rollout({ renderer: qwen3(config), messages: [question], tools: [calculator] });
const thought = ids("<think>\nhm\n</think>\n\n5<|im_end|>");
const plain = ids("5<|im_end|>");

describe("order", () => {
  test("completions and messages take turns", () => {
    const rollout = start();
    expect(() => rollout.addMessages([question])).toThrowError(expect.objectContaining({ code: "rollout_order" }));
    rollout.addCompletion({ ids: thought });
    expect(() => rollout.addCompletion({ ids: thought })).toThrowError(
      expect.objectContaining({ code: "rollout_order" }),
    );
  });

  test("nothing is no way to go on, and breaks nothing", () => {
    const rollout = start();
    expect(() => rollout.continueWith([question])).toThrowError(expect.objectContaining({ code: "rollout_order" }));
    rollout.addCompletion({ ids: thought });
    expect(() => rollout.addMessages([])).toThrowError(expect.objectContaining({ code: "empty_messages" }));
    expect(() => rollout.continueWith(rollout.messages)).toThrowError(
      expect.objectContaining({ code: "empty_messages" }),
    );
    expect(rollout.breaks).toEqual([]);
  });

  test("log-probabilities have one entry an id", () => {
    const rollout = start();
    expect(() => rollout.addCompletion({ ids: thought, logprobs: [-1] })).toThrowError(
      expect.objectContaining({ code: "invalid_sample" }),
    );
    expect(rollout.turns).toHaveLength(0);
    expect(rollout.addCompletion({ ids: thought }).logprobs.every(Number.isNaN)).toBe(true);
  });

  test("messages that cannot be rendered leave the rollout as it was", () => {
    const rollout = start();
    rollout.addCompletion({ ids: thought });
    const before = rollout.promptIds;
    expect(() => rollout.addMessages([{ role: "tool", content: 5 as never }])).toThrowError(
      expect.objectContaining({ code: "invalid_message" }),
    );
    expect(rollout.promptIds).toEqual(before);
    expect(rollout.messages).toHaveLength(2);
    expect(rollout.addMessages([{ role: "tool", content: "5" }])).toBeNull();
  });
});

describe("breaks", () => {
  test("where the format drops thinking, the sequence splits in two", () => {
    const rollout = start();
    rollout.addCompletion({ ids: thought, logprobs: Array.from(thought, () => -1) });
    const broken = rollout.addMessages([{ role: "user", content: "Sure?" }]);
    expect(broken).toMatchObject({ turn: 1, reason: "new_user_query" });
    expect(tokenizer.decode(rollout.promptIds)).not.toContain("hm");
    rollout.addCompletion({ ids: thought, logprobs: Array.from(thought, () => -2) });
    const samples = rollout.samples();
    expect(samples).toHaveLength(2);
    expect(
      samples.map((sample) => Array.from(new Set(sample.logprobs.filter((_, i) => sample.lossMask[i] === 1)))),
    ).toEqual([[-1], [-2]]);
    for (const sample of samples)
      expect(tokenizer.decode(sample.tokenIds.filter((_, i) => sample.lossMask[i] === 1))).toBe(
        tokenizer.decode(thought),
      );
  });

  test("a call that could not be parsed, and was answered, does not end the rollout when history is rendered anew", () => {
    const rollout = start();
    const turn = rollout.addCompletion({
      ids: ids("<think>\nhm\n</think>\n\n<tool_call>\n{oops\n</tool_call><|im_end|>"),
    });
    expect(turn.parsed.toolCalls[0].status).toBe("invalid_json");
    expect(rollout.addMessages([{ role: "tool", content: "That was no JSON." }])).toBeNull();
    rollout.addCompletion({ ids: thought });
    expect(rollout.addMessages([{ role: "user", content: "Sure?" }])).toMatchObject({ reason: "new_user_query" });
    expect(tokenizer.decode(rollout.promptIds)).toContain("<tool_response>\nThat was no JSON.\n</tool_response>");
  });

  test("a refused bridge is no break where rendering keeps the past after all", () => {
    const rollout = start();
    rollout.addCompletion({ ids: plain });
    const past = rollout.promptIds;
    expect(rollout.addMessages([{ role: "user", content: "Sure?" }])).toBeNull();
    expect(rollout.breaks).toEqual([]);
    expect(rollout.promptIds.slice(0, past.length)).toEqual(past);
    expect(rollout.samples()).toHaveLength(1);
  });

  test.each<[string, (messages: Message[]) => Message[], { message: number; field: string }]>([
    [
      "another question",
      (all) => [{ ...all[0], content: "2 + 4?" }, ...all.slice(1)],
      { message: 0, field: "content" },
    ],
    [
      "another answer",
      (all) => [all[0], { ...all[1], content: "6" }, ...all.slice(2)],
      { message: 1, field: "content" },
    ],
    [
      "other thoughts",
      (all) => [all[0], { ...all[1], reasoning_content: "no" }, ...all.slice(2)],
      { message: 1, field: "reasoning_content" },
    ],
    ["another role", (all) => [{ ...all[0], role: "system" }, ...all.slice(1)], { message: 0, field: "role" }],
    [
      "a call less",
      (all) => [all[0], { role: "assistant", content: all[1].content ?? "" }, ...all.slice(2)],
      { message: 1, field: "tool_calls" },
    ],
    ["a message less", (all) => all.slice(0, 1), { message: 1, field: "role" }],
  ])("history rewritten: %s", (_, rewrite, at) => {
    const rollout = new Rollout({ renderer: qwen3({ validate: "template" }), messages: [question] });
    rollout.addCompletion({ ids: ids(`<think>\nhm\n</think>\n\nso\n${call("f", "{}")}<|im_end|>`) });
    const told = rewrite([...rollout.messages]);
    expect(rollout.continueWith([...told, { role: "user", content: "And?" }])).toMatchObject({
      reason: "history_rewritten",
      at,
    });
    expect(rollout.breaks).toHaveLength(1);
  });

  test("reasoning that a client does not carry is no difference", () => {
    const rollout = start({ thinkingRetention: "all" });
    rollout.addCompletion({ ids: thought });
    expect(
      rollout.continueWith([question, { role: "assistant", content: "5" }, { role: "user", content: "And?" }]),
    ).toBeNull();
    expect(rollout.breaks).toEqual([]);
  });
});

describe("buffers", () => {
  test("earlier turns stay what they were while the rollout grows", () => {
    const rollout = start({ thinkingRetention: "all" });
    const kept: { prompt: Int32Array; completion: Int32Array; logprobs: Float64Array }[] = [];
    for (let turn = 0; turn < 40; turn++) {
      const one = rollout.addCompletion({ ids: thought, logprobs: Array.from(thought, () => -turn) });
      kept.push({
        prompt: one.promptIds.slice(),
        completion: one.completionIds.slice(),
        logprobs: one.logprobs.slice(),
      });
      rollout.addMessages([{ role: "user", content: `And ${turn}?` }]);
    }
    rollout.turns.forEach((turn, i) => {
      expect(turn.promptIds).toEqual(kept[i].prompt);
      expect(turn.completionIds).toEqual(kept[i].completion);
      expect(turn.logprobs).toEqual(kept[i].logprobs);
    });
    expect(rollout.samples()).toHaveLength(1);
    expect(rollout.samples()[0].tokenIds.length).toBe(kept[39].prompt.length + thought.length);
  });

  test("a rollout without a completion has no sample", () => {
    expect(start().samples()).toEqual([]);
    const empty = start();
    empty.addCompletion({ ids: [] });
    expect(empty.samples()).toEqual([]);
  });

  test("room is what the limit leaves", () => {
    const rollout = new Rollout({ renderer: qwen3(), messages: [question], maxSequenceLength: 40 });
    expect(rollout.room).toBe(40 - rollout.promptIds.length);
    expect(rollout.end).toBeNull();
    expect(new Rollout({ renderer: qwen3(), messages: [question], maxSequenceLength: 3 }).end).toMatchObject({
      reason: "max_sequence_length",
    });
  });

  test("calls have ids that are unique in the rollout", () => {
    const rollout = start({ thinkingRetention: "all" });
    const two = ids(`${call("f", "{}")}\n${call("f", "{}")}<|im_end|>`);
    const first = rollout.addCompletion({ ids: two });
    rollout.addMessages(
      (first.message.tool_calls ?? []).map((one) => ({ role: "tool", content: "x", tool_call_id: one.id ?? "" })),
    );
    const second = rollout.addCompletion({ ids: two });
    const all = [first, second].flatMap((turn) => (turn.message.tool_calls ?? []).map((one) => one.id));
    expect(new Set(all).size).toBe(4);
  });
});

describe("ids that carry no gradient", () => {
  const columns = () => ({
    logprobs: Float64Array.from(thought, () => -0.5),
    greedyMask: Uint8Array.from(thought, (_, i) => (i === 0 ? 1 : 0)),
    forcedMask: Uint8Array.from(thought, (_, i) => (i === 1 ? 1 : 0)),
    insertedMask: Uint8Array.from(thought, (_, i) => (i === 2 ? 1 : 0)),
  });

  test.each([
    [undefined, []],
    [{ greedy: false }, [0]],
    [{ forced: false }, [1]],
    [{ greedy: false, forced: false }, [0, 1]],
  ])("are in the loss unless told otherwise, and what was put in never is: %o", (loss, out) => {
    const rollout = new Rollout({ renderer: qwen3(), messages: [question], loss });
    rollout.addCompletion({ ids: thought, ...columns() });
    const [sample] = rollout.samples();
    const from = sample!.tokenIds.length - thought.length;
    const zeros = [...thought].flatMap((_, i) => (sample!.lossMask[from + i] === 0 ? [i] : []));
    expect(zeros).toEqual([...out, 2].sort());
    for (const [i] of thought.entries()) expect(sample!.logprobs[from + i]).toBe(zeros.includes(i) ? 0 : -0.5);
    expect([...sample!.greedyMask!.subarray(from, from + 3)]).toEqual([1, 0, 0]);
    expect([...sample!.forcedMask!.subarray(from, from + 3)]).toEqual([0, 1, 0]);
    expect(sample!.greedyMask!.subarray(0, from).every((bit) => bit === 0)).toBe(true);
  });

  test("are not told of where no completion did", () => {
    const rollout = start();
    rollout.addCompletion({ ids: thought });
    expect(rollout.samples()[0]).not.toHaveProperty("greedyMask");
    expect(() => {
      const other = start();
      other.addCompletion({ ids: thought, greedyMask: [1] });
    }).toThrowError(expect.objectContaining({ code: "invalid_sample" }));
  });
});
