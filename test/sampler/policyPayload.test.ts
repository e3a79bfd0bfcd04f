import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RendererConfigInput } from "../../src/index.ts";
import {
  type CallsLayout,
  type ResponseLayout,
  responseLayout,
  type SpokenResponse,
  spellResponse,
} from "../../src/parse/index.ts";
import { families } from "../../src/renderers/registry.ts";
import { callMarkers } from "../../src/sampler/policy/callMarkers.ts";
import { payloadSyntax } from "../../src/sampler/policy/payloadSyntax.ts";
import { type PayloadTracker, payloadTracker } from "../../src/sampler/policy/payloadTracker.ts";
import type { PayloadSyntax } from "../../src/sampler/policy/types.ts";
import { analysedTemplates } from "../support/analysedTemplates.ts";
import { familyRenderer } from "../support/families.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { layouts } from "../support/layouts.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** For each byte: may it be payload, as far as the bytes before it say? */
function payloadBytes(syntax: PayloadSyntax, text: string): boolean[] {
  const tracker = payloadTracker(syntax);
  return Array.from(bytes(text), (byte) => {
    const { inPayload } = tracker;
    tracker.push(Uint8Array.of(byte));
    return inPayload;
  });
}

/** The text with what may be payload between ‹ and ›. */
function shown(syntax: PayloadSyntax, text: string): string {
  const marks = payloadBytes(syntax, text);
  let at = 0;
  let inside = false;
  let out = "";
  for (const char of text) {
    if (marks[at] !== inside) out += inside ? "›" : "‹";
    inside = marks[at]!;
    out += char;
    at += bytes(char).length;
  }
  return inside ? `${out}›` : out;
}

/** Stands at both ends of every string value, and nowhere else. */
const edge = "Ω";

const pieces = ["a", "é", "🚀", " ", '"', "\\", "{", "}", "[", "]", ":", "\n", "<b>", "</b>", "it", "="] as const;
const strings = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => edge + parts.join("") + edge);

/** Values whose strings alone are payload: where a value stands without quotes, all of it is. */
const values = (syntax: PayloadSyntax): fc.Arbitrary<unknown> =>
  syntax.kind === "tags"
    ? strings
    : fc.oneof(
        strings,
        fc.integer(),
        fc.array(strings, { maxLength: 2 }),
        fc.record({ inner: strings, n: fc.boolean() }),
      );

const responses = (syntax: PayloadSyntax): fc.Arbitrary<SpokenResponse> =>
  fc.dictionary(fc.constantFrom("city", "path", "query"), values(syntax), { minKeys: 1, maxKeys: 3 }).map((args) => ({
    content: "",
    reasoning: null,
    toolCalls: [{ name: "look_up", argumentsText: JSON.stringify(args), id: "functions.look_up:0" }],
  }));

/** How many bytes behind a value's last character there may be before its end is certain. */
function longestEnd(syntax: PayloadSyntax): number {
  if (syntax.kind === "json") return syntax.asText ? 2 : bytes(syntax.quote ?? '"').length;
  return Math.max(
    ...syntax.values.map(({ close, fence }) => bytes(close.replace("{name}", "query") + (fence?.close ?? "")).length),
    1,
  );
}

interface Format {
  readonly layout: ResponseLayout;
  readonly calls: CallsLayout;
  readonly tokens: readonly string[];
  readonly spell: (response: SpokenResponse) => string;
}

/** Of a spelled call, exactly the strings' characters and what ends them is payload. How many there were. */
function checkPayload({ layout, calls, tokens, spell }: Format, numRuns: number): number | null {
  const addedTokens = tokens.map((content, id) => ({ ...flags, content, id }));
  const markers = callMarkers(layout, calls, { tokenizer: { addedTokens }, stop: "<end>" });
  if (markers === null) return null;
  const syntax = payloadSyntax(calls, markers.start)!;
  const end = longestEnd(syntax);
  let count = 0;
  fc.assert(
    fc.property(responses(syntax), (response) => {
      const text = spell(response);
      const start = text.indexOf(markers.start) + markers.start.length;
      const stop = text.indexOf(markers.end, start);
      const call = text.slice(start, stop < 0 ? undefined : stop);
      const marks = payloadBytes(syntax, call);
      const found = shown(syntax, call);
      let isString = false;
      let behind = end;
      let at = 0;
      for (const char of call) {
        const size = bytes(char).length;
        const wasString = isString;
        if (char === edge) isString = !isString;
        const isPayload = isString || wasString;
        behind = isPayload ? 0 : behind + size;
        const isMarked = marks.slice(at, at + size);
        if (isPayload) expect(isMarked, found).toEqual(Array(size).fill(true));
        else if (behind > end && !isFence(syntax, call, at)) expect(isMarked, found).toEqual(Array(size).fill(false));
        at += size;
        if (isString && !wasString) count++;
      }
    }),
    { numRuns },
  );
  return count;
}

/** Is this byte of a fence around a value, whose beginning may be the value's own? */
function isFence(syntax: PayloadSyntax, call: string, at: number): boolean {
  const latin = Buffer.from(call).toString("latin1");
  const fences = syntax.kind === "tags" ? syntax.values.flatMap(({ fence }) => (fence ? [fence.open] : [])) : [];
  return fences.some((fence) => {
    const from = latin.indexOf(fence, Math.max(0, at - fence.length + 1));
    return from >= 0 && from <= at;
  });
}

const flags = { special: true, lstrip: false, rstrip: false, singleWord: false, normalized: false };

describe("of a spelled call exactly the strings are payload", () => {
  test.each([...families.keys()])("%s", (name) => {
    for (const patched of [false, true]) {
      const { grammar, tokenizer } = familyRenderer({ name, patched } as RendererConfigInput);
      const layout = responseLayout(grammar)!;
      const tokens = tokenizer.addedTokens.map(({ content }) => content);
      const spell = (response: SpokenResponse) => grammar.spell(response, false);
      const count = checkPayload({ layout, calls: layout.calls!, tokens, spell }, 40);
      if (name === "llama-3") expect(count).toBeNull();
      else expect(count).toBeGreaterThan(20);
    }
  });

  test.each(Object.entries(layouts as Readonly<Record<string, ResponseLayout>>))("layout of %s", (_, layout) => {
    const spell = (response: SpokenResponse) => spellResponse(layout, response, { in: "glue" });
    const count = checkPayload({ layout, calls: layout.calls!, tokens: [], spell }, 40);
    if (count !== null) expect(count).toBeGreaterThan(20);
  });

  const fixtures = requireFixtures();
  test.skipIf(fixtures === undefined)("recorded templates", { timeout: 120_000 }, () => {
    const without: string[] = [];
    for (const { name, analysis } of analysedTemplates(fixtures!)) {
      const { layout, preservedTokens } = analysis;
      if (layout.calls === null) continue;
      const spell = (response: SpokenResponse) => spellResponse(layout, response, { in: "start", closed: false });
      const count = checkPayload({ layout, calls: layout.calls, tokens: preservedTokens, spell }, 15);
      if (count === null) without.push(name);
      else expect(count, name).toBeGreaterThan(5);
    }
    expect(without).toEqual([
      "meetkai-functionary-medium-v3.2",
      "meta-llama-Llama-3.1-8B-Instruct",
      "meta-llama-Llama-3.2-3B-Instruct",
      "meta-llama-Llama-3.3-70B-Instruct",
      "muse-glimmer",
    ]);
  });
});

const json: PayloadSyntax = { kind: "json", within: ["arguments"] };
const tags: PayloadSyntax = {
  kind: "tags",
  name: "<parameter=",
  values: [{ open: ">\n", close: "\n</parameter>\n" }],
  follow: ["<parameter=", "</function>"],
};

describe("a tracker", () => {
  const texts = fc
    .array(
      fc.constantFrom('{"name": "f", "arguments": {"a": "', "<parameter=a>\n", "</parameter>", "\\", "é🚀", ...pieces),
    )
    .map((parts) => parts.join(""));

  test("says the same however the bytes are cut, and goes on from a clone", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(json, tags), fc.array(fc.nat(400)), (text, syntax, cuts) => {
        const all = bytes(text);
        const ends = [...cuts.filter((at) => at < all.length), all.length].sort((a, b) => a - b);
        const byByte = payloadTracker(syntax);
        let inPieces: PayloadTracker = payloadTracker(syntax);
        let from = 0;
        for (const end of ends) {
          for (const byte of all.slice(from, end)) byByte.push(Uint8Array.of(byte));
          const before = inPieces;
          const stood = before.inPayload;
          inPieces = before.clone();
          inPieces.push(all.slice(from, end));
          expect(inPieces.inPayload).toBe(byByte.inPayload);
          expect(before.inPayload).toBe(stood);
          from = end;
        }
      }),
    );
  });

  test("of any bytes does not throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(json, tags), (any, syntax) => {
        const tracker = payloadTracker(syntax);
        tracker.push(any);
        expect(typeof tracker.inPayload).toBe("boolean");
      }),
    );
  });

  test.each<readonly [string, PayloadSyntax, string]>([
    ["names, keys and ids are syntax", json, '{"name": "f", "id": "7", "arguments": {"a\\"b": "‹x\\"y"›, "n": 1}}'],
    ["strings in lists and objects are payload", json, '{"arguments": {"a": ["‹x"›, {"b": "‹y"›}]}, "name": "f"}'],
    ["a list of calls is passed through", json, '[{"arguments": {"a": "‹x"›}}, {"arguments": {"a": "‹"›}}]'],
    [
      "arguments as text are read as JSON",
      { kind: "json", within: ["arguments"], asText: true },
      '{"arguments": "{\\"a\\": \\"‹x\\"›}"}',
    ],
    [
      "JSON may begin behind a text with brackets, again and again",
      { kind: "json", behind: "[ARGS]" },
      'f[CALL_ID]1[ARGS]{"a": "‹b"›}[TOOL_CALLS]g[ARGS]{"c": "‹d"›}',
    ],
    ["strings have quotes of their own", { kind: "json", quote: "▸" }, "call:f{a:▸‹x y▸›,b:[▸‹q▸›,1]}"],
    [
      "a value ends with its closing text",
      tags,
      "\n<function=f>\n<parameter=a>\n‹x\ny\n</parameter>›\n<parameter=b>\n‹3\n</parameter>›\n</function>\n",
    ],
    [
      "a closing text that nothing fits behind is part of the value",
      tags,
      "<parameter=a>\n‹x </parameter>› y‹</parameter>›\n</function>",
    ],
    [
      "literals end by themselves",
      { kind: "tags", begin: "(", values: [{ open: "=", close: "", writing: "literal" }] },
      "[f(a='‹x'›, n=3, b=[\"‹q\"›, 1]), g(c='‹'›)]",
    ],
    [
      "of two openings the longer one counts",
      {
        kind: "tags",
        begin: "(",
        values: [
          { open: "='", close: "'" },
          { open: "=", close: "", writing: "literal" },
        ],
        follow: [",", ")"],
      },
      "f(a='‹x'›, n=3)",
    ],
    [
      "tags within a value are syntax",
      { kind: "tags", name: "~<", values: [{ open: ">", close: "~</{name}>", nested: true }], follow: ["~<", "~</f>"] },
      "~<a>‹~<i›tem>‹x~</item>›~<item>‹y~</item>›~</a>~<b>‹z~</b>›~</f>",
    ],
  ])("%s", (_, syntax, expected) => {
    const text = expected.replace(/[‹›]/g, "");
    expect(shown(syntax, text)).toBe(expected);
  });
});
