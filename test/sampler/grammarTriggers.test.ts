import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TriggerHit, type TriggerOptions, triggerSearch } from "../../src/sampler/grammar/index.ts";

const encoder = new TextEncoder();
/** Tokens of a few characters, whole and in parts. */
const pieces = [
  ...["a", "b", "ab", "ba", "aab", " ", "\n", " a", "é", "aé", ""].map((text) => encoder.encode(text)),
  ...[[0xc3], [0xa9], [0x61, 0xc3], [0xa9, 0x62]].map((bytes) => Uint8Array.from(bytes)),
];
const bytesOf = (id: number): Uint8Array => pieces[id]!;
const joined = (list: readonly Uint8Array[]): Uint8Array => Uint8Array.from(list.flatMap((bytes) => [...bytes]));

const words = fc.uniqueArray(
  fc.record({
    text: fc.array(fc.constantFrom("a", "b", " ", "é"), { minLength: 1, maxLength: 4 }).map((list) => list.join("")),
    atStart: fc.boolean(),
  }),
  { maxLength: 4, selector: ({ text, atStart }) => `${text} ${atStart}` },
);
const tokens = fc.constantFrom<TriggerOptions["tokens"]>(
  [],
  [{ id: 4, text: "aab" }],
  [{ id: 4, text: "ab" }],
  [
    { id: 9, text: "é" },
    { id: 6, text: "" },
  ],
);
const ids = fc.array(fc.nat({ max: pieces.length - 1 }), { maxLength: 14 });

interface Found {
  readonly at: number;
  readonly hit: TriggerHit;
}

function find(options: TriggerOptions, sampled: readonly number[]): Found | undefined {
  const search = triggerSearch({ ...options, bytesOf });
  for (const [at, id] of sampled.entries()) {
    const hit = search.push(id);
    if (hit !== undefined) return { at, hit };
  }
  return undefined;
}

/** By its definition: every trigger at every place, after each id. */
function findSlowly({ words, tokens }: TriggerOptions, sampled: readonly number[]) {
  for (let at = 0; at < sampled.length; at++) {
    const text = joined(sampled.slice(0, at + 1).map(bytesOf));
    const ends = text.length - bytesOf(sampled[at]!).length;
    const found = [];
    for (const word of words) {
      const bytes = encoder.encode(word.text);
      for (let start = 0; start + bytes.length <= text.length; start++) {
        if (start + bytes.length <= ends || !bytes.every((byte, i) => byte === text[start + i])) continue;
        if (word.atStart && !text.subarray(0, start).every((byte) => byte === 0x20 || byte === 0x0a)) continue;
        found.push({ start, length: bytes.length });
      }
    }
    for (const { id, text: part } of tokens) {
      const { length } = encoder.encode(part);
      if (id === sampled[at]) found.push({ start: text.length - length, length });
    }
    const [first] = found.sort((x, y) => x.start - y.start || y.length - x.length);
    if (first !== undefined) return { at, ...first, fed: text.subarray(first.start) };
  }
  return undefined;
}

describe("a trigger", () => {
  it("is found where it stands, however its text is cut into tokens", () => {
    let [hits, cut] = [0, 0];
    fc.assert(
      fc.property(words, tokens, ids, (words, tokens, sampled) => {
        const found = find({ words, tokens }, sampled);
        const slowly = findSlowly({ words, tokens }, sampled);
        expect(found?.at).toBe(slowly?.at);
        if (found === undefined || slowly === undefined) return;
        hits++;
        const { trigger, fed } = found.hit;
        expect(encoder.encode(trigger.text)).toHaveLength(slowly.length);
        expect(joined(fed.map(({ bytes }) => bytes))).toEqual(Uint8Array.from(slowly.fed));
        // What is fed is whole tokens, but for the first.
        const behind = sampled.slice(0, found.at + 1).filter((id) => bytesOf(id).length > 0);
        const [first, ...others] = fed;
        expect(others.map(({ id }) => id)).toEqual(others.length === 0 ? [] : behind.slice(-others.length));
        if (first === undefined) return;
        const whole = behind.at(-fed.length)!;
        if (first.bytes.length < bytesOf(whole).length) cut++;
        expect(first.id).toBe(first.bytes.length < bytesOf(whole).length ? undefined : whole);
        for (const { id, bytes } of fed) if (id !== undefined) expect(bytes).toEqual(bytesOf(id));
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(hits, cut)).toBeGreaterThan(100);
  });

  it("is found as often as it comes: behind a hit the search is a new one, but for the start", () => {
    fc.assert(
      fc.property(words, tokens, ids, ids, fc.boolean(), (words, tokens, first, second, atStart) => {
        const search = triggerSearch({ words, tokens, bytesOf });
        const at = first.findIndex((id) => search.push(id) !== undefined);
        if (at < 0 || atStart) search.reset({ atStart });
        const rest = at < 0 || atStart ? second : [...first.slice(at + 1), ...second];
        const left = atStart ? words : words.filter((word) => !word.atStart);
        const expected = find({ words: left, tokens }, rest);
        const hits = rest.map((id) => search.push(id));
        const found = hits.findIndex((hit) => hit !== undefined);
        expect(found).toBe(expected?.at ?? -1);
        if (expected !== undefined) expect(hits[found]).toEqual(expected.hit);
      }),
    );
  });

  it("is found by a clone as by the search itself, each by its own ids", () => {
    fc.assert(
      fc.property(words, tokens, ids, ids, ids, (words, tokens, first, second, other) => {
        const [search, twin] = [1, 2].map(() => triggerSearch({ words, tokens, bytesOf }));
        for (const id of first) expect(search!.push(id)).toEqual(twin!.push(id));
        const clone = search!.clone();
        for (const id of other) clone.push(id);
        const again = search!.clone();
        const expected = second.map((id) => twin!.push(id));
        expect(second.map((id) => search!.push(id))).toEqual(expected);
        expect(second.map((id) => again.push(id))).toEqual(expected);
      }),
    );
  });
});

describe("which trigger it is", () => {
  const vocabulary = ["<tool", "_call>", "x<to", "ol_call>{", " {", "▁", "{", "\n\n", "<tool_call>", "}"];
  const find = (words: TriggerOptions["words"], texts: readonly string[], tokens: TriggerOptions["tokens"] = []) => {
    const search = triggerSearch({ words, tokens, bytesOf: (id) => encoder.encode(vocabulary[id]) });
    for (const [at, text] of texts.entries()) {
      const hit = search.push(vocabulary.indexOf(text));
      if (hit === undefined) continue;
      const fed = hit.fed.map(({ id, bytes }) => [id, new TextDecoder().decode(bytes)]);
      return { at, trigger: hit.trigger, fed };
    }
    return undefined;
  };
  const call = { text: "<tool_call>" };

  it("a word within tokens and over their edges", () => {
    expect(find([call], ["x<to", "ol_call>{"])?.fed).toEqual([
      [undefined, "<to"],
      [3, "ol_call>{"],
    ]);
    expect(find([call], ["<tool", "<tool", "_call>"])).toMatchObject({
      at: 2,
      fed: [
        [0, "<tool"],
        [1, "_call>"],
      ],
    });
    expect(find([call], ["<tool", "{", "_call>"])).toBeUndefined();
  });

  it("a token by its id alone, from its text on", () => {
    const tokens = [{ id: 4, text: "{" }];
    expect(find([], ["{", " {"], tokens)).toEqual({ at: 1, trigger: tokens[0], fed: [[undefined, "{"]] });
    expect(find([{ text: "{" }], [" {"], tokens)?.trigger).toBe(tokens[0]);
    expect(find([{ text: " {" }], [" {"], tokens)?.trigger).toEqual({ text: " {" });
    expect(find([], ["<tool_call>"], [{ id: 8, text: "<tool_call>" }])?.fed).toEqual([[8, "<tool_call>"]]);
  });

  it("one that counts at the start: there, behind white space, and nowhere else", () => {
    const words = [{ text: "{", atStart: true }];
    expect(find(words, ["\n\n", " {"])).toMatchObject({ at: 1, fed: [[undefined, "{"]] });
    expect(find(words, ["}", "{"])).toBeUndefined();
  });

  it("none that nothing could be", () => {
    expect(() => triggerSearch({ words: [{ text: "" }], tokens: [], bytesOf })).toThrow(/empty word/);
    expect(() => triggerSearch({ words: [], tokens: [{ id: 4, text: "aa" }], bytesOf })).toThrow(/does not end with/);
    expect(triggerSearch({ words: [], tokens: [{ id: 11, text: "\ufffd" }], bytesOf }).push(11)?.fed).toHaveLength(1);
  });
});
