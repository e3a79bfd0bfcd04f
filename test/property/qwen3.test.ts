import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanTurn } from "../../src/bridge/index.ts";
import {
  type Message,
  type ParserEvent,
  type ParserState,
  type Qwen3Config,
  resolveConfig,
  tokensPerMessage,
  toOpenAIMessage,
} from "../../src/index.ts";
import { parserFactory } from "../../src/parse/index.ts";
import { qwen3 as family } from "../../src/renderers/qwen3.ts";
import {
  anyIds,
  assistant,
  callArguments,
  conversation,
  cutInto,
  hostileText,
  text,
  tools,
} from "../support/arbitraries.ts";
import { ids, qwen3, tokenizer } from "../support/qwen3.ts";

const renderer = qwen3();
const user: Message = { role: "user", content: "hi" };
const specials = new Set(tokenizer.addedTokens.map((token) => token.id));

/** The ids that a model would have sampled for the last message, and the prompt before them. */
function sampledTurn(messages: readonly Message[], rendering = renderer) {
  const rendered = rendering.render(messages, { tools });
  const first = rendered.messageIndices.indexOf(messages.length - 1);
  const start = rendered.sampledMask.indexOf(1, first);
  const end = rendered.sampledMask.lastIndexOf(1) + 1;
  return { prompt: rendered.tokenIds.slice(0, start), completion: rendered.tokenIds.slice(start, end) };
}

describe("round trip", () => {
  test("a rendered turn reads back as the same message", () => {
    fc.assert(
      fc.property(assistant, (message) => {
        const { prompt, completion } = sampledTurn([user, message]);
        const parsed = renderer.parseResponse(completion, { prompt, tools });
        expect(parsed.content).toBe(message.content);
        expect(parsed.reasoning).toEqual({ text: message.reasoning_content, complete: true });
        expect(parsed.toolCalls.map(({ name, status, arguments: args }) => ({ name, status, args }))).toEqual(
          (message.tool_calls ?? []).map((call) => ({
            name: call.function?.name,
            status: "ok",
            args: call.function?.arguments,
          })),
        );
        expect(parsed.stop).toEqual({ kind: "stop", id: renderer.stopTokenIds[0], index: completion.length - 1 });
        expect(parsed.canonical).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("a turn without thinking reads back, white space and all", () => {
    const quiet = qwen3({ enableThinking: false });
    fc.assert(
      fc.property(assistant, (turn) => {
        const { reasoning_content: _, ...message } = turn;
        const { prompt, completion } = sampledTurn([user, message], quiet);
        const parsed = quiet.parseResponse(completion, { prompt, tools });
        expect(parsed.content).toBe(message.content);
        expect(parsed.reasoning).toBeNull();
        expect(parsed.toolCalls).toHaveLength(message.tool_calls?.length ?? 0);
        expect(parsed.canonical).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("a response that is canonical renders to the text that was sampled", () => {
    const mutated = fc.tuple(
      assistant,
      fc.array(
        fc.tuple(
          fc.nat(),
          fc.nat(3),
          fc.constantFrom(...ids('\n <think></think><tool_call></tool_call><|im_end|> {}"')),
        ),
      ),
    );
    let canonical = 0;
    fc.assert(
      fc.property(mutated, ([message, edits]) => {
        const { prompt, completion } = sampledTurn([user, message]);
        const changed = Array.from(completion);
        for (const [at, drop, add] of edits.slice(0, 2)) changed.splice(at % changed.length, drop, add);
        const parsed = renderer.parseResponse(changed, { prompt });
        if (!parsed.canonical || !parsed.reasoning) return;
        canonical++;
        const again = sampledTurn([user, toOpenAIMessage(parsed).message]);
        expect(tokenizer.decode(again.completion)).toBe(
          tokenizer.decode(changed.slice(0, changed.indexOf(renderer.stopTokenIds[0]) + 1)),
        );
      }),
      { numRuns: 500 },
    );
    expect(canonical).toBeGreaterThan(20);
  });
});

describe("bridge", () => {
  const results = (message: Message): Message[] =>
    (message.tool_calls ?? []).map((call, i) => ({
      role: "tool",
      content: `result ${i}\n`,
      tool_call_id: call.id ?? "",
    }));

  test("extends by new ids only, and gives what a full render gives where the format keeps the history", () => {
    const thoughtful = assistant.filter(
      (message) => message.reasoning_content !== "" && message.tool_calls !== undefined,
    );
    fc.assert(
      fc.property(thoughtful, text, fc.boolean(), (message, question, contentAsTemplate) => {
        const rendering = qwen3({ contentSpecials: contentAsTemplate ? "template" : "text" });
        const opening: Message[] = [{ role: "user", content: question }];
        const { prompt, completion } = sampledTurn([...opening, message], rendering);
        const newMessages = results(message);
        const bridge = rendering.bridgeToNextTurn({ promptIds: prompt, completionIds: completion, newMessages, tools });
        if (!bridge.ok) throw new Error(bridge.message);
        expect(bridge.synthetic).toBeNull();
        const full = rendering.renderIds([...opening, message, ...newMessages], { tools, addGenerationPrompt: true });
        expect([...prompt, ...completion, ...bridge.extension.tokenIds]).toEqual(Array.from(full));
      }),
      { numRuns: 200 },
    );
  });

  test("never throws and never samples, whatever the completion is; a refusal has a reason", () => {
    const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
    fc.assert(
      fc.property(anyIds, text, (completion, content) => {
        const bridge = renderer.bridgeToNextTurn({
          promptIds: prompt,
          completionIds: completion,
          newMessages: [{ role: "tool", content }],
        });
        if (!bridge.ok) {
          expect(["tokens_after_stop", "unclosed_reasoning"]).toContain(bridge.reason);
          return;
        }
        expect(bridge.extension.sampledMask.includes(1)).toBe(false);
        const stopped = completion.some((id) => renderer.stopTokenIds.includes(id));
        expect(bridge.synthetic === null).toBe(stopped);
        // The extension closes the turn once, then opens the user's and the assistant's.
        const controls = Array.from(bridge.extension.tokenIds).filter((id) => id === ids("<|im_start|>")[0]);
        expect(controls).toHaveLength(2);
      }),
      { numRuns: 300 },
    );
  });

  test("reads a turn's end as the parser does", () => {
    const prompts = [[user], [user, { role: "assistant", content: "x" }, user]].map((messages) =>
      renderer.renderIds(messages as Message[], { addGenerationPrompt: true }),
    );
    const open = [...prompts[0], ...ids("<think>\n")];
    const { grammar } = family.bind(
      tokenizer,
      resolveConfig({ nameOrPath: undefined, config: { name: "qwen3" } }) as Qwen3Config,
    );
    const parsers = parserFactory(grammar, tokenizer);
    fc.assert(
      fc.property(anyIds, fc.constantFrom(...prompts, Int32Array.from(open)), (completion, promptIds) => {
        const end = scanTurn({
          grammar,
          parsers,
          tokenizer,
          promptIds,
          completionIds: completion,
        });
        const parsed = renderer.parseResponse(completion, { prompt: promptIds });
        expect(end.stop).toBe(parsed.stop.kind === "stop" ? parsed.stop.index : null);
        expect(end.reasoningOpen).toBe(parsed.reasoning?.complete === false);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("streaming parser", () => {
  const pieces = fc.array(fc.nat(5), { maxLength: 60 });
  const completions = fc.oneof(
    anyIds,
    assistant.map((message) => Array.from(sampledTurn([user, message]).completion)),
    fc.tuple(assistant, anyIds).map(([message, noise]) => {
      const { completion } = sampledTurn([user, message]);
      return [
        ...completion.slice(0, completion.length / 2),
        ...noise.slice(0, 8),
        ...completion.slice(completion.length / 2),
      ];
    }),
  );

  test("any cutting gives the same response and events, with the state stored between pieces", () => {
    fc.assert(
      fc.property(completions, pieces, fc.constantFrom("open", "closed", "unknown"), (completion, cuts, reasoning) => {
        const prompt = { reasoning } as const;
        const whole = renderer.parseResponse(completion, { prompt, tools });
        let state: ParserState | undefined;
        const events: ParserEvent[] = [];
        for (const piece of cutInto(completion, cuts)) {
          const parser = renderer.parser({ prompt, tools, state });
          events.push(...parser.push(piece));
          state = JSON.parse(JSON.stringify(parser.state)) as ParserState;
        }
        const last = renderer.parser({ prompt, tools, state }).end();
        events.push(...last.events);
        expect(last.response).toEqual(JSON.parse(JSON.stringify(whole)));
        const parser = renderer.parser({ prompt, tools });
        expect(joined(events)).toEqual(joined([...parser.push(completion), ...parser.end().events]));
        expect(said(events, "content")).toBe(whole.content);
        expect(said(events, "reasoning")).toBe(whole.reasoning?.text ?? "");
      }),
      { numRuns: 500 },
    );
  });

  test("keeps every call's text, and spans lie one after another", () => {
    fc.assert(
      fc.property(completions, (completion) => {
        const parsed = renderer.parseResponse(completion, { prompt: { reasoning: "closed" } });
        let end = 0;
        for (const one of parsed.toolCalls) {
          expect(one.tokenSpan[0]).toBeGreaterThanOrEqual(end);
          end = one.tokenSpan[1];
          expect(end).toBeLessThanOrEqual(completion.length);
        }
      }),
    );
  });
});

/** Neighbouring deltas of one kind as one. */
function joined(events: readonly ParserEvent[]): ParserEvent[] {
  const all: ParserEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (last && "text" in last && "text" in event && last.kind === event.kind) {
      all[all.length - 1] = { ...last, text: last.text + event.text };
    } else all.push(event);
  }
  return JSON.parse(JSON.stringify(all)) as ParserEvent[];
}

const said = (events: readonly ParserEvent[], kind: "content" | "reasoning"): string =>
  events.map((event) => (event.kind === kind ? event.text : "")).join("");

describe("columns", () => {
  test("are equally long, account for every token, and sample only in assistant turns", () => {
    fc.assert(
      fc.property(conversation(), fc.boolean(), fc.boolean(), (messages, addGenerationPrompt, enableThinking) => {
        const rendering = qwen3({ enableThinking });
        const rendered = rendering.render(messages, { tools, addGenerationPrompt });
        const { tokenIds, messageIndices, sampledMask, contentMask } = rendered;
        expect(new Set([tokenIds, messageIndices, sampledMask, contentMask].map((column) => column.length)).size).toBe(
          1,
        );
        expect(tokenIds).toEqual(rendering.renderIds(messages, { tools, addGenerationPrompt }));
        const scaffold = messageIndices.filter((message) => message === -1).length;
        expect(tokensPerMessage(rendered).reduce((a, b) => a + b, 0) + scaffold).toBe(tokenIds.length);
        sampledMask.forEach((bit, i) => {
          if (bit === 1) expect(messages[messageIndices[i]].role).toBe("assistant");
          if (bit === 1) expect(contentMask[i]).toBe(1);
        });
        // Messages stand in order.
        const order = Array.from(messageIndices.filter((message) => message >= 0));
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }),
    );
  });

  test("a body's tokens spell the body, but for merges across its edges", () => {
    fc.assert(
      fc.property(text, (content) => {
        const rendered = renderer.render([{ role: "user", content }]);
        const body = tokenizer.decode(rendered.tokenIds.filter((_, i) => rendered.contentMask[i] === 1));
        const normal = content.normalize("NFC");
        expect(normal.endsWith(body) || normal.replace(/^\s+/, "").endsWith(body.replace(/^\s+/, ""))).toBe(true);
      }),
    );
  });
});

describe("injection safety", () => {
  /** Harmless content that the format takes for the same thing: a query, or a tool's response in a user message. */
  const sameMeaning = (content: string) =>
    content.startsWith("<tool_response>") && content.endsWith("</tool_response>")
      ? "<tool_response>x</tool_response>"
      : "x";
  const count = (tokenIds: Int32Array) => tokenIds.filter((id) => specials.has(id)).length;

  test("no text of a user, tool or system message makes a control token or marker", () => {
    fc.assert(
      fc.property(conversation(hostileText), hostileText, (messages, description) => {
        const withTools = [
          { type: "function", function: { name: "f", description, parameters: { type: "object", description } } },
        ] as const;
        const harmless = messages.map((message) =>
          message.role === "assistant" ? message : { ...message, content: sameMeaning(message.content as string) },
        );
        const rendered = renderer.renderIds(messages, { tools: withTools });
        const harmlessTools = [
          {
            type: "function",
            function: { name: "f", description: "x", parameters: { type: "object", description: "x" } },
          },
        ] as const;
        expect(count(rendered)).toBe(count(renderer.renderIds(harmless, { tools: harmlessTools })));
      }),
      { numRuns: 300 },
    );
  });

  test("the text is the same under both readings", () => {
    fc.assert(
      fc.property(conversation(hostileText), (messages) => {
        const asTemplate = qwen3({ contentSpecials: "template" });
        expect(tokenizer.decode(renderer.renderIds(messages))).toBe(tokenizer.decode(asTemplate.renderIds(messages)));
      }),
    );
  });

  test("holds for bridges too", () => {
    const prompt = renderer.renderIds([user], { addGenerationPrompt: true });
    fc.assert(
      fc.property(hostileText, hostileText, (first, second) => {
        const bridge = (contents: string[]) => {
          const newMessages = contents.map((content): Message => ({ role: "tool", content }));
          const result = renderer.bridgeToNextTurn({
            promptIds: prompt,
            completionIds: ids("ok<|im_end|>"),
            newMessages,
          });
          if (!result.ok) throw new Error(result.message);
          return count(result.extension.tokenIds);
        };
        expect(bridge([first, second])).toBe(bridge(["x", "x"]));
      }),
    );
  });
});

test("arguments keep their text whichever way they are given", () => {
  fc.assert(
    fc.property(callArguments, (args) => {
      const asText = JSON.stringify(args);
      const message = (given: never): Message => ({
        role: "assistant",
        content: "",
        tool_calls: [{ function: { name: "f", arguments: given } }],
      });
      const { prompt, completion } = sampledTurn([user, message(asText as never)]);
      expect(renderer.parseResponse(completion, { prompt }).toolCalls[0].argumentsText).toBe(asText);
      const fromValue = sampledTurn([user, message(args as never)]);
      expect(renderer.parseResponse(fromValue.completion, { prompt }).toolCalls[0].arguments).toEqual(args);
    }),
  );
});
