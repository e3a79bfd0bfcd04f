import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorOf, templateRuntime } from "../../../test/support/templateRuntime.ts";
import { List, Tuple } from "../values/containers.ts";
import { Traced } from "../values/scalars.ts";
import { Source } from "../values/source.ts";
import { fromPieces, isText, type PlainText, piecesOf, textOf } from "../values/text.ts";
import type { Value } from "../values/types.ts";
import { method } from "./index.ts";

const runtime = templateRuntime({ mutable: true, most: 100_000 });

function call(self: Value, name: string, ...args: Value[]): Value {
  return method(self, name)!.call(runtime, { positional: [self, ...args], named: null });
}

function named(self: Value, name: string, args: Record<string, Value>): Value {
  return method(self, name)!.call(runtime, { positional: [self], named: new Map(Object.entries(args)) });
}

/** Lists and tuples as arrays, texts without their sources. */
function shown(value: Value): unknown {
  if (value instanceof List || value instanceof Tuple) return value.items.map(shown);
  return isText(value) ? textOf(value) : value;
}

const system = new Source("messages", null, null, false).child(0).child("content");
const user = new Source("messages", null, null, false).child(1).child("content");

/** In these tests a character tells where it comes from, so any piece of any result can be checked. */
const origins = new Map<string, Source | null>([
  ...Array.from("aA,\r", (character) => [character, system] as const),
  ...Array.from("bBß\n😀", (character) => [character, user] as const),
  ...Array.from("cC \t*SsxX0", (character) => [character, null] as const),
]);

function fromOrigins(text: string): PlainText {
  return fromPieces(Array.from(text, (character) => ({ text: character, source: origins.get(character)! })));
}

function expectOrigins(value: Value): void {
  if (value instanceof List || value instanceof Tuple) {
    value.items.forEach(expectOrigins);
    return;
  }
  if (!isText(value)) return;
  let joined = "";
  for (const piece of piecesOf(value)) {
    expect(piece.text).not.toBe("");
    joined += piece.text;
    for (const character of piece.text) {
      const origin = character === "S" || character === "s" ? piece.source : origins.get(character);
      expect(piece.source).toBe(origin);
    }
  }
  expect(joined).toBe(textOf(value));
}

const text = fc.string({ unit: fc.constantFrom(..."aA,\rbBß\n😀cC \t"), maxLength: 30 });
const part = fc.string({ unit: fc.constantFrom(..."a,b\n😀 "), minLength: 1, maxLength: 2 });
const count = fc.integer({ min: -1, max: 4 });

const calls: fc.Arbitrary<readonly [string, ...(string | number)[]]> = fc.oneof(
  fc
    .constantFrom("lower", "upper", "title", "capitalize", "swapcase", "splitlines", "split", "rsplit")
    .map((name): [string] => [name]),
  fc.constantFrom("strip", "lstrip", "rstrip", "expandtabs").map((name): [string] => [name]),
  fc.tuple(fc.constantFrom("split", "rsplit"), part, count),
  fc.tuple(
    fc.constantFrom("strip", "lstrip", "rstrip", "partition", "rpartition", "removeprefix", "removesuffix"),
    part,
  ),
  fc.tuple(fc.constant("replace"), part, part, count),
  fc.tuple(fc.constantFrom("center", "ljust", "rjust"), fc.nat(40), fc.constantFrom("*", "a", "😀")),
  fc.tuple(fc.constantFrom("zfill", "expandtabs"), fc.nat(40)),
);

describe("methods of str", () => {
  it("give the same with and without sources, and each character keeps its source", () => {
    fc.assert(
      fc.property(text, calls, (self, [name, ...args]) => {
        const traced = args.map((arg) => (typeof arg === "string" ? fromOrigins(arg) : arg));
        const result = call(fromOrigins(self), name, ...traced);
        expect(shown(result)).toEqual(shown(call(self, name, ...args)));
        expectOrigins(result);
      }),
      { numRuns: 500 },
    );
  });

  it("join what split took apart", () => {
    fc.assert(
      fc.property(text, part, count, (self, separator, limit) => {
        for (const name of ["split", "rsplit"]) {
          const parts = call(fromOrigins(self), name, separator, limit);
          const joined = call(fromOrigins(separator), "join", parts);
          expect(textOf(joined as PlainText)).toBe(self);
          expectOrigins(joined);
          if (limit >= 0) expect((parts as List).items.length).toBeLessThanOrEqual(limit + 1);
        }
        expect((shown(call(self, "partition", separator)) as string[]).join("")).toBe(self);
        expect((shown(call(self, "rpartition", separator)) as string[]).join("")).toBe(self);
        expect((shown(call(self, "splitlines", true)) as string[]).join("")).toBe(self);
        expect(call(self, "replace", separator, separator)).toBe(self);
      }),
    );
  });

  it("agree on where a part stands", () => {
    fc.assert(
      fc.property(text, part, fc.integer({ min: -8, max: 8 }), (self, sought, start) => {
        const characters = Array.from(self);
        const from = Math.min(start < 0 ? Math.max(start + characters.length, 0) : start, characters.length);
        const at = call(self, "find", sought, start) as number;
        expect(call(self, "startswith", sought, at === -1 ? start : at)).toBe(at !== -1);
        expect(characters.slice(from).join("").includes(sought)).toBe(at !== -1);
        expect(errorOf(() => call(self, "index", sought, start))).toBe(at === -1 ? "ValueError" : "none");
        expect((call(self, "rfind", sought, start) as number) >= at).toBe(true);
        const parts = call(characters.slice(from).join(""), "split", sought) as List;
        expect(call(self, "count", sought, start)).toBe(parts.items.length - 1);
        const cut = call(self, "removesuffix", sought);
        expect(call(self, "endswith", sought)).toBe(cut !== self);
      }),
    );
  });

  it("fill to a width in code points", () => {
    fc.assert(
      fc.property(text, fc.nat(40), (self, width) => {
        for (const name of ["center", "ljust", "rjust", "zfill"]) {
          const filled = call(self, name, width) as string;
          expect(Array.from(filled).length).toBe(Math.max(width, Array.from(self).length));
          expect(filled.includes(self)).toBe(true);
        }
      }),
    );
  });

  it("never take a pair of surrogates apart", () => {
    expect(call("a😀", "find", "\ude00")).toBe(-1);
    expect(call("😀a", "rfind", "\ud83d")).toBe(-1);
    expect(call("😀", "replace", "\ude00", "x")).toBe("😀");
    expect(call("😀", "startswith", "\ud83d")).toBe(false);
    expect(call("😀", "removesuffix", "\ude00")).toBe("😀");
    expect(call("😀b", "find", "b")).toBe(1);
    expect(call("😀b", "replace", "", "-")).toBe("-😀-b-");
    expect(call("😀b", "count", "")).toBe(3);
  });

  // As recorded from CPython 3.11.
  it.each<[self: string, name: string, args: Value[], expected: unknown]>([
    ["  a  b \x1c c ", "split", [], ["a", "b", "c"]],
    ["  a  b  c ", "split", [null, 1], ["a", "b  c "]],
    ["  a  b  c ", "rsplit", [null, 1], ["  a  b", "c"]],
    ["a,b,c", "split", [",", 0], ["a,b,c"]],
    ["", "split", [], []],
    ["", "split", [","], [""]],
    ["a,b,c", "rsplit", [",", 1], ["a,b", "c"]],
    ["aaa", "rsplit", ["aa"], ["a", ""]],
    ["a\r\nb\x0bc\x85d\u2028", "splitlines", [], ["a", "b", "c", "d"]],
    ["a\n\nb", "splitlines", [true], ["a\n", "\n", "b"]],
    ["a=b=c", "partition", ["="], ["a", "=", "b=c"]],
    ["abc", "rpartition", ["="], ["", "", "abc"]],
    ["\x1f\u3000x\ufeff ", "strip", [], "x\ufeff"],
    ["<think>x", "removeprefix", ["<think>"], "x"],
    ["aXbX", "replace", ["X", "--", 1], "a--bX"],
    ["ab", "replace", ["", "-", 2], "-a-b"],
    ["abc", "startswith", [new Tuple(["x", "ab"])], true],
    ["abc", "startswith", ["", 4], false],
    ["abc", "endswith", ["b", 0, -1], true],
    ["abcabc", "rfind", ["b", 0, 4], 1],
    ["ab", "center", [5, "*"], "**ab*"],
    ["a", "center", [4], " a  "],
    ["-5", "zfill", [5], "-0005"],
    ["a\tb\n\tc", "expandtabs", [4], "a   b\n    c"],
    ["they're ﬁne ǆ", "title", [], "They'Re Fine ǅ"],
    ["ŉSS ΑΣ", "capitalize", [], "ʼNss ας"],
    ["Straße ꭰ", "casefold", [], "strasse Ꭰ"],
    ["ΑΣ aß", "swapcase", [], "ας ASS"],
    ["Ab Cd", "istitle", [], true],
    ["²", "isdigit", [], true],
    ["²", "isdecimal", [], false],
    ["一½", "isnumeric", [], true],
    ["a_1", "isidentifier", [], true],
    ["a\u00a0", "isprintable", [], false],
    ["", "isalpha", [], false],
    ["", "isascii", [], true],
    ["a1", "islower", [], true],
    ["{}-{}", "format", ["x", 1], "x-1"],
  ])("%j.%s(%j)", (self, name, args, expected) => {
    expect(shown(call(self, name, ...args))).toEqual(expected);
  });

  it("translate by a table", () => {
    const table = call("", "maketrans", "ab", "x😀", "c");
    expect(call("abcd", "translate", table)).toBe("x😀d");
    expect(call("a", "translate", new List(["-", "+"]))).toBe("a");
  });

  it("take arguments by name where Python does", () => {
    expect(shown(named("a,b,c", "split", { sep: ",", maxsplit: 1 }))).toEqual(["a", "b,c"]);
    expect(shown(named("a\n", "splitlines", { keepends: true }))).toEqual(["a\n"]);
    expect(errorOf(() => named("a", "strip", { chars: "a" }))).toBe("TypeError");
    expect(errorOf(() => named("a", "split", { max: 1 }))).toBe("TypeError");
  });

  it.each<[name: string, args: Value[], error: string]>([
    ["split", [""], "ValueError"],
    ["split", [1], "TypeError"],
    ["partition", [""], "ValueError"],
    ["index", ["x"], "ValueError"],
    ["join", [new List([1])], "TypeError"],
    ["join", [5], "TypeError"],
    ["startswith", [new List(["a"])], "TypeError"],
    ["replace", ["a"], "TypeError"],
    ["strip", ["a", "b"], "TypeError"],
    ["ljust", [5, "ab"], "TypeError"],
    ["zfill", [new Traced("5", system)], "TypeError"],
    ["ljust", [2n ** 70n], "OverflowError"],
    ["encode", [], "TypeError"],
    ["center", [10 ** 9], "Limit"],
    ["zfill", [10 ** 9], "Limit"],
    ["expandtabs", [10 ** 9], "none"],
  ])("%s(…) is an error of its class (%#)", (name, args, error) => {
    expect(errorOf(() => call("abc", name, ...args))).toBe(error);
  });

  it("ask before they grow a text", () => {
    expect(errorOf(() => call("x".repeat(1000), "replace", "", "y".repeat(1000)))).toBe("Limit");
    expect(errorOf(() => call("\t", "expandtabs", 10 ** 9))).toBe("Limit");
    expect(errorOf(() => call("x".repeat(1000), "join", new List(Array.from({ length: 200 }, () => ""))))).toBe(
      "Limit",
    );
  });
});
