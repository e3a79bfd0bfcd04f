import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Message, type RendererConfigInput, ToolCallStore } from "../../src/index.ts";
import { toolName } from "../../src/messages/index.ts";
import { families } from "../../src/renderers/registry.ts";
import type { TurnLimits } from "../../src/testing/index.ts";
import { familyRenderer } from "../support/families.ts";
import { asRendered, callsAlone, cycles, fromClient, serve, textAround, variations } from "../support/replayed.ts";

/** Formats whose turns hold less than others'; Gemma's moves words behind the results of the calls beside them. */
const turnLimits: Readonly<Record<string, TurnLimits>> = {
  "llama-3": { maxCalls: 1, contentBesideCalls: false },
  gemma4: { contentBesideCalls: false },
};

/** Its prompts open thinking, which its history does not have. */
const rewritten = new Set(["deepseek-r1"]);

/** Their prompts close thinking, and the turns of this test think all the same. */
const closed = new Set(["laguna-xs.2", "laguna-m.1"]);

const user: Message = { role: "user", content: "hi" };

describe.each([...families.keys()])("%s", (name) => {
  const renderer = familyRenderer({ name } as RendererConfigInput);
  const limits = turnLimits[name] ?? {};
  const asInHistory = rewritten.has(name);
  const cycle = cycles(renderer, limits);

  test("calls that a client sends back have the ids that were sampled", () => {
    fc.assert(
      fc.property(cycle, cycle, variations, (first, second, variation) => {
        // One of two tools with one name would read the other's calls by its own schema.
        const names = new Set(first.turn.tools.map(toolName));
        fc.pre(!second.turn.tools.some((tool) => names.has(toolName(tool))));
        const store = new ToolCallStore();
        const served = serve(renderer, store, [user], first, { variation, asInHistory });
        const { history } = serve(renderer, store, served.history, second, { variation, asInHistory });
        const tools = [...first.turn.tools, ...second.turn.tools];
        const options = { tools, addGenerationPrompt: true };
        for (const replay of [store, callsAlone(store, history)]) {
          const rendered = renderer.render(history, { ...options, replay });
          expect(rendered.replay?.notReplayed).toEqual([]);
          expect(rendered.replay?.replayed).toHaveLength(first.answers.length + second.answers.length);
          for (const { message, id, tokenSpan } of rendered.replay?.replayed ?? []) {
            expect([...rendered.tokenIds.subarray(...tokenSpan)]).toEqual([...(store.get(id)?.ids ?? [])]);
            for (let at = tokenSpan[0]; at < tokenSpan[1]; at++) {
              const { sampledMask, contentMask, messageIndices } = rendered;
              expect([sampledMask[at], contentMask[at], messageIndices[at]]).toEqual([1, 1, message]);
            }
          }
          const { length } = rendered.tokenIds;
          expect([rendered.messageIndices.length, rendered.sampledMask.length, rendered.contentMask.length]).toEqual([
            length,
            length,
            length,
          ]);
          expect(renderer.renderIds(history, { ...options, replay })).toEqual(rendered.tokenIds);
        }
      }),
      { numRuns: 10 },
    );
  });

  test("around the calls stands the text that is rendered without a store", () => {
    fc.assert(
      fc.property(cycle, variations, (one, variation) => {
        const [store, plainly] = [new ToolCallStore(), new ToolCallStore()];
        const varied = serve(renderer, store, [user], one, { variation, asInHistory });
        const same = serve(renderer, plainly, [user], one, { variation: asRendered, asInHistory });
        const options = { tools: one.turn.tools, addGenerationPrompt: true };
        const render = ({ history }: typeof same, from: ToolCallStore) => {
          const replay = callsAlone(from, history);
          const rendered = renderer.render(history, { ...options, replay });
          return { text: renderer.tokenizer.decode(rendered.tokenIds), around: textAround(renderer, rendered, replay) };
        };
        const asSampled = render(same, plainly);
        // As the client has not touched it: arguments as they were, and ids as the format itself writes them.
        const own = same.history.map((message) =>
          message.role === "assistant" ? { ...message, tool_calls: one.turn.message.tool_calls ?? null } : message,
        );
        const answered = own.map((message, index) => (message.role === "tool" ? one.answers[index - 2] : message));
        expect(asSampled.text).toBe(renderer.tokenizer.decode(renderer.renderIds(answered, options)));
        expect(render(varied, store).around).toBe(asSampled.around);
      }),
      { numRuns: 10 },
    );
  });

  test("where a turn is replayed and its prompt stands, the next prompt begins with both", () => {
    let whole = 0;
    fc.assert(
      fc.property(cycle, variations, (one, variation) => {
        const store = new ToolCallStore();
        const { prompt, completion, history } = serve(renderer, store, [user], one, { variation, asInHistory });
        const { tokenIds, replay } = renderer.render(history, {
          tools: one.turn.tools,
          addGenerationPrompt: true,
          replay: store,
        });
        for (const { tokenSpan } of replay?.turns ?? []) {
          expect([...tokenIds.subarray(...tokenSpan)]).toEqual([...completion]);
          if (prompt.every((id, i) => tokenIds[i] === id)) {
            expect(tokenSpan[0]).toBe(prompt.length);
            whole++;
          }
        }
      }),
      { numRuns: 10 },
    );
    if (!asInHistory && !closed.has(name)) expect(whole).toBeGreaterThan(0);
  });

  test("ids that the store does not have change nothing", () => {
    fc.assert(
      fc.property(cycle, (one) => {
        const { history } = serve(renderer, new ToolCallStore(), [user], one, { asInHistory });
        const options = { tools: one.turn.tools, addGenerationPrompt: true };
        const { replay, ...rendered } = renderer.render(history, { ...options, replay: new ToolCallStore() });
        expect(rendered).toEqual(renderer.render(history, options));
        expect(replay?.notReplayed.map(({ reason }) => reason)).toEqual(one.answers.map(() => "unknown_id"));
      }),
      { numRuns: 6 },
    );
  });

  test("a call that the client has changed is rendered as it was sent", () => {
    fc.assert(
      fc.property(cycle, (one) => {
        const store = new ToolCallStore();
        const { history } = serve(renderer, store, [user], one, { asInHistory });
        const changed = history.map((message) => (message.role === "assistant" ? renamed(message) : message));
        const options = { addGenerationPrompt: true };
        const { replay, tokenIds } = renderer.render(changed, { ...options, replay: store });
        expect(replay?.notReplayed[0]).toMatchObject({ message: 1, call: 0, reason: "changed" });
        if (one.answers.length === 1) expect(tokenIds).toEqual(renderer.renderIds(changed, options));
      }),
      { numRuns: 6 },
    );
  });
});

function renamed(message: Message): Message {
  const tool_calls =
    message.tool_calls?.map((call, at) => {
      if (at > 0) return call;
      return { ...call, function: { name: call.function!.name, arguments: '{"other": 1}' } };
    }) ?? null;
  return fromClient({ ...message, tool_calls });
}
