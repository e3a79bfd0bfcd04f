import { describe, expect, test } from "vitest";
import type { ToolSpec } from "../../src/index.ts";
import { familyRenderer } from "../support/families.ts";

const tools: readonly ToolSpec[] = [
  {
    type: "function",
    function: { name: "search", parameters: { type: "object", properties: { q: { type: "string" } } } },
  },
];
/** Its `</think>` is spelled with several tokens here, and its calls begin with one. */
const renderer = familyRenderer({ name: "deepseek-r1" });
const prompt = renderer.renderIds([{ role: "user", content: "hi" }], { tools, addGenerationPrompt: true });
const call =
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n{"q":"x"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>';

describe("reasoning that a marker of several tokens closes, before a call's marker", () => {
  test.each(["Hm.\n</think>\n\n", "Hm.</think>Yes ", "\n</think>"])(
    "is over there, in one piece and in any: %j",
    (text) => {
      const ids = renderer.tokenizer.encode(`${text}${call}<｜end▁of▁sentence｜>`);
      const whole = renderer.parseResponse(ids, { prompt, tools });
      expect(whole.toolCalls).toMatchObject([{ name: "search", arguments: { q: "x" }, status: "ok" }]);
      expect(whole.reasoning?.complete).toBe(true);
      for (let cut = 0; cut <= ids.length; cut++) {
        const parser = renderer.parser({ prompt, tools });
        parser.push(ids.subarray(0, cut));
        parser.push(ids.subarray(cut));
        expect(parser.end().response).toEqual(whole);
      }
    },
  );

  test("is open without it, and the call is talked about", () => {
    const ids = renderer.tokenizer.encode(`Hm. ${call} would do<｜end▁of▁sentence｜>`);
    expect(renderer.parseResponse(ids, { prompt, tools })).toMatchObject({
      toolCalls: [],
      reasoning: { complete: false },
    });
  });
});
