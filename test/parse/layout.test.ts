import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalJson, parseJson, pythonJson, pythonStrip } from "../../src/messages/index.ts";
import {
  type KnownTool,
  type ParsedResponse,
  type ParserEvent,
  type ResponseLayout,
  type SpokenResponse,
  spellResponse,
  type TextParserOptions,
  textParser,
} from "../../src/parse/index.ts";
import { toolUses } from "../../src/testing/index.ts";
import { read, streams, toolMap } from "../support/layoutReading.ts";
import { layouts } from "../support/layouts.ts";

const all = Object.entries(layouts) as [keyof typeof layouts, ResponseLayout][];

const wordTexts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "a",
        "the",
        "{",
        "}",
        "[1]",
        "<b>",
        "</b>",
        "<",
        "é",
        "日本",
        "🚀",
        "|",
        "&",
        '"',
        "it's",
        "\\n",
        ":",
        "```",
      ),
      fc.constantFrom(" ", "  ", "\n", "\n\n", "\t", "\u2028"),
    ),
    { maxLength: 12 },
  )
  .map((words) => words.join(""));
/** Not blank, since blank content is none; a call without markers would begin with a brace. */
const contents = wordTexts.map((text) => (text.trim() === "" || text.trim().startsWith("{") ? "" : text));
const isNested = (value: unknown): boolean => typeof value === "object" && value !== null;

const plain = { mode: "plain", open: "", close: "" } as const;

interface Sample {
  readonly response: SpokenResponse;
  readonly tools: ReadonlyMap<string, KnownTool>;
}

function samples(name: string, layout: ResponseLayout): fc.Arbitrary<Sample> {
  const { calls, reasoning, content } = layout;
  const hasIds = calls?.call.some(({ kind }) => kind === "id");
  const writings = calls?.call.flatMap((one) =>
    one.kind === "tagged" ? one.values.map(({ writing }) => writing.kind) : [],
  );
  const uses = fc.array(toolUses(wordTexts), { maxLength: calls?.parallel ? 3 : 1 });
  return fc
    .record({ content: contents, reasoning: fc.option(contents), uses, id: fc.stringMatching(/^[a-zA-Z0-9]{9}$/) })
    .map((given) => {
      const tools = toolMap(given.uses.map(({ tool }) => tool));
      // Tags in tags do not tell a list from an object, nor a text from a number.
      const known = given.uses.filter((use) => {
        const declared = given.uses.findLast((other) => other.name === use.name);
        const typed = JSON.stringify(declared?.tool) === JSON.stringify(use.tool);
        return typed && !(writings?.includes("elements") && Object.values(use.arguments).some(isNested));
      });
      const toolCalls = known.map((use, index) => ({
        name: use.name,
        argumentsText: pythonJson(use.arguments),
        id: hasIds ? (name.startsWith("Kimi") ? `functions.${use.name}:${index}` : given.id) : undefined,
      }));
      const dropped = content.droppedWithCalls && toolCalls.length > 0;
      return {
        tools,
        response: {
          content: dropped ? "" : given.content,
          reasoning: reasoning && given.reasoning?.trim() ? given.reasoning : null,
          toolCalls,
        },
      };
    });
}

interface Damaged {
  readonly sample: Sample;
  readonly cuts: readonly number[];
  readonly drop: { readonly at: number; readonly length: number } | null;
  readonly end: number | null;
  readonly extra: string;
  readonly known: string;
}

describe.each(all)("%s", (name, layout) => {
  const own = samples(name, layout);
  const options = ({ tools }: Pick<Sample, "tools">): TextParserOptions => ({
    tools,
    beginning: layout.glue.length > 0 ? { in: "glue" } : { in: "start", closed: false },
  });
  const spelled = ({ response }: Sample) => spellResponse(layout, response, false);

  test("what is spelled is read", () => {
    fc.assert(
      fc.property(own, (sample) => {
        const text = spelled(sample);
        const { response } = read(layout, text, options(sample));
        const { content, reasoning, toolCalls } = sample.response;
        expect(response).toMatchObject({ content, canonical: true });
        expect(response.reasoning?.text ?? "").toBe(reasoning ?? "");
        expect(response.toolCalls.map((call) => call.name)).toEqual(toolCalls.map((call) => call.name));
        response.toolCalls.forEach((call, index) => {
          expect(call.status).toBe("ok");
          const [a, b] = [parseJson(call.argumentsText ?? "null"), parseJson(toolCalls[index].argumentsText)];
          expect(equalJson(a, b), `${call.argumentsText} ${toolCalls[index].argumentsText}`).toBe(true);
          if (toolCalls[index].id) expect(call.id).toBe(toolCalls[index].id);
          expect(text.slice(...call.tokenSpan)).toContain(call.raw);
        });
      }),
      { numRuns: 60 },
    );
  });

  const { reasoning, calls } = layout;
  const opener = calls?.section?.open ?? calls?.call[0];
  const mayForget = reasoning && (typeof opener === "string" || opener?.kind === "text");
  const thought = fc.record({
    sample: own.filter(({ response }) => response.toolCalls.length > 0),
    cuts: fc.array(fc.nat({ max: 400 }), { maxLength: 6 }),
    behind: fc.constantFrom("", "\n", " So.", "close"),
  });
  test.runIf(mayForget)("calls in reasoning are calls if nothing follows them", () => {
    fc.assert(
      fc.property(thought, ({ sample, cuts, behind }) => {
        const close = reasoning?.close ?? "";
        const bare = spellResponse(
          { reasoning: null, content: plain, calls: calls && { ...calls, lead: "", leadAlone: "" }, end: "", glue: [] },
          { ...sample.response, content: "", reasoning: null },
        );
        fc.pre(!bare.includes(close.trim()));
        const text = `hm${bare}${behind === "close" ? `${close}hi` : behind}`;
        const given: TextParserOptions = { tools: sample.tools, beginning: { in: "reasoning" } };
        const { response } = read(layout, text, given);
        if (behind.trim() === "") {
          expect(response.toolCalls.map(({ name }) => name)).toEqual(sample.response.toolCalls.map(({ name }) => name));
          expect(response).toMatchObject({ content: "", reasoning: { complete: false }, canonical: false });
          expect(response.reasoning?.text.trim()).toBe("hm");
        } else {
          expect(response.toolCalls).toEqual([]);
          expect(response.reasoning).toMatchObject({ complete: behind === "close" });
          expect(response.reasoning?.text.startsWith(`hm${bare.trimEnd()}`)).toBe(true);
        }
        const pieces = read(layout, text, given, cuts, true);
        expect(pieces.response).toEqual(response);
      }),
      { numRuns: 25 },
    );
  });

  test("a header before the response and a stop behind it are not read", () => {
    const stops = ["<|stop|>", "stop", "<|sto|>"];
    const heads = fc.constantFrom("", "<|bot|>", "<|turn|>bot<|bot|>", "<|turn|> bot<|bot|>");
    const tails = fc.constantFrom("", "<|stop|>", "<|stop|>\n", "<|sto|><|stop|>");
    fc.assert(
      fc.property(damaged, heads, tails, (given, head, tail) => {
        const text = textOf(given);
        const edges = { ...optionsOf(given), stops, header: "<|turn|>bot<|bot|>" };
        const bare = read(layout, text, optionsOf(given)).response;
        const whole = read(layout, head + text + tail, edges);
        expect({ ...whole.response, toolCalls: [], strays: [] }).toEqual({ ...bare, toolCalls: [], strays: [] });
        const later = ({ tokenSpan: [start, end] }: { readonly tokenSpan: readonly [number, number] }) => [
          start + head.length,
          end + head.length,
        ];
        expect(whole.response.toolCalls).toEqual(bare.toolCalls.map((call) => ({ ...call, tokenSpan: later(call) })));
        const pieces = read(layout, head + text + tail, edges, given.cuts, true);
        expect(pieces.response).toEqual(whole.response);
        expect(streams(pieces.events)).toEqual(streams(whole.events));
      }),
      { numRuns: 25 },
    );
  });

  const damaged = fc.record({
    sample: own,
    cuts: fc.array(fc.nat({ max: 400 }), { maxLength: 6 }),
    drop: fc.option(fc.record({ at: fc.nat({ max: 300 }), length: fc.nat({ max: 12 }) })),
    end: fc.option(fc.nat({ max: 400 })),
    extra: wordTexts,
    known: fc.constantFrom("all", "none", "null"),
  });
  const textOf = ({ sample, drop, end, extra }: Damaged): string => {
    let text = spelled(sample);
    if (drop) text = text.slice(0, drop.at) + text.slice(drop.at + drop.length);
    if (end !== null) text = text.slice(0, end) + extra;
    return text;
  };
  const optionsOf = ({ sample, known }: Damaged): TextParserOptions => ({
    ...options(sample),
    tools: known === "all" ? sample.tools : known === "none" ? new Map() : null,
  });

  test("any cutting reads the same, also from a stored state", () => {
    fc.assert(
      fc.property(damaged, (given) => {
        const text = textOf(given);
        const whole = read(layout, text, optionsOf(given));
        const steps = given.cuts.length === 0 ? 1 : undefined;
        const pieces = read(layout, text, optionsOf(given), steps ?? given.cuts, true);
        expect(pieces.response).toEqual(whole.response);
        expect(streams(pieces.events)).toEqual(streams(whole.events));
      }),
      { numRuns: 30 },
    );
  });

  test("events add up to the response, and are never taken back", () => {
    fc.assert(
      fc.property(damaged, (given) => {
        const text = textOf(given);
        const { events, response } = read(layout, text, optionsOf(given), 1);
        addsUp(events, response);
        const before = streams(textParser(layout, optionsOf(given)).push(text.slice(0, text.length >> 1)));
        const after = streams(events);
        for (const [key, value] of Object.entries(before)) expect(after[key]?.startsWith(value), key).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

function addsUp(events: readonly ParserEvent[], response: ParsedResponse): void {
  const joined = streams(events);
  expect(joined.content ?? "").toBe(response.content);
  expect(joined.reasoning ?? "").toBe(response.reasoning?.text ?? "");
  response.toolCalls.forEach((call, index) => {
    expect(pythonStrip(joined[`${index}.delta`] ?? "")).toBe(call.raw);
    expect(joined[`${index}.name`]).toBe(call.name);
    if (call.argumentsText !== null) expect(joined[`${index}.arguments`]).toBe(call.argumentsText);
    if (call.partialArguments !== undefined) expect(() => parseJson(call.partialArguments ?? "")).not.toThrow();
  });
}

test("junk is read without harm", () => {
  const junk = fc
    .array(fc.oneof(fc.constantFrom(...markers()), wordTexts), { maxLength: 12 })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(fc.constantFrom(...all), junk, fc.boolean(), ([, layout], text, isNull) => {
      const tools = isNull ? null : new Map([["f", { name: "f" }]]);
      const given: TextParserOptions = { tools, generationPrompt: "" };
      const whole = read(layout, text, given);
      addsUp(whole.events, whole.response);
      const pieces = read(layout, text, given, 1, true);
      expect(pieces.response).toEqual(whole.response);
    }),
    { numRuns: 600 },
  );
});

function markers(): string[] {
  const texts = new Set<string>(["f", '{"name": "f", "arguments": {"a": "x"}}', '{"a": 1', "x=1", "'", '"']);
  const walk = (value: unknown): void => {
    if (typeof value === "string" && /[<[{(]/.test(value)) texts.add(value);
    else if (Array.isArray(value)) value.forEach(walk);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(walk);
  };
  walk(layouts);
  return [...texts];
}
