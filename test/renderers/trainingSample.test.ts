import { describe, expect, test } from "vitest";
import { buildTrainingSample, buildTrajectory, type Message, toOpenAIMessage } from "../../src/index.ts";
import { call, ids, qwen3, tokenizer } from "../support/qwen3.ts";

const renderer = qwen3();
const messages: Message[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "2 + 3?" },
  {
    role: "assistant",
    content: "",
    reasoning_content: "hm",
    tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }],
  },
  { role: "tool", content: "5", tool_call_id: "a" },
  { role: "assistant", content: "Five.", reasoning_content: "so" },
];

const trained = (options: Parameters<typeof buildTrainingSample>[2]) => {
  const { tokenIds, lossMask } = buildTrainingSample(renderer, messages, options);
  expect(lossMask).toHaveLength(tokenIds.length);
  return tokenizer.decode(tokenIds.filter((_, i) => lossMask[i] === 1));
};

describe("buildTrainingSample", () => {
  const first = `<think>\nhm\n</think>\n\n${call("f", "{}")}<|im_end|>`;
  const second = "<think>\nso\n</think>\n\nFive.<|im_end|>";

  test("trains on what the model samples", () => {
    expect(trained({})).toBe(first + second);
  });

  test("what the generation prompt prefills is not sampled", () => {
    const quiet = qwen3({ enableThinking: false });
    const { tokenIds, lossMask } = buildTrainingSample(quiet, [messages[1], { role: "assistant", content: "Five." }]);
    expect(tokenizer.decode(tokenIds)).toContain("<think>\n\n</think>\n\nFive.");
    expect(tokenizer.decode(tokenIds.filter((_, i) => lossMask[i] === 1))).toBe("Five.<|im_end|>");
  });

  test("by role: others are context", () => {
    expect(trained({ roles: ["assistant"] })).toBe(first + second);
    expect(trained({ roles: ["user"] })).toBe("");
  });

  test("bodies of other roles, without their scaffold", () => {
    expect(trained({ contentRoles: ["tool", "user"] })).toBe(`2 + 3?${first}5${second}`);
  });

  test("per message", () => {
    expect(trained({ messageLossMask: [1, 1, 0, 1, 1] })).toBe(second);
    expect(trained({ messageLossMask: [true, true, true, false, false] })).toBe(first);
  });

  test("a final stop is there already in this format", () => {
    const sample = buildTrainingSample(renderer, messages, { ensureFinalStop: true });
    expect(sample).toEqual(buildTrainingSample(renderer, messages));
  });

  test("a final stop is added where nothing is trained, and follows the last message's choice", () => {
    const only = { roles: ["assistant"], contentRoles: ["assistant"] };
    const bare = buildTrainingSample(renderer, [messages[1], { role: "assistant", content: "x" }], {
      ...only,
      ensureFinalStop: true,
    });
    expect(bare.tokenIds.at(-1)).toBe(ids("\n")[0]);
    const asked = buildTrainingSample(renderer, messages.slice(0, 2), { ensureFinalStop: true });
    expect(asked.lossMask.includes(1)).toBe(false);
  });

  test.each([[[1, 1, 1]], [[1, 1, 1, 1, 2]]])("a mask that does not fit is refused: %j", (mask) => {
    expect(() => trained({ messageLossMask: mask as never })).toThrowError(
      expect.objectContaining({ code: "invalid_sample" }),
    );
  });
});

test("buildTrajectory splits where the prompt ends", () => {
  const { promptIds, completionIds } = buildTrajectory(renderer, {
    promptMessages: messages.slice(0, 4),
    completionMessages: messages.slice(4),
  });
  expect(tokenizer.decode(promptIds)).toMatch(/<\|im_start\|>assistant\n$/);
  expect(tokenizer.decode(completionIds)).toBe("<think>\nso\n</think>\n\nFive.<|im_end|>\n");
});

describe("toOpenAIMessage", () => {
  const convert = (text: string) =>
    toOpenAIMessage(renderer.parseResponse(ids(text), { prompt: { reasoning: "closed" } }));

  test("calls carry the exact text of their arguments", () => {
    const { message, finishReason } = convert(`<think>\nhm\n</think>\n\nhi\n${call("f", '{"a":  1.0}')}<|im_end|>`);
    expect(finishReason).toBe("tool_calls");
    expect(message).toEqual({
      role: "assistant",
      content: "hi",
      reasoning_content: "hm",
      tool_calls: [{ id: "call_0", type: "function", function: { name: "f", arguments: '{"a":  1.0}' } }],
    });
  });

  test("calls that cannot be used are left out; a cut turn is length", () => {
    expect(convert("<tool_call>\n{oops\n</tool_call><|im_end|>")).toEqual({
      message: { role: "assistant", content: "" },
      finishReason: "stop",
    });
    expect(convert("hi").finishReason).toBe("length");
  });
});
