import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type LayoutGrammar,
  type ParserEvent,
  type ParserState,
  parserFactory,
  type ResponseLayout,
  spellResponse,
} from "../../src/parse/index.ts";
import { readAddedTokens, tokenizerFromGguf } from "../../src/tokenizer/index.ts";
import { read, streams } from "../support/layoutReading.ts";
import { layouts } from "../support/layouts.ts";
import { modelFile } from "../support/qwen3.ts";

const STOP = "<|stop|>";
const TURN = "<|turn_start|>";

/** Markers of a layout that a model would have as tokens of their own. */
function markersOf(layout: ResponseLayout): string[] {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value === "string")
      for (const [one] of value.matchAll(/<[|｜/a-z"][^<>\s=]*>|\[[A-Z_]+\]/g)) found.add(one);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(walk);
  };
  walk(layout);
  return [...found].filter((one) => !one.includes("{name}"));
}

const all = (Object.entries(layouts) as [string, ResponseLayout][]).map(([name, layout]) => {
  const markers = markersOf(layout);
  const addedTokens = readAddedTokens(
    [STOP, TURN, ...markers].map((content, index) => ({ id: 151_643 + index, content, special: true })),
  );
  const tokenizer = tokenizerFromGguf(modelFile, { addedTokens, eosToken: STOP });
  const grammar: LayoutGrammar = {
    kind: "layout",
    layout,
    header: "model\n",
    stops: [151_643],
    turnStart: 151_644,
    spell: (response, opened) => spellResponse(layout, response, opened),
  };
  return { name, layout, markers, tokenizer, factory: parserFactory(grammar, tokenizer) };
});

const tools = new Map([
  ["f", { name: "f", parameters: { type: "object", properties: { a: { type: "string" }, b: { type: "object" } } } }],
]);
const words = fc
  .array(fc.constantFrom("a", " ", "\n", "the ", "{", "}", "é", "🚀", "日本", "|", "<", "x=1", '"'), { maxLength: 8 })
  .map((all) => all.join(""));
const responses = fc.record({
  content: words.map((text) => (text.trim().startsWith("{") ? "" : text.trim())),
  reasoning: fc.option(words.filter((text) => text.trim() !== "")),
  args: fc.array(fc.record({ a: words.map((text) => text.replaceAll('"', "")) }), { maxLength: 2 }),
});

describe.each(all)("$name", ({ name, layout, markers, tokenizer, factory }) => {
  const texts = responses.map(({ content, reasoning, args }) => {
    const given = layout.calls?.parallel ? args : args.slice(0, 1);
    const isDropped = layout.content.droppedWithCalls && given.length > 0;
    return spellResponse(layout, {
      content: isDropped ? "" : content,
      reasoning: layout.reasoning ? reasoning : null,
      toolCalls: given.map((one, index) => ({
        name: "f",
        argumentsText: JSON.stringify(one),
        id: name.startsWith("Kimi-K2") ? `functions.f:${index}` : name.startsWith("Mistral") ? "abcdefghi" : undefined,
      })),
    });
  });
  // Reasoning that is never closed.
  const forgotten = texts.map((text) => (layout.reasoning ? text.replace(layout.reasoning.close.trim(), " ") : text));
  const junk = fc
    .array(fc.oneof(fc.constantFrom(...markers, "f", "[", "(", '{"a": 1}', "functions.f:0"), words), { maxLength: 8 })
    .map((all) => all.join(""));
  const prompt = tokenizer.encode(`${TURN}model\n${layout.glue.at(-1) ?? ""}`);

  test("ids say the same as their text, however they are cut", () => {
    fc.assert(
      fc.property(fc.oneof(texts, forgotten, junk), fc.integer({ min: 1, max: 7 }), (text, size) => {
        const ids = tokenizer.encode(text + STOP);
        const parser = factory({ prompt, tools });
        const events = parser.push(ids);
        const { response } = parser.end();
        const generationPrompt = layout.glue.at(-1) ?? "";
        const fromText = read(layout, text, { tools, generationPrompt });
        const told = streams(events.filter(({ kind }) => kind !== "stop" && kind !== "toolCallEnd"));
        expect(told).toEqual(streams(fromText.events.filter(({ kind }) => kind !== "toolCallEnd")));
        expect(response.canonical).toBe(fromText.response.canonical);
        expect(response.stop).toEqual({ kind: "stop", id: 151_643, index: ids.length - 1 });
        response.toolCalls.forEach((call, index) => {
          const [start, end] = call.tokenSpan;
          const [from, to] = fromText.response.toolCalls[index].tokenSpan;
          expect(tokenizer.decode(ids.slice(start, end))).toContain(text.slice(from, to));
          expect(tokenizer.decode(ids.slice(start + 1, end))).not.toContain(text.slice(from, to));
          expect(tokenizer.decode(ids.slice(start, end - 1))).not.toContain(text.slice(from, to));
        });
        const pieces: ParserEvent[] = [];
        let cut = factory({ prompt, tools });
        for (let at = 0; at < ids.length; at += size) {
          pieces.push(...cut.push(ids.slice(at, at + size)));
          const state = JSON.parse(JSON.stringify(cut.state)) as ParserState;
          cut = factory({ prompt, tools, state });
        }
        const last = cut.end();
        expect(last.response).toEqual(response);
        expect(streams([...pieces, ...last.events])).toEqual(streams(events));
      }),
      { numRuns: 60 },
    );
  });

  test("markers in ordinary tokens are text", () => {
    const opener =
      layout.calls?.section?.open ?? (layout.calls?.call[0]?.kind === "text" ? layout.calls.call[0].text : "");
    if (!markers.some((one) => opener.includes(one))) return;
    const text = spellResponse(layout, {
      content: "",
      reasoning: null,
      toolCalls: [{ name: "f", argumentsText: '{"a": "x"}', id: "functions.f:0" }],
    });
    const parser = factory({ prompt, tools });
    parser.push(tokenizer.encode(text, { addedTokens: "plain" }));
    const { response } = parser.end();
    expect(response.toolCalls).toEqual([]);
    expect(response.content).toContain(opener.trim());
  });

  test("any ids are read without harm", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -2, max: tokenizer.vocabSize + 3 }), { maxLength: 40 }), (ids) => {
        const parser = factory({ prompt: { reasoning: "unknown" }, tools: null });
        const events = parser.push(ids);
        const last = parser.end();
        const joined = streams([...events, ...last.events]);
        expect(joined.content ?? "").toBe(last.response.content);
      }),
      { numRuns: 60 },
    );
  });
});
