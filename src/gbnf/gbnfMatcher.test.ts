import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grammars, naiveMatches, randomNumbers, texts } from "../../test/support/grammars.ts";
import { checkGbnf } from "./checkGbnf.ts";
import { gbnfMatcher, matches, parseGbnf, sampleGbnf, whyNot } from "./index.ts";

const runnable = grammars((gbnf) => checkGbnf(gbnf, { root: "root" }));
const json = parseGbnf(`
  root ::= value
  value ::= (object | array | string | number | "true" | "false" | "null") ws
  object ::= "{" ws (pair ("," ws pair)*)? "}"
  pair ::= string ws ":" ws value
  array ::= "[" ws (value ("," ws value)*)? "]"
  string ::= "\\"" ([^"\\\\\\x00-\\x1F] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\\""
  number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
  ws ::= [ \\t\\n]*
`);

describe("gbnfMatcher", () => {
  it("agrees with the definition of matching", () => {
    fc.assert(
      fc.property(runnable, fc.array(texts, { minLength: 1, maxLength: 10 }), (gbnf, some) => {
        for (const text of some) expect(matches(gbnf, text)).toBe(naiveMatches(gbnf, text));
      }),
      { numRuns: 400 },
    );
  });

  it("matches whatever sampleGbnf writes", () => {
    fc.assert(
      fc.property(runnable, fc.integer(), (gbnf, seed) => {
        const random = randomNumbers(seed);
        let text: string;
        try {
          text = sampleGbnf(gbnf, random, { budget: 50 });
        } catch (error) {
          // Of these grammars, some match no text at all.
          expect(error).toMatchObject({ code: "gbnf_invalid" });
          return;
        }
        expect(matches(gbnf, text)).toBe(true);
        expect(whyNot(gbnf, text)).toBe(null);
      }),
      { numRuns: 400 },
    );
  });

  it("gives the same answers for any chunks of bytes", () => {
    fc.assert(
      fc.property(runnable, texts, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (gbnf, text, sizes) => {
        const bytes = new TextEncoder().encode(text);
        const matcher = gbnfMatcher(gbnf);
        let taken = true;
        for (let at = 0, i = 0; at < bytes.length && taken; i++) {
          const size = sizes[i % sizes.length];
          taken = matcher.accept(bytes.subarray(at, at + size));
          at += size;
        }
        expect(taken && matcher.isComplete()).toBe(matches(gbnf, text));
      }),
      { numRuns: 300 },
    );
  });

  it("keeps its state when it refuses, and a clone's state to itself", () => {
    fc.assert(
      fc.property(runnable, texts, texts, (gbnf, text, other) => {
        const matcher = gbnfMatcher(gbnf);
        if (!matcher.accept(text)) return;
        const twin = matcher.clone();
        const [complete, expected] = [matcher.isComplete(), matcher.expected()];
        if (!matcher.accept(other)) {
          expect([matcher.isComplete(), matcher.expected()]).toEqual([complete, expected]);
        }
        expect([twin.isComplete(), twin.expected()]).toEqual([complete, expected]);
        expect(twin.accept(other) && twin.isComplete()).toBe(matches(gbnf, text + other));
      }),
    );
  });

  it("takes all JSON, and no mutilated JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
        const text = JSON.stringify(value, null, 1);
        expect(whyNot(json, text)).toBe(null);
        const cut = text.slice(0, at % text.length) + text.slice((at % text.length) + 1);
        const valid = (() => {
          try {
            JSON.parse(cut);
            // White space before the value is JSON, too, but not this grammar's.
            return cut.isWellFormed() && !/^\s/.test(cut);
          } catch {
            return false;
          }
        })();
        expect(matches(json, cut)).toBe(valid);
      }),
    );
  });

  it("does not mind long and deep texts", () => {
    const rows = Array.from({ length: 1500 }, (_, id) => ({ id, name: `row ${id} é😀`, tags: ["a", "b"], none: null }));
    expect(matches(json, JSON.stringify(rows))).toBe(true);
    const deep = parseGbnf('root ::= "[" root? "]"');
    expect(matches(deep, "[".repeat(50_000) + "]".repeat(50_000))).toBe(true);
    expect(matches(deep, "[".repeat(50_000) + "]".repeat(49_999))).toBe(false);
  });

  it("does not mind ambiguity", () => {
    const ambiguous = parseGbnf('root ::= e\ne ::= t e | t\nt ::= "a" | "aa" | ("a" | "aa") "a"?');
    expect(matches(ambiguous, "a".repeat(3000))).toBe(true);
    const both = parseGbnf('root ::= "a" root "a" | "a" root | ""');
    expect(matches(both, "a".repeat(60))).toBe(true);
  });

  it("waits inside of a character only for one that may come", () => {
    const matcher = gbnfMatcher(parseGbnf("root ::= [é-ü]"));
    const [first, second] = new TextEncoder().encode("é");
    expect(matcher.accept(Uint8Array.of(0xe2))).toBe(false);
    expect(matcher.accept(Uint8Array.of(first))).toBe(true);
    expect(matcher.isComplete()).toBe(false);
    expect(matcher.accept("x")).toBe(false);
    expect(matcher.accept(Uint8Array.of(0x80))).toBe(false);
    expect(matcher.accept(Uint8Array.of(second))).toBe(true);
    expect([matcher.isComplete(), matcher.canContinue(), matcher.isDead()]).toEqual([true, false, false]);
  });

  it("refuses bytes and texts that are no Unicode", () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80]]) {
      expect(gbnfMatcher(parseGbnf("root ::= .*")).accept(Uint8Array.from(bytes))).toBe(false);
    }
    expect(matches(parseGbnf("root ::= .*"), "\ud83d")).toBe(false);
  });

  it("is dead only with a grammar that matches nothing", () => {
    const none = parseGbnf(String.raw`root ::= [^\x00-\U0010FFFF]`);
    expect(gbnfMatcher(none).isDead()).toBe(false);
    expect(gbnfMatcher(none).accept("a")).toBe(false);
    expect(gbnfMatcher(parseGbnf('root ::= "a"')).isDead()).toBe(false);
  });
});

describe("tokens", () => {
  const gbnf = parseGbnf("root ::= <[10]> content <[11]>\ncontent ::= (!<[11]>)*");

  it("are matched by id, and text is not a token", () => {
    const matcher = gbnfMatcher(gbnf);
    expect(matcher.accept("<a>")).toBe(false);
    expect(matcher.acceptToken(12, "x")).toBe(false);
    for (const [id, text] of [
      [10, "<a>"],
      [70, "hello "],
      [71, "world"],
      [10, "<a>"],
      [11, "</a>"],
    ] as const) {
      expect(matcher.acceptToken(id, text)).toBe(true);
    }
    expect(matcher.isComplete()).toBe(true);
    expect(matcher.acceptToken(11, "</a>")).toBe(false);
  });

  it("count for negated references even where their bytes are no whole character", () => {
    const matcher = gbnfMatcher(gbnf);
    const [first, ...rest] = new TextEncoder().encode("😀");
    matcher.acceptToken(10, "<a>");
    expect(matcher.acceptToken(80, Uint8Array.of(first))).toBe(true);
    expect(matcher.acceptToken(81, Uint8Array.from(rest))).toBe(true);
    expect(matcher.acceptToken(11, "</a>")).toBe(true);
    expect(matcher.isComplete()).toBe(true);
  });

  it("may be read as a token and as text at once", () => {
    const either = parseGbnf('root ::= <[1]> "x" | "ab" "y"');
    for (const [last, id] of [
      ["x", 1],
      ["y", 1],
      ["y", 2],
    ] as const) {
      const matcher = gbnfMatcher(either);
      expect(matcher.acceptToken(id, "ab")).toBe(true);
      expect(matcher.acceptToken(50, last)).toBe(true);
      expect(matcher.isComplete()).toBe(true);
    }
    const matcher = gbnfMatcher(either);
    matcher.acceptToken(2, "ab");
    expect(matcher.accept("x")).toBe(false);
  });

  it("by text are looked up, or compared with the token's bytes", () => {
    const named = parseGbnf("root ::= <think> !</think>");
    const byId = gbnfMatcher(named, { tokens: (text) => (text === "<think>" ? 5 : 6) });
    expect(byId.acceptToken(5, "whatever")).toBe(true);
    expect(byId.clone().acceptToken(6, "x")).toBe(false);
    expect(byId.acceptToken(5, "x")).toBe(true);
    const byText = gbnfMatcher(named);
    expect(byText.acceptToken(1, "<thin>")).toBe(false);
    expect(byText.acceptToken(1, new TextEncoder().encode("<think>"))).toBe(true);
    expect(() => gbnfMatcher(named, { tokens: () => undefined })).toThrow(/<\/think>/);
  });
});

describe("whyNot", () => {
  const gbnf = parseGbnf('root ::= "{" name ":" [0-9]+ "}"\nname ::= "é" | "name"');

  it("names the place and what was expected there", () => {
    expect(whyNot(gbnf, "{nome:1}")).toMatchObject({
      index: 2,
      found: "o",
      expected: [{ rule: "name", what: '"ame"' }],
      mayEnd: false,
    });
    expect(whyNot(gbnf, "{é:1")).toMatchObject({ index: 4, found: null });
    expect(whyNot(gbnf, "{é:1}😀")?.message).toBe('Unexpected "😀" at character 5: expected the end.');
  });

  it("stops at the first character that no match begins with", () => {
    fc.assert(
      fc.property(runnable, texts, (one, text) => {
        const found = whyNot(one, text);
        expect(found === null).toBe(matches(one, text));
        if (found === null) return;
        const before = Array.from(text).slice(0, found.index).join("");
        expect(gbnfMatcher(one).accept(before)).toBe(true);
        expect(found.found ?? "").toBe(Array.from(text)[found.index] ?? "");
        if (found.found !== null) expect(gbnfMatcher(one).accept(before + found.found)).toBe(false);
      }),
    );
  });
});
