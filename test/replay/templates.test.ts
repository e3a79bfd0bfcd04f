import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRenderer, type Message, ToolCallStore } from "../../src/index.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { callsAlone, cycles, serve, textAround, variations } from "../support/replayed.ts";
import { templateTokenizer } from "../support/templateTokens.ts";

const fixtures = requireFixtures();
const folder = join(fixtures ?? "", "templates");
const user: Message = { role: "user", content: "hi" };

/** Templates of several shapes: calls as JSON, with names ahead, in lists, tagged, with ids, in XML of their own, in Python. */
const shapes =
  /^(Apertus-8B|CohereForAI-c4ai-command-r7b|GLM-4.6|Kimi-K3|LFM2.5-8B|MiniMax-M3|Mistral-Small-3.2|moonshotai-Kimi|Qwen3-Coder|Qwen-Qwen3-0|deepseek-ai-DeepSeek-V3.2|fireworks|ibm-granite-granite-4.1|meetkai-functionary-medium-v3.[12]|meta-llama-Llama-3.3|mistralai-Mistral-Nemo|upstage)/;

describe.skipIf(fixtures === undefined)("the default renderer", () => {
  const files = fixtures === undefined ? [] : readdirSync(folder).filter((file) => shapes.test(file));

  test.each(files)("%s", (file) => {
    const config = {
      name: "default",
      adaptMessages: true,
      templateKwargs: { functions: "[]", datetime: "now" },
    } as const;
    const tokenizer = templateTokenizer(readFileSync(join(folder, file), "utf8"));
    const renderer = createRenderer(tokenizer, config, { onWarning: () => {} });
    fc.assert(
      // Some of these templates take one call in a turn, and ids of nine letters and digits.
      fc.property(
        cycles(renderer, { maxCalls: file.startsWith("meta-llama") ? 1 : 2 }),
        variations,
        (given, variation) => {
          const tool_calls =
            given.turn.message.tool_calls?.map((call, at) => ({ ...call, id: `abcdefgh${at}` })) ?? null;
          const one = { ...given, turn: { ...given.turn, message: { ...given.turn.message, tool_calls } } };
          const store = new ToolCallStore();
          const { history } = serve(renderer, store, [user], one, { variation });
          const options = { tools: one.turn.tools, addGenerationPrompt: true };
          const calls = callsAlone(store, history);
          for (const replay of [store, calls]) {
            const rendered = renderer.render(history, { ...options, replay });
            expect(rendered.replay?.notReplayed).toEqual([]);
            for (const { id, tokenSpan } of rendered.replay?.replayed ?? [])
              expect([...rendered.tokenIds.subarray(...tokenSpan)]).toEqual([...(store.get(id)?.ids ?? [])]);
          }
          const plainly = new ToolCallStore();
          const same = serve(renderer, plainly, [user], one);
          const asSampled = callsAlone(plainly, same.history);
          expect(textAround(renderer, renderer.render(history, { ...options, replay: calls }), calls)).toBe(
            textAround(renderer, renderer.render(same.history, { ...options, replay: asSampled }), asSampled),
          );
        },
      ),
      { numRuns: 5 },
    );
  });
});
