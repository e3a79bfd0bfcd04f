import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkGbnf } from "../../src/gbnf/checkGbnf.ts";
import { type Continuation, continuationOf } from "../../src/gbnf/continuation.ts";
import {
  type Gbnf,
  type GbnfMatcher,
  gbnfMatcher,
  matches,
  parseGbnf,
  printGbnf,
  sampleGbnf,
} from "../../src/gbnf/index.ts";
import { grammars, randomNumbers, texts } from "../support/grammars.ts";
import { pieceOf, pieces, withTokens } from "../support/grammarTokens.ts";

const runnable = grammars((gbnf) => checkGbnf(gbnf, { root: "root" }));
const ids = fc.array(fc.nat({ max: pieces.length - 1 }), { maxLength: 12 });
const take = (matcher: GbnfMatcher, id: number): boolean => matcher.acceptToken(id, pieceOf(id));

/** A matcher of what may follow, as llama.cpp would read it. */
function following(rest: Continuation & { kind: "grammar" }): GbnfMatcher {
  const read = parseGbnf(printGbnf(rest.gbnf), { root: rest.root });
  expect(read).toEqual(rest.gbnf);
  return gbnfMatcher(read, { root: rest.root });
}

function having(gbnf: Gbnf, text: string): GbnfMatcher {
  const matcher = gbnfMatcher(gbnf);
  expect(matcher.accept(text)).toBe(true);
  return matcher;
}

const printed = (gbnf: string, text: string): string => {
  const rest = continuationOf(having(parseGbnf(gbnf), text));
  if (rest.kind !== "grammar") throw new Error(rest.kind);
  return printGbnf(rest.gbnf).trimEnd();
};

describe("what may follow", () => {
  it("is the rest of each text, wherever it is cut", () => {
    fc.assert(
      fc.property(runnable, fc.integer(), fc.array(texts, { minLength: 1, maxLength: 4 }), (gbnf, seed, others) => {
        let text: string;
        try {
          text = sampleGbnf(gbnf, randomNumbers(seed), { budget: 30 });
        } catch {
          return;
        }
        const characters = Array.from(text);
        for (let cut = 0; cut <= characters.length; cut++) {
          const before = characters.slice(0, cut).join("");
          const rest = continuationOf(having(gbnf, before));
          if (rest.kind !== "grammar") throw new Error(rest.kind);
          const matcher = following(rest);
          for (const one of [characters.slice(cut).join(""), ...others]) {
            const next = matcher.clone();
            expect(next.accept(one) && next.isComplete()).toBe(matches(gbnf, before + one));
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it("takes and refuses the same tokens as the matcher itself, named ones too", () => {
    let [whole, open] = [0, 0];
    fc.assert(
      fc.property(
        runnable.map(withTokens),
        ids,
        fc.array(ids, { minLength: 1, maxLength: 6 }),
        (gbnf, first, others) => {
          const matcher = gbnfMatcher(gbnf);
          for (const id of first) take(matcher, id);
          const rest = continuationOf(matcher);
          if (rest.kind === "partial") {
            open++;
            return;
          }
          if (rest.kind === "refused") throw new Error(rest.reason);
          if (first.length > 0) whole++;
          const mine = following(rest);
          for (const other of others) {
            const [one, two] = [matcher.clone(), mine.clone()];
            expect(two.isComplete()).toBe(one.isComplete());
            for (const id of other) {
              expect(take(two, id)).toBe(take(one, id));
              expect([two.isComplete(), two.canContinue()]).toEqual([one.isComplete(), one.canContinue()]);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(Math.min(whole, open)).toBeGreaterThan(20);
  });

  it("can be taken further", () => {
    fc.assert(
      fc.property(runnable, texts, texts, (gbnf, first, second) => {
        const matcher = gbnfMatcher(gbnf);
        if (!matcher.accept(first)) return;
        const rest = continuationOf(matcher);
        if (rest.kind !== "grammar") return;
        const again = following(rest);
        const goesOn = again.accept(second);
        expect(goesOn).toBe(matcher.accept(second));
        if (!goesOn) return;
        const last = continuationOf(again);
        if (last.kind === "grammar") expect(following(last).isComplete()).toBe(matcher.isComplete());
      }),
    );
  });
});

describe("it is spelled", () => {
  it("as what is left of each rule", () => {
    expect(printed('root ::= "[" [a-z]{3} "]"', "[a")).toBe('rest ::= [a-z]{2} "]"');
    expect(printed('root ::= "<call>" (a | b){2,5}\na ::= "a" "!"\nb ::= "b"', "<call>ba")).toBe(
      'rest ::= "!" (a | b){0,3}\na ::= "a" "!"\nb ::= "b"',
    );
    expect(printed('root ::= "x" <[7]> "y"', "x")).toBe('rest ::= <[7]> "y"');
    expect(printed('root ::= "ab"?', "ab")).toBe('rest ::= ""');
  });

  it("with the rules that it needs, under names of its own", () => {
    expect(printed('root ::= "a" rest\nrest ::= "b" rest-1?\nrest-1 ::= "c"\nother ::= "d"', "a")).toBe(
      'rest-2 ::= "b" rest-1?\nrest-1 ::= "c"',
    );
  });

  it("no longer than the nesting is deep", () => {
    const deep = parseGbnf('root ::= value\nvalue ::= "[" value? "]" | "{" value? "}"');
    for (const depth of [10, 3000]) {
      const rest = continuationOf(having(deep, "[{".repeat(depth)));
      if (rest.kind !== "grammar") throw new Error(rest.kind);
      expect(printGbnf(rest.gbnf).length).toBeLessThan(20 * depth + 100);
      expect(following(rest).accept(`[]${"}]".repeat(depth)}`)).toBe(true);
    }
    const both = parseGbnf('root ::= "a" root "a" | "a" root | ""');
    const rest = continuationOf(having(both, "a".repeat(40)));
    if (rest.kind !== "grammar") throw new Error(rest.kind);
    expect(rest.gbnf.rules.length).toBeLessThan(50);
    expect(following(rest).accept("a".repeat(40))).toBe(true);
  });
});

describe("there is none", () => {
  it("inside of a character: so many bytes are missing", () => {
    const matcher = gbnfMatcher(parseGbnf("root ::= .*"));
    const bytes = new TextEncoder().encode("😀");
    for (let taken = 1; taken < 4; taken++) {
      matcher.accept(bytes.subarray(taken - 1, taken));
      expect(continuationOf(matcher)).toEqual({ kind: "partial", missing: 4 - taken });
    }
    matcher.accept(bytes.subarray(3));
    expect(continuationOf(matcher).kind).toBe("grammar");
  });

  it("where so much is open that llama.cpp would check its rules for hours", () => {
    const gbnf = parseGbnf('root ::= "a" root "b"? | "a" root | ""');
    expect(continuationOf(having(gbnf, "a".repeat(8))).kind).toBe("grammar");
    expect(continuationOf(having(gbnf, "a".repeat(60)))).toEqual({ kind: "refused", reason: "ambiguous" });
    expect(continuationOf(having(parseGbnf('root ::= "a" root "b"? | "c"'), "a".repeat(60))).kind).toBe("grammar");
  });

  it("of a grammar that matches nothing", () => {
    const body = { kind: "alternatives", options: [] } as const;
    const matcher = gbnfMatcher({ kind: "gbnf", rules: [{ kind: "rule", name: "root", body }] });
    expect(continuationOf(matcher)).toEqual({ kind: "refused", reason: "dead" });
  });

  it("of a matcher that is not gbnfMatcher's", () => {
    expect(() => continuationOf({ ...gbnfMatcher(parseGbnf('root ::= "a"')) } as GbnfMatcher)).toThrow(/gbnfMatcher/);
  });
});
