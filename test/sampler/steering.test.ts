import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gbnfMatcher, parseGbnf } from "../../src/gbnf/index.ts";
import {
  loadSampler,
  type SampleEvent,
  type SampleOptions,
  type Sampler,
  type SegmentPolicy,
  type Session,
} from "../../src/sampler/index.ts";
import { tokenBytes } from "../../src/sampler/tokenBytes.ts";
import { spellingOfBytes } from "../../src/tokenizer/bpe/byteAlphabet.ts";
import { byteLevelVocabulary, sentencePieceVocabulary, type TinyVocabulary } from "../support/tinyVocabulary.ts";
import { writeTinyModel } from "../support/writeGguf.ts";
import { errorOf } from "./fixture.ts";

const decoder = new TextDecoder();
const concat = (pieces: readonly Uint8Array[]): Uint8Array => Uint8Array.from(pieces.flatMap((piece) => [...piece]));

/** A random model and what its ids write. */
class Tiny {
  readonly sampler: Sampler;
  readonly session: Session;
  readonly bytes: (id: number) => Uint8Array;
  readonly #tokens: readonly string[];

  constructor(sampler: Sampler, session: Session, vocabulary: TinyVocabulary) {
    this.sampler = sampler;
    this.session = session;
    this.bytes = tokenBytes(vocabulary.tokens, vocabulary.types).of;
    this.#tokens = vocabulary.tokens;
  }

  id(text: string): number {
    const id = this.#tokens.lastIndexOf(text);
    if (id < 0) throw new Error(`no token ${text}`);
    return id;
  }

  text(ids: Iterable<number>): string {
    return decoder.decode(concat(Array.from(ids, this.bytes)));
  }
}

let folder: string;
const open = async (name: string, vocabulary: TinyVocabulary, seed: number): Promise<Tiny> => {
  const path = join(folder, `${name}.gguf`);
  writeTinyModel(path, { vocabulary, seed });
  const sampler = await loadSampler(path, { threads: 1, contextSize: 512 });
  return new Tiny(sampler, await sampler.session(), vocabulary);
};

const markers = ["<tool_call>", "</tool_call>", "<think>", "</think>"];
const own = byteLevelVocabulary({
  words: ['{"', '":', "call", " {", "=>", "yes", "no"],
  markers,
  special: ["<|end|>"],
  eos: "<|end|>",
});
/** With a token that ends inside of a character. */
const bpe: TinyVocabulary = {
  ...own,
  tokens: [...own.tokens, spellingOfBytes(Buffer.from([0x3e, 0xc3]))],
  types: [...own.types, 1],
};
const spm = sentencePieceVocabulary({ words: [" {", " call", "yes"], markers });

let tiny: Tiny;
let pieces: Tiny;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tito-steering-"));
  tiny = await open("bpe", bpe, 3);
  pieces = await open("spm", spm, 4);
});
afterAll(async () => {
  await tiny.sampler.close();
  await pieces.sampler.close();
  rmSync(folder, { recursive: true });
});

const prompt = [10, 20, 30];
/** The likelier the trigger, the earlier it comes; the rest of the text is random. */
const likely = (text: string, by = 5) => ({ [tiny.id(text)]: by });
const body = String.raw`"{\"n\":" [0-9]{1,3} "}"`;
const call = `root ::= "<tool_call>" ${body} "</tool_call>"`;
const seeds = Array.from({ length: 25 }, (_, i) => i);

describe("a lazy grammar", () => {
  const lazy = { gbnf: call, lazy: true, triggers: [{ word: "<tool_call>" }], preservedTokens: markers } as const;
  const options = (): SampleOptions => ({
    temperature: 1.5,
    maxTokens: 60,
    logitBias: likely("<tool_call>"),
    stop: [],
  });

  it("changes nothing before its trigger, holds from there to the end of the call, and wakes again", async () => {
    let calls = 0;
    let several = 0;
    for (const seed of seeds) {
      const free = await tiny.session.complete(prompt, { ...options(), seed, logprobs: false });
      const held = await tiny.session.complete(prompt, {
        ...options(),
        seed,
        logprobs: false,
        grammar: { ...lazy, sleeps: "complete" },
      });
      const start = held.ids.indexOf(tiny.id("<tool_call>"));
      expect(free.ids.indexOf(tiny.id("<tool_call>"))).toBe(start);
      const same = start < 0 ? free.ids.length : start + 1;
      expect(held.ids.subarray(0, same)).toEqual(free.ids.subarray(0, same));
      const text = tiny.text(held.ids);
      const found = [...text.matchAll(/<tool_call>/g)].map(({ index }) => text.slice(index));
      for (const [i, tail] of found.entries()) {
        const whole = /^<tool_call>\{"n":[0-9]{1,3}\}<\/tool_call>/.exec(tail);
        calls += whole ? 1 : 0;
        // Only the last one may be cut short, and then by maxTokens.
        if (!whole) expect([i, held.finish, held.grammar]).toEqual([found.length - 1, "length", "grammar_incomplete"]);
      }
      several += found.length > 1 ? 1 : 0;
      if (found.length === 0) expect(held.grammar).toBe("dormant");
      expect(held.refusedTriggers).toBe(0);
    }
    expect(calls).toBeGreaterThan(10);
    expect(several).toBeGreaterThan(3);
  });

  it("keeps the seed's numbers: one that allows everything changes nothing at all", async () => {
    const gbnf = String.raw`root ::= "<tool_call>" [\x01-\U0010FFFF]*`;
    let compared = 0;
    for (const seed of seeds.slice(0, 8)) {
      const bias = {
        ...likely("<tool_call>"),
        ...Object.fromEntries([...Array(64).keys()].map((i) => [192 + i, -100])),
      };
      const plain = { ...options(), logitBias: bias, seed, presencePenalty: 0.4, logprobs: false };
      const free = await tiny.session.complete(prompt, plain);
      const held = await tiny.session.complete(prompt, { ...plain, grammar: { ...lazy, gbnf, preservedTokens: [] } });
      // A byte that is no text ends what the two share.
      const text = tiny.text(free.ids.subarray(0, 40));
      const same = text.includes("\uFFFD") ? text.indexOf("\uFFFD") : 40;
      compared += Math.max(0, same - text.indexOf("<tool_call>") - 11);
      expect(tiny.text(held.ids).slice(0, same)).toBe(text.slice(0, same));
    }
    expect(compared).toBeGreaterThan(0);
  });

  it("wakes in the middle of a token and over several, and is fed from the trigger's first character", async () => {
    const gbnf = 'root ::= "call" "=>" [a-z]+ "."';
    let woken = 0;
    for (const seed of seeds.slice(0, 10)) {
      const held = await tiny.session.complete(prompt, {
        ...{
          seed,
          temperature: 1.5,
          maxTokens: 80,
          stop: [],
          logprobs: false,
          logitBias: { ...likely("call", 6), ...likely("=>", 6) },
        },
        grammar: { gbnf, lazy: true, triggers: [{ word: "call=>" }], sleeps: "complete" },
      });
      for (const { index } of tiny.text(held.ids).matchAll(/call=>/g)) {
        const tail = tiny.text(held.ids).slice(index);
        expect(tail).toMatch(/^call=>[a-z]*(\.|$)/);
        woken++;
      }
      expect(held.grammar === "dormant").toBe(!tiny.text(held.ids).includes("call=>"));
    }
    expect(woken).toBeGreaterThan(5);
  });

  it("sleeps on when the trigger's last token goes on with what it refuses, and says so", async () => {
    const gbnf = 'root ::= "=" "a"';
    const held = await tiny.session.complete(prompt, {
      ...{
        seed: 1,
        temperature: 1.5,
        maxTokens: 40,
        stop: [],
        logitBias: { ...likely("=>", 6), [tiny.id("=")]: -100 },
      },
      grammar: { gbnf, lazy: true, triggers: [{ word: "=" }] },
    });
    expect(held.refusedTriggers).toBe([...held.ids].filter((id) => id === tiny.id("=>")).length);
    expect(held.refusedTriggers).toBeGreaterThan(0);
    expect(held.grammar).toBe("dormant");
  });

  it("is held inside of a character that the trigger's token has begun", async () => {
    const last = bpe.tokens.length - 1;
    const gbnf = 'root ::= ">" ("é" | "è") "!"';
    for (const topK of [0, 5]) {
      for (const seed of seeds.slice(0, 6)) {
        const held = await tiny.session.complete(prompt, {
          ...{ seed, topK, temperature: 1.5, maxTokens: 60, stop: [], logitBias: { [last]: 8, 62: -100 } },
          grammar: { gbnf, lazy: true, triggers: [{ word: ">" }], sleeps: "complete" },
        });
        const at = held.ids.indexOf(last);
        expect(at).toBeGreaterThanOrEqual(0);
        expect(tiny.text(held.ids.subarray(at, at + 3))).toMatch(/^>[éè]!$/);
        expect(held.forcedMask[at + 2]).toBe(1);
        expect([...held.logprobs.subarray(at, at + 3)].every((logprob) => logprob <= 0 && logprob > -20)).toBe(true);
      }
    }
  });

  it("is fed from the trigger in a token with a space before it, by word and by token", async () => {
    const space = pieces.id("▁{");
    const gbnf = 'root ::= "{" [a-z]{1,4} "}"';
    for (const trigger of [{ word: "{" }, { kind: "token", id: space, text: "{" }] as const) {
      for (const seed of seeds.slice(0, 6)) {
        const held = await pieces.session.complete(prompt, {
          ...{
            seed,
            temperature: 1.5,
            maxTokens: 30,
            stop: [],
            logprobs: false,
            logitBias: { [space]: 7, [pieces.id("{")]: -100 },
          },
          grammar: { gbnf, lazy: true, triggers: [trigger], sleeps: "complete" },
        });
        const at = held.ids.indexOf(space);
        expect(at).toBeGreaterThanOrEqual(0);
        expect(pieces.text(held.ids.subarray(at))).toMatch(/^ \{[a-z]{0,4}(\}|$)/);
      }
    }
  });

  it("lets an end id come only where it may end", async () => {
    const end = bpe.eosId!;
    let ended = 0;
    for (const seed of seeds.slice(0, 10)) {
      const held = await tiny.session.complete(prompt, {
        ...{ seed, temperature: 1.5, maxTokens: 60, stop: [end], logprobs: false },
        logitBias: likely("<tool_call>", 7),
        grammar: { ...lazy, sleeps: "end" },
      });
      if (held.finish !== "stop") continue;
      ended++;
      expect(held.grammar).not.toBe("grammar_incomplete");
    }
    expect(ended).toBeGreaterThan(0);
  });

  it("does not wake inside of reasoning, unless told to", async () => {
    const segments = { reasoning: { start: "<think>", end: "</think>", opened: true } };
    const settings = { ...options(), seed: 1, maxTokens: 30, logprobs: false, segments } as const;
    const bias = { ...likely("<tool_call>", 9), [tiny.id("</think>")]: -100 };
    const asleep = await tiny.session.complete(prompt, { ...settings, logitBias: bias, grammar: lazy });
    expect(asleep.ids).toContain(tiny.id("<tool_call>"));
    expect(asleep.grammar).toBe("dormant");
    const awake = await tiny.session.complete(prompt, {
      ...settings,
      logitBias: bias,
      grammar: { ...lazy, wakes: "anywhere" },
    });
    expect(awake.grammar).not.toBe("dormant");
  });

  it("counts a word at the start only there, or behind reasoning", async () => {
    const gbnf = 'root ::= "{" "x"+ "}"';
    const grammar = { gbnf, lazy: true, triggers: [{ word: "{", atStart: true }] } as const;
    const brace = tiny.id("{");
    const first = await tiny.session.complete(prompt, { maxTokens: 6, stop: [], logitBias: { [brace]: 100 }, grammar });
    expect(tiny.text(first.ids.subarray(0, 2))).toBe("{x");
    const later = await tiny.session.complete(prompt, {
      maxTokens: 12,
      seed: 2,
      stop: [],
      logitBias: { [brace]: 3 },
      grammar,
    });
    expect(later.ids[0]).not.toBe(brace);
    expect(later.grammar).toBe("dormant");
    const segments = { reasoning: { start: "<think>", end: "</think>", opened: true } };
    const behind = await tiny.session.complete(prompt, {
      ...{ maxTokens: 8, stop: [], logitBias: { [brace]: 100 }, grammar, segments, reasoningBudget: 2 },
    });
    expect(tiny.text(behind.ids.subarray(0, 5))).toBe("{{</think>{x");
  });

  it("without triggers is refused", async () => {
    const error = await errorOf(() => tiny.session.complete(prompt, { grammar: { gbnf: call, lazy: true } }));
    expect(error.code).toBe("grammar_without_triggers");
    const unknown = await errorOf(() =>
      tiny.session.complete(prompt, { grammar: { gbnf: call, lazy: true, triggers: [{ token: "<no such token>" }] } }),
    );
    expect(unknown.code).toBe("token_missing");
  });
});

describe("a grammar from the first id on", () => {
  it("begins behind its prefill", async () => {
    const gbnf = 'root ::= "abc" [x-z]+ "."';
    const held = await tiny.session.complete(prompt, { seed: 3, maxTokens: 12, grammar: { gbnf, prefill: "ab" } });
    expect(tiny.text(held.ids)).toMatch(/^c[x-z]*\.?/);
    expect(held.forcedMask[0]).toBe(1);
    expect((await errorOf(() => tiny.session.complete(prompt, { grammar: { gbnf, prefill: "x" } }))).code).toBe(
      "sampler_option",
    );
  });

  it("is JSON when that is all that is asked for", async () => {
    let whole = 0;
    for (const seed of seeds.slice(0, 6)) {
      const held = await tiny.session.complete(prompt, {
        seed,
        temperature: 1.2,
        maxTokens: 200,
        grammar: "json",
        logprobs: false,
      });
      if (held.grammar !== "complete") continue;
      whole++;
      expect(() => JSON.parse(tiny.text(held.ids.filter((id) => id !== held.stopId)))).not.toThrow();
    }
    expect(whole).toBeGreaterThan(0);
  });

  it("ends with a status when all that it allows is banned", async () => {
    const ban = { [tiny.id("y")]: Number.NEGATIVE_INFINITY, [tiny.id("ye")]: -Infinity, [tiny.id("yes")]: -Infinity };
    const held = await tiny.session.complete(prompt, { grammar: { gbnf: 'root ::= "yes"' }, logitBias: ban });
    expect(held).toMatchObject({ finish: "grammar_stuck", grammar: "grammar_incomplete" });
    expect(held.ids).toHaveLength(0);
    expect((await tiny.session.complete(prompt, { maxTokens: 2 })).ids.length).toBeGreaterThan(0);
  });
});

describe("the greedy swap", () => {
  const policy = (greedy: SegmentPolicy["greedy"], more: Partial<SegmentPolicy> = {}): SegmentPolicy => ({
    toolCallMarkers: { start: "<tool_call>", end: "</tool_call>" },
    greedy,
    ...more,
  });
  const settings = (): SampleOptions => ({
    ...{ temperature: 1.5, maxTokens: 60, stop: [], logprobs: false, presencePenalty: 0.3 },
    logitBias: { ...likely("<tool_call>", 4), ...likely("</tool_call>", 4) },
  });

  it("takes the likeliest ids between the markers, the drawn ones elsewhere, and evaluates nothing twice", async () => {
    let swapped = 0;
    for (const seed of seeds) {
      const before = tiny.session.evaluatedTokens;
      const held = await tiny.session.complete(prompt, { ...settings(), seed, segments: policy("span") });
      expect(tiny.session.evaluatedTokens - before).toBe(held.evaluatedTokens + held.ids.length - 1);
      let inside = false;
      for (const [i, id] of held.ids.entries()) {
        expect(held.greedyMask[i]).toBe(inside ? 1 : 0);
        if (inside) {
          swapped++;
          const { ids } = await tiny.session.complete([...prompt, ...held.ids.subarray(0, i)], {
            ...{ ...settings(), temperature: 0, maxTokens: 1 },
          });
          expect(ids[0]).toBe(id);
        }
        if (id === tiny.id("<tool_call>")) inside = true;
        else if (id === tiny.id("</tool_call>")) inside = false;
      }
      const free = await tiny.session.complete(prompt, { ...settings(), seed });
      const start = free.ids.indexOf(tiny.id("<tool_call>"));
      const same = start < 0 ? free.ids.length : start + 1;
      expect(held.ids.subarray(0, same)).toEqual(free.ids.subarray(0, same));
    }
    expect(swapped).toBeGreaterThan(20);
  });

  it("that swaps to the same chain gives the same ids", async () => {
    for (const seed of seeds.slice(0, 5)) {
      const greedy = { ...settings(), temperature: 0, seed };
      const free = await tiny.session.complete(prompt, greedy);
      for (const scope of ["span", "syntax"] as const)
        expect((await tiny.session.complete(prompt, { ...greedy, segments: policy(scope) })).ids).toEqual(free.ids);
      const off = await tiny.session.complete(prompt, { ...settings(), seed, segments: policy("off") });
      expect(off.ids).toEqual((await tiny.session.complete(prompt, { ...settings(), seed })).ids);
    }
  });

  it("leaves the strings of a call's JSON to the request's sampler", async () => {
    const gbnf = String.raw`root ::= "<tool_call>" "{\"name\":\"" [a-z]{2} "\",\"arguments\":{\"q\":\"" [a-z ]{5} "\"}}" "</tool_call>"`;
    const segments = policy("syntax", { payload: { kind: "json", within: ["arguments"] } });
    const payloads = new Set<string>();
    const names = new Set<string>();
    for (const seed of seeds.slice(0, 12)) {
      const options = { ...settings(), temperature: 2, seed, segments, grammar: { gbnf } };
      const held = await tiny.session.complete(prompt, options);
      const [, name, payload] = /"name":"(..)".*"q":"(.{5})"/.exec(tiny.text(held.ids)) ?? [];
      names.add(name!);
      payloads.add(payload!);
      const drawn = held.ids.filter((_, i) => held.greedyMask[i] === 0 && held.forcedMask[i] === 0);
      expect(tiny.text(drawn).replace(/^<tool_call>/, "")).toMatch(/^[a-z ]*"?\}*$/);
    }
    expect(names.size).toBe(1);
    expect(payloads.size).toBeGreaterThan(8);
  });

  it("draws between payload markers, and takes the likeliest around them", async () => {
    const [start, end] = ["<tool_call>", "</tool_call>"] as const;
    const segments = policy("syntax", {
      toolCallMarkers: { start, end, payloadStart: "<think>", payloadEnd: "</think>" },
    });
    // The markers are likely enough to be the likeliest, now and then.
    const logitBias = { ...likely(start, 4), ...likely("<think>", 3), ...likely("</think>", 4), ...likely(end, 2.5) };
    const seen = { payload: 0, syntax: 0 };
    for (const seed of seeds) {
      const held = await tiny.session.complete(prompt, { ...settings(), seed, logitBias, segments });
      let where: "content" | "syntax" | "payload" = "content";
      for (const [i, id] of held.ids.entries()) {
        expect(held.greedyMask[i]).toBe(where === "syntax" ? 1 : 0);
        if (where !== "content") seen[where]++;
        if (where === "content" && id === tiny.id(start)) where = "syntax";
        else if (where !== "content" && id === tiny.id(end)) where = "content";
        else if (where === "syntax" && id === tiny.id("<think>")) where = "payload";
        else if (where === "payload" && id === tiny.id("</think>")) where = "syntax";
      }
    }
    expect(seen.payload).toBeGreaterThan(10);
    expect(seen.syntax).toBeGreaterThan(10);
  });

  it.each<[SegmentPolicy, string]>([
    [{ toolCallMarkers: { start: "<tool_call>" } as never }, "marker_missing_end"],
    [{ toolCallMarkers: { start: "<a>", end: "<b>", payloadStart: "x" } }, "marker_payload_alone"],
    [{ toolCallMarkers: { start: "", end: "<b>" } }, "marker_empty"],
    [{ toolCallMarkers: { start: "<a>", end: "<b>", payloadStart: "<a>", payloadEnd: "y" } }, "marker_equal"],
    [{ grammar: { gbnf: "root ::= (" } }, "gbnf_syntax"],
    [{ grammar: { gbnf: call, lazy: true } }, "grammar_without_triggers"],
    [{ greedy: "always" as never }, "sampler_option"],
  ])("refuses a policy that contradicts itself: %o", async (segments, code) => {
    expect((await errorOf(() => tiny.session.complete(prompt, { segments }))).code).toBe(code);
  });
});

describe("a reasoning budget", () => {
  const segments: SegmentPolicy = { reasoning: { start: "<think>", end: "</think>", opened: false } };
  const opened: SegmentPolicy = { reasoning: { start: "<think>", end: "</think>", opened: true } };
  const settings = (): SampleOptions => ({
    ...{ seed: 5, maxTokens: 30, stop: [] },
    logitBias: { ...likely("<think>", 6), [tiny.id("</think>")]: -100 },
  });

  it.each([0, 1, 7])("of %i ends reasoning behind so many ids, and goes on", async (reasoningBudget) => {
    const held = await tiny.session.complete(prompt, { ...settings(), segments: opened, reasoningBudget });
    // A character that is begun is not cut.
    const at = held.insertedMask.indexOf(1);
    expect(at).toBeGreaterThanOrEqual(reasoningBudget);
    expect(at).toBeLessThan(reasoningBudget + 4);
    expect(tiny.text(held.ids.subarray(at, at + 1))).toBe("</think>");
    expect(held.insertedMask.reduce((sum, bit) => sum + bit, 0)).toBeGreaterThanOrEqual(1);
    expect(held.ids).toHaveLength(30);
    expect(held.logprobs[at]).toBe(0);
    const free = await tiny.session.complete(prompt, { ...settings(), segments: opened });
    expect(held.ids.subarray(0, at)).toEqual(free.ids.subarray(0, at));
    expect(tiny.session.cachedTokens).toBe(prompt.length + 29);
  });

  it("counts from the start marker on, each time", async () => {
    const held = await tiny.session.complete(prompt, { ...settings(), segments, reasoningBudget: 3 });
    const start = held.ids.indexOf(tiny.id("<think>"));
    const at = held.insertedMask.indexOf(1);
    expect(at - start).toBeGreaterThan(3);
    expect(held.ids.slice(start, at).filter((id) => id === tiny.id("</think>"))).toHaveLength(0);
    expect(held.ids[at]).toBe(tiny.id("</think>"));
  });

  it("is idle without reasoning, and where the model ends it itself", async () => {
    const free = await tiny.session.complete(prompt, settings());
    const idle = await tiny.session.complete(prompt, {
      ...settings(),
      segments: { reasoning: null },
      reasoningBudget: 0,
    });
    expect(idle.ids).toEqual(free.ids);
    const ends = { ...settings(), logitBias: likely("</think>", 100) };
    const closed = await tiny.session.complete(prompt, { ...ends, segments: opened, reasoningBudget: 5, maxTokens: 4 });
    expect(closed.insertedMask.every((bit) => bit === 0)).toBe(true);
    expect((await errorOf(() => tiny.session.complete(prompt, { reasoningBudget: 3 }))).code).toBe("sampler_option");
  });

  it("ends in the middle of the marker at maxTokens", async () => {
    const several: SegmentPolicy = { reasoning: { start: null, end: "yes</think>no", opened: true } };
    const held = await tiny.session.complete(prompt, {
      ...settings(),
      segments: several,
      reasoningBudget: 0,
      maxTokens: 2,
    });
    expect(held.finish).toBe("length");
    expect(tiny.text(held.ids)).toBe("yes</think>");
    expect([...held.insertedMask]).toEqual([1, 1]);
  });
});

describe("events", () => {
  const segments: SegmentPolicy = {
    toolCallMarkers: { start: "<tool_call>", end: "</tool_call>" },
    reasoning: { start: "<think>", end: "</think>", opened: false },
  };
  const settings = (): SampleOptions => ({
    ...{ temperature: 1.5, maxTokens: 60, segments },
    logitBias: {
      ...likely("<tool_call>", 4),
      ...likely("</tool_call>", 4),
      ...likely("<think>", 3),
      ...likely("</think>", 4),
    },
  });
  const collect = async (options: SampleOptions): Promise<SampleEvent[]> => {
    const events: SampleEvent[] = [];
    for await (const event of tiny.session.events(prompt, options)) events.push(event);
    return events;
  };

  it("are the completion's bytes, in order and exact", async () => {
    let calls = 0;
    for (const seed of seeds.slice(0, 12)) {
      const whole = await tiny.session.complete(prompt, { ...settings(), seed });
      const events = await collect({ ...settings(), seed });
      const done = events.at(-1)!;
      expect(done).toMatchObject({ kind: "done", reason: whole.finish, completion: { ids: whole.ids } });
      const told = events.flatMap((event) => ("bytes" in event && event.kind !== "toolCallEnd" ? [event.bytes] : []));
      const markerIds = new Set(["<tool_call>", "</tool_call>", "<think>", "</think>"].map((text) => tiny.id(text)));
      for (const event of events) {
        if (event.kind !== "toolCallEnd") continue;
        calls++;
        const deltas = events.filter((one) => one.kind === "toolCallDelta" && one.index === event.index) as {
          bytes: Uint8Array;
        }[];
        expect(concat(deltas.map(({ bytes }) => bytes))).toEqual(event.bytes);
        expect(event.complete).toBe(event.markerIds.length === 2);
      }
      const texts = [...whole.ids].filter(
        (id, i) => !(whole.finish === "stop" && i === whole.ids.length - 1) && !markerIds.has(id),
      );
      const plain = concat(told);
      // A marker at the wrong place is text.
      if (plain.length === concat(texts.map(tiny.bytes)).length) expect(plain).toEqual(concat(texts.map(tiny.bytes)));
      else expect(plain.length).toBeGreaterThan(concat(texts.map(tiny.bytes)).length);
    }
    expect(calls).toBeGreaterThan(5);
  });

  it("wait for the reader, and leave the session free when it goes", async () => {
    const events = tiny.session.events(prompt, { ...settings(), seed: 1 });
    await events.next();
    const evaluated = tiny.session.evaluatedTokens;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(tiny.session.evaluatedTokens).toBe(evaluated);
    expect((await errorOf(() => tiny.session.complete(prompt))).code).toBe("session_busy");
    await events.return(undefined as never);
    expect((await tiny.session.complete(prompt, { maxTokens: 1 })).finish).toBe("length");
  });

  it("end an open call when the signal fires", async () => {
    const abort = new AbortController();
    const events: SampleEvent[] = [];
    const bias = { ...likely("<tool_call>", 100) };
    const settings = { maxTokens: 40, stop: [], segments: { ...segments }, signal: abort.signal, logitBias: bias };
    for await (const event of tiny.session.events(prompt, settings)) {
      events.push(event);
      if (event.kind === "toolCallDelta") abort.abort();
    }
    expect(events.at(-2)).toMatchObject({ kind: "toolCallEnd", complete: false });
    expect(events.at(-1)).toMatchObject({ kind: "done", reason: "aborted" });
  });

  it("hold back the stop id, and nothing else", async () => {
    const end = bpe.eosId!;
    const events = await collect({ temperature: 2, maxTokens: 300, stop: [end], seed: 8 });
    const { completion } = events.at(-1) as Extract<SampleEvent, { kind: "done" }>;
    expect(completion.finish).toBe("stop");
    const told = events.flatMap((event) => ("bytes" in event ? [...event.bytes] : []));
    expect(told).toEqual([...concat([...completion.ids].slice(0, -1).map(tiny.bytes))]);
  });
});

describe("what a grammar accepted", () => {
  it("is what its matcher accepts, whatever the chain", async () => {
    const gbnf = String.raw`root ::= "{\"" [^"\\\x00-\x1f]{0,20} "\"}" ("," root)?`;
    for (const seed of seeds.slice(0, 10)) {
      const options = seed % 2 === 0 ? { temperature: 2.5 } : { temperature: 1.5, topK: 30, topP: 0.9 };
      const { ids, finish, stopId } = await tiny.session.complete(prompt, {
        ...options,
        seed,
        maxTokens: 50,
        grammar: { gbnf },
      });
      expect(finish).not.toBe("grammar_stuck");
      const matcher = gbnfMatcher(parseGbnf(gbnf));
      for (const id of ids) if (id !== stopId) expect(matcher.acceptToken(id, tiny.bytes(id))).toBe(true);
    }
  });
});
