import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyTemplate } from "../../src/apply/index.ts";
import { gbnfMatcher, jsonSchemaToGbnf, parseGbnf, printGbnf } from "../../src/gbnf/index.ts";
import { grammarsOf } from "../../src/sampler/grammars.ts";
import type { SampleOptions, Sampler, Session } from "../../src/sampler/index.ts";
import { planSampling } from "../../src/sampler/options.ts";

import { tokenBytes } from "../../src/sampler/tokenBytes.ts";
import { ids as encoded, tokenizer } from "../support/qwen3.ts";
import { bridge, endOfTurn, errorOf, open, prompt, vocabSize } from "./fixture.ts";

let sampler: Sampler;
let session: Session;
beforeAll(async () => {
  sampler = await open({ contextSize: 1024, sequences: 2 });
  session = await sampler.session();
});
afterAll(() => sampler?.close());

const toolCall = 151_657;
const toolCallEnd = 151_658;
const [a, b, two] = ["a", "b", "2"].map((text) => encoded(text)[0]!) as [number, number, number];
const held = (gbnf: string, options: SampleOptions = {}) =>
  session.complete(prompt, { grammar: { gbnf }, maxTokens: 40, seed: 1, logprobs: false, ...options });

/** The text's ids, without the stop id; all of them accepted, and the text complete unless it was cut. */
function expectHeld(gbnf: string, { ids, finish }: Awaited<ReturnType<typeof held>>): readonly number[] {
  const matcher = gbnfMatcher(parseGbnf(gbnf));
  const text = [...ids].slice(0, finish === "stop" ? -1 : undefined);
  for (const id of text)
    expect(matcher.acceptToken(id, tokenizer.decodeBytes([id])), tokenizer.decode(text)).toBe(true);
  expect(finish === "stop" || finish === "length", finish).toBe(true);
  if (finish === "stop") expect(matcher.isComplete(), tokenizer.decode(text)).toBe(true);
  return text;
}

const seeds = fc.integer({ min: 0, max: 1e6 });
const shapes = fc.constantFrom<SampleOptions>(
  {},
  { temperature: 0 },
  { temperature: 3, topK: 40 },
  { temperature: 5 },
  { temperature: 2, topP: 0.9, minP: 0.001, repeatPenalty: 1.2 },
);

describe("completions are held from their first id on", () => {
  const schemas = [
    { type: "integer", minimum: -20, maximum: 300 },
    { enum: ["yes", "no", "é🚀", null] },
    {
      type: "object",
      properties: {
        name: { type: "string", maxLength: 6 },
        tags: { type: "array", items: { type: "string", maxLength: 3 }, maxItems: 2 },
        ok: { type: "boolean" },
      },
      required: ["name", "ok"],
    },
  ];
  it.each(schemas)("JSON of %o", async (schema) => {
    const gbnf = printGbnf(jsonSchemaToGbnf(schema, { dialect: "json" }));
    let complete = 0;
    await fc.assert(
      fc.asyncProperty(seeds, shapes, async (seed, shape) => {
        const completion = await held(gbnf, { ...shape, seed });
        const text = expectHeld(gbnf, completion);
        if (completion.finish !== "stop") return;
        complete++;
        // Half a surrogate pair, which no schema keeps a model from, has no UTF-8.
        const written = tokenizer.decode(text);
        if (!written.includes("\ufffd")) JSON.parse(written);
      }),
      { numRuns: 6 },
    );
    expect(complete).toBeGreaterThan(0);
  });

  it("calls that a request requires, which both parsers read", async () => {
    const parameters = {
      type: "object",
      properties: { city: { enum: ["Oslo", "São Paulo"] }, days: { type: "integer", minimum: 1, maximum: 14 } },
      required: ["city", "days"],
    };
    const tools = [{ type: "function", function: { name: "forecast", parameters } }] as const;
    const messages = [{ role: "user", content: "What is 12 + 345?" }] as const;
    const applied = applyTemplate({
      ...{ tokenizer, messages, tools, toolChoice: "required", parallelToolCalls: false },
      enableThinking: false,
    });
    const { grammar: gbnf, lazy, preservedTokens, stopTokenIds } = applied;
    let read = 0;
    await fc.assert(
      fc.asyncProperty(seeds, shapes, async (seed, shape) => {
        const options = { ...shape, seed, stop: stopTokenIds, maxTokens: 80, grammar: { gbnf, lazy, preservedTokens } };
        const completion = await session.complete(applied.promptIds!, options);
        if (completion.finish === "grammar_end") return;
        const text = expectHeld(gbnf!, completion);
        if (completion.finish !== "stop") return;
        read++;
        const byId = applied.parser();
        byId.push(completion.ids);
        const byText = applied.textParser();
        byText.push(tokenizer.decode(text));
        for (const { response } of [byId.end(), byText.end()]) {
          expect(response.toolCalls).toHaveLength(1);
          expect(response.toolCalls[0]).toMatchObject({ name: "forecast", status: "ok" });
          expect(["Oslo", "São Paulo"]).toContain(JSON.parse(JSON.stringify(response.toolCalls[0]!.arguments)).city);
        }
      }),
      { numRuns: 8 },
    );
    expect(read).toBeGreaterThan(0);
  });

  it("also token by token, each call anew", async () => {
    const gbnf = 'root ::= "a" [0-9]{2} "é"';
    const options = { grammar: { gbnf }, seed: 3, temperature: 2 };
    const completion = await session.complete(prompt, options);
    const steps = session.sample(prompt, options);
    const streamed = [];
    let step = await steps.next();
    for (; !step.done; step = await steps.next()) streamed.push(step.value);
    expect(streamed.map(({ id }) => id)).toEqual([...completion.ids]);
    expect(streamed.map(({ logprob }) => logprob)).toEqual([...completion.logprobs]);
    expect(step.value).toMatchObject({ finish: "stop", stopId: completion.stopId });
    for await (const _ of session.sample(prompt, options)) break;
    expect((await session.complete(prompt, options)).ids).toEqual(completion.ids);
  });

  it("side by side, each by its own grammar", async () => {
    await using other = await sampler.session();
    const [left, right] = await Promise.all([
      held("root ::= [0-9]{4}"),
      other.complete(prompt, { grammar: { gbnf: "root ::= [a-c]{4}" }, seed: 1 }),
    ]);
    expect(tokenizer.decode(left.ids)).toMatch(/^[0-9]{4}/);
    expect(tokenizer.decode(right.ids)).toMatch(/^[a-c]{4}/);
    const free = await session.complete([...prompt, ...bridge], { maxTokens: 3, temperature: 0, stop: [] });
    expect(free.ids).toHaveLength(3);
  });
});

describe("where sampling ends", () => {
  const gbnf = 'root ::= "ab"';

  it("with a stop id where nothing can follow, and only there", async () => {
    const completion = await held(gbnf, { stop: [endOfTurn, ...sampler.model.eogIds] });
    expect(completion.finish).toBe("stop");
    expect(sampler.model.eogIds).toContain(completion.stopId);
    expect(completion.ids.at(-1)).toBe(completion.stopId);
    expect(tokenizer.decode(completion.ids.slice(0, -1))).toBe("ab");
    const nothing = await held('root ::= ""');
    expect(nothing.ids).toHaveLength(1);
    expect(nothing.finish).toBe("stop");
  });

  it("without one where none of the model's end ids is a stop id", async () => {
    const completion = await held(gbnf, { stop: [], rawLogprobs: true });
    expect(completion.finish).toBe("grammar_end");
    expect(completion).not.toHaveProperty("stopId");
    expect(tokenizer.decode(completion.ids)).toBe("ab");
    for (const column of [completion.logprobs, completion.rawLogprobs])
      expect(column).toHaveLength(completion.ids.length);
    expect(await held('root ::= ""', { stop: [], rawLogprobs: true })).toMatchObject({
      ...{ finish: "grammar_end", ids: new Int32Array(0), rawLogprobs: new Float64Array(0) },
      ...{ reusedTokens: prompt.length - 1, evaluatedTokens: 1 },
    });
  });

  it("with a stop id that is no end id of the model, even where the grammar does not know it", async () => {
    const completion = await held(gbnf, { stop: [toolCallEnd], temperature: 5 });
    expect(completion).toMatchObject({ finish: "stop", stopId: toolCallEnd });
    expect(tokenizer.decode(completion.ids)).toBe("ab</tool_call>");
  });

  it("at a stop id that is text only where the grammar may end", async () => {
    const inside = await held('root ::= "a" "2" "a" "2" "b"?', {
      stop: [two],
      logitBias: { [a]: 50, [two]: 50, [b]: -50 },
    });
    expect(tokenizer.decode(inside.ids)).toBe("a2a2");
    expect(inside).toMatchObject({ finish: "stop", stopId: two });
    const before = await held('root ::= "a" ("2" "b")?', { stop: [two], logitBias: { [a]: 50, [two]: 50 } });
    expect([...before.ids]).toEqual([a, two]);
    expect(before.finish).toBe("stop");
  });

  it("at maxTokens and where the context ends, as ever", async () => {
    const cut = await held("root ::= [0-9]{20}", { maxTokens: 4 });
    expect(cut.finish).toBe("length");
    expect(cut.ids).toHaveLength(4);
    await using small = await open();
    await using one = await small.session();
    const long = Array.from({ length: 250 }, (_, i) => 16 + (i % 10));
    const full = await one.complete(long, { grammar: { gbnf: "root ::= [0-9]{200}" } });
    expect(full.finish).toBe("context_full");
    expect(full.ids).toHaveLength(6);
  });
});

describe("markers", () => {
  const gbnf = 'root ::= "x<tool_call>\\n" ("b</tool_call>" | "<tool_call><tool_call>")';
  const unlikely = { logitBias: { [toolCall]: -1000, [toolCallEnd]: -1000 }, temperature: 0 };

  it("are tokens where they are named, and any spelling goes where not", async () => {
    const spelled = await held(gbnf, unlikely);
    expect(tokenizer.decode(spelled.ids)).toMatch(/^x<tool_call>\n/);
    expect(spelled.ids).not.toContain(toolCall);
    for (const seed of [1, 2, 3, 4]) {
      const preservedTokens = ["</tool_call>", "<tool_call>", "no token", "<|im_end|>"];
      const grammar = { gbnf, preservedTokens };
      const completion = await session.complete(prompt, { ...unlikely, grammar, seed, temperature: 3 });
      const text = expectHeld(gbnf, completion);
      const ids = text.filter((id) => id === toolCall || id === toolCallEnd);
      expect(ids).toHaveLength(tokenizer.decode(text).split("tool_call").length - 1);
    }
  });

  it("are not drawn in the middle of what comes before them", async () => {
    for (const stop of [[toolCallEnd], [endOfTurn]]) {
      const bias = { logitBias: { [toolCallEnd]: 50 }, temperature: 3, topK: 40 };
      const completion = await held('root ::= "a" [<b] <[151658]>', { ...bias, stop });
      expect(tokenizer.decode(completion.ids)).toMatch(/^a[<b]<\/tool_call>/);
      expect(completion.finish).toBe("stop");
      const behind = await held('root ::= "a" [<b]', { ...bias, stop: [toolCallEnd] });
      expect(tokenizer.decode(behind.ids)).toMatch(/^a[<b]<\/tool_call>$/);
    }
  });

  it("of end ids stay text", async () => {
    const grammar = { gbnf: 'root ::= "a<|im_end|>"', preservedTokens: ["<|im_end|>"] };
    const completion = await session.complete(prompt, { grammar, maxTokens: 20, stop: [endOfTurn] });
    expect(tokenizer.decode(completion.ids)).toMatch(/^a<\|im_end\|>/);
  });
});

describe("log-probabilities", () => {
  const gbnf = "root ::= ([0-9] | <tool_call>) [a-f]{1,3}";

  it.each<SampleOptions>([{}, { temperature: 2.5, topK: 9 }, { temperature: 3, logitBias: { 16: 2 } }])(
    "are those of what the grammar leaves: %o",
    async (options) => {
      const named = { ...options, stop: [endOfTurn], grammarFirst: true, logprobs: true };
      const completion = await held(gbnf, { ...named, topLogprobs: vocabSize, rawLogprobs: true });
      const ids = parseGbnf(gbnf.replace("<tool_call>", `<[${toolCall}]>`));
      const matcher = gbnfMatcher(ids);
      for (const [i, id] of completion.ids.entries()) {
        const raw = completion.topLogprobs![i]!;
        const left = raw.filter(({ id: one }) =>
          sampler.model.eogIds.includes(one)
            ? matcher.isComplete()
            : matcher.clone().acceptToken(one, tokenizer.decodeBytes([one])),
        );
        const bias = (options.logitBias ?? {}) as Record<number, number>;
        const shaped = left
          .map(({ id: one, logprob }) => ({ one, logit: logprob + (bias[one] ?? 0) }))
          .sort((x, y) => y.logit - x.logit)
          .slice(0, options.topK ?? left.length)
          .map(({ one, logit }) => ({ one, weight: Math.exp(logit / (options.temperature ?? 1)) }));
        const total = shaped.reduce((sum, { weight }) => sum + weight, 0);
        const mine = shaped.find(({ one }) => one === id)!;
        expect(Math.abs(completion.logprobs[i]! - Math.log(mine.weight / total))).toBeLessThan(1e-3);
        expect(raw.find(({ id: one }) => one === id)!.logprob).toBeCloseTo(completion.rawLogprobs![i]!, 4);
        matcher.acceptToken(id, tokenizer.decodeBytes([id]));
      }
    },
  );

  it("are 0 at temperature 0, where the likeliest allowed id is taken; raw ones know of no grammar", async () => {
    const greedy = await held(gbnf, { temperature: 0, rawLogprobs: true, logprobs: true });
    expect([...greedy.logprobs]).toEqual(greedy.ids.length === 0 ? [] : new Array(greedy.ids.length).fill(0));
    const { logprobs } = await session.score([...prompt, ...greedy.ids], { from: prompt.length });
    for (const [i, logprob] of logprobs.entries()) expect(greedy.rawLogprobs![i]).toBeCloseTo(logprob, 3);
    expect(Math.min(...logprobs)).toBeLessThan(-1);
  });
});

describe("what is refused", () => {
  const refusal = (options: object) => errorOf(() => planSampling(options, { vocabSize: 1000, eogIds: [7] }));

  it("a grammar that is none, with its place", async () => {
    const broken = await refusal({ grammar: { gbnf: 'root ::= "a"\nb ::= (' } });
    expect(broken).toMatchObject({ code: "gbnf_syntax", details: { line: 2 } });
    expect((await refusal({ grammar: { gbnf: "root ::= x" } })).code).toBe("gbnf_undefined_rule");
    expect((await refusal({ grammar: { gbnf: 'root ::= root "a"' } })).code).toBe("gbnf_left_recursion");
    expect((await refusal({ grammar: { gbnf: 'a ::= "a"' } })).code).toBe("gbnf_missing_root");
    expect(() => session.sample(prompt, { grammar: { gbnf: "root" } })).toThrow(
      expect.objectContaining({ code: "gbnf_syntax" }),
    );
  });

  it("what llama.cpp does not take, in its words", async () => {
    const createGrammar = async () => {
      throw new Error("Failed to parse grammar");
    };
    const runtime = { module: {}, takeErrorLog: () => ["its reason"] };
    const grammars = grammarsOf(runtime as never, { llama: { createGrammar } } as never, sampler.model);
    const error = await errorOf(() => grammars.start({ gbnf: "?", root: "root" }));
    expect(error.code).toBe("gbnf_unsupported");
    expect(error.message).toContain("its reason");
  });

  it.each([
    ...[
      "grammar",
      { gbnf: 3 },
      {},
      { gbnf: "", root: 3 },
      { gbnf: "", lazy: 1 },
      { gbnf: "", preservedTokens: [""] },
      { gbnf: "", rule: "x" },
    ],
  ])("a value that is none: %o", async (grammar) => {
    const error = await refusal({ grammar });
    expect(error.code).toBe("sampler_option");
    expect(error.message).toContain("grammar");
  });

  it.each([
    ...[{ dry: { strength: 1 } }, { xtc: { probability: 1, threshold: 0 } }, { frequencyPenalty: 1e38 }],
    ...[{ presencePenalty: -1e30 }, { repeatPenalty: 1e30 }],
  ])("beside a grammar, what could drown every allowed id: %o", async (options) => {
    const error = await refusal({ ...options, grammar: { gbnf: 'root ::= "a"' } });
    expect(error.code).toBe("sampler_option");
    expect(error.message).toContain(Object.keys(options)[0]);
    expect(planSampling(options, { vocabSize: 1000, eogIds: [7] }).grammar).toBeUndefined();
  });

  it.each([
    ["token_missing", "root ::= <nothing>"],
    ["token_out_of_range", `root ::= <[${vocabSize}]>`],
    ["sampler_option", `root ::= "a" <[${endOfTurn}]>`],
    ["sampler_option", `root ::= <[${vocabSize - 1}]>`],
    ["sampler_option", "root ::= [a-z] !<tool_call>"],
    ["sampler_option", 'root ::= "a\\x00"'],
    ["sampler_option", "root ::= [\\x00]"],
  ])("what the model cannot draw (%s): %s", async (code, gbnf) => {
    const error = await errorOf(() => held(gbnf));
    expect(error.code).toBe(code);
    expect(error.message).toContain("rammar");
  });

  it("and a bias against all that a grammar allows ends the call, not the session", async () => {
    const stuck = await held('root ::= "é"{1} "2"', { logitBias: { [two]: Number.NEGATIVE_INFINITY } });
    expect(stuck).toMatchObject({ finish: "grammar_stuck", grammar: "grammar_incomplete" });
    expect(stuck.ids).not.toContain(two);
    const some = await held('root ::= "a" | "b"', { logitBias: { [a]: Number.NEGATIVE_INFINITY } });
    expect(some.ids[0]).toBe(b);
  });
});

it("null is no grammar, as a rule's name is its root, and a layout's grammar fits as it is", async () => {
  const free = { maxTokens: 5, stop: [], temperature: 0 };
  const plain = await session.complete(prompt, free);
  for (const grammar of [null, { gbnf: null, lazy: false }])
    expect((await session.complete(prompt, { ...free, grammar })).ids).toEqual(plain.ids);
  const grammar = {
    gbnf: 'other ::= "a" whole\nwhole ::= "b"',
    root: "other",
    lazy: false,
    triggers: [],
    preservedTokens: [],
  };
  const completion = await session.complete(prompt, { grammar, stop: [toolCallEnd] });
  expect(tokenizer.decode(completion.ids)).toBe("ab</tool_call>");
});

describe("the bytes of tokens", () => {
  it("are the tokenizer's", () => {
    const vocabulary = Array.from({ length: vocabSize }, (_, id) => tokenizer.idToToken(id) ?? "");
    const special = new Set(tokenizer.addedTokens.map(({ id }) => id));
    const bytes = tokenBytes(
      vocabulary,
      vocabulary.map((spelling, id) => (spelling === "" ? 5 : special.has(id) ? 3 : 1)),
    );
    expect(bytes.missing).toBeUndefined();
    for (let id = 0; id < vocabSize; id += 7)
      expect(bytes.of(id)).toEqual(Uint8Array.from(tokenizer.decodeBytes([id])));
    expect(tokenBytes(vocabulary.with(two, "?"), []).missing).toBe(0x32);
  });

  it("in SentencePiece's spelling have blanks and bytes of their own", () => {
    const byte = (value: number) => `<0x${value.toString(16).toUpperCase().padStart(2, "0")}>`;
    const spelled = ["<s>", ...Array.from({ length: 256 }, (_, value) => byte(value)), "▁a▁é", "<pad>"];
    const bytes = tokenBytes(
      spelled,
      spelled.map((_, id) => (id === 0 ? 3 : id <= 256 ? 6 : id === 257 ? 1 : 5)),
    );
    expect(bytes.missing).toBeUndefined();
    expect([...bytes.of(1 + 0xe9)]).toEqual([0xe9]);
    expect(new TextDecoder().decode(bytes.of(257))).toBe(" a é");
    expect(bytes.of(258)).toHaveLength(0);
    expect(new TextDecoder().decode(bytes.of(0))).toBe("<s>");
  });
});
