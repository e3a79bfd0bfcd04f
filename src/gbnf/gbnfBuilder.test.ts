import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { letters, randomNumbers } from "../../test/support/grammars.ts";
import {
  alternatives,
  empty,
  GbnfBuilder,
  literal,
  matches,
  noneOf,
  oneOf,
  optional,
  parseGbnf,
  printGbnf,
  reference,
  repeat,
  sampleGbnf,
  sequence,
  throughAny,
  token,
  untilAny,
} from "./index.ts";

const alphabet = fc.constantFrom("a", "b", "<", "/", ...letters);
const words = fc.array(alphabet, { minLength: 1, maxLength: 4 }).map((list) => list.join(""));
const longer = fc.array(alphabet, { maxLength: 12 }).map((list) => list.join(""));

describe("untilAny and throughAny", () => {
  it("are the texts without any of the words, and those that end with the first", () => {
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 1, maxLength: 4 }),
        fc.array(longer, { minLength: 8 }),
        (marks, some) => {
          const builder = new GbnfBuilder();
          const until = builder.build(untilAny(builder, marks));
          const through = builder.build(throughAny(builder, marks));
          for (const text of [...some, ...some.map((one) => one + marks[0])]) {
            const ends = marks.flatMap((mark) => (text.includes(mark) ? [text.indexOf(mark) + mark.length] : []));
            expect(matches(until, text)).toBe(ends.length === 0);
            expect(matches(through, text)).toBe(Math.min(...ends) === text.length);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("sample to texts that keep the promise", () => {
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 3 }), fc.integer(), (marks, seed) => {
        const builder = new GbnfBuilder();
        const text = sampleGbnf(builder.build(untilAny(builder, marks)), randomNumbers(seed));
        expect(marks.some((mark) => text.includes(mark))).toBe(false);
      }),
    );
  });

  it("refuse the empty text, and no text at the end", () => {
    expect(() => untilAny(new GbnfBuilder(), ["a", ""])).toThrow(expect.objectContaining({ code: "gbnf_invalid" }));
    expect(() => throughAny(new GbnfBuilder(), [])).toThrow(expect.objectContaining({ code: "gbnf_invalid" }));
    const builder = new GbnfBuilder();
    expect(matches(builder.build(untilAny(builder, [])), "anything")).toBe(true);
  });
});

describe("GbnfBuilder", () => {
  it("makes names fit and unique, and uses a rule again where it is the same", () => {
    const builder = new GbnfBuilder();
    const first = builder.rule("get weather_é", literal("a"));
    expect(first.name).toBe("get-weather");
    expect(builder.rule("get-weather", literal("a"))).toEqual(first);
    expect(builder.rule("get-weather", literal("b")).name).toBe("get-weather1");
    expect(builder.rule("root", literal("c")).name).not.toBe("root");
    expect(builder.rule("é", literal("d")).name).toBe("rule");
  });

  it("builds only what the root needs, and rules that need each other", () => {
    const builder = new GbnfBuilder();
    builder.rule("unused", literal("x"));
    const list = builder.declare("list");
    const item = builder.rule("item", alternatives(literal("a"), list));
    builder.define(list, sequence(literal("("), repeat(item), literal(")")));
    const gbnf = builder.build(list);
    expect(gbnf.rules.map(({ name }) => name)).toEqual(["root", "list", "item"]);
    expect(matches(gbnf, "(a(a)())")).toBe(true);
    expect(parseGbnf(printGbnf(gbnf))).toEqual(gbnf);
  });

  it("includes other grammars under names of its own", () => {
    const inner = parseGbnf('root ::= item "," item\nitem ::= [0-9]+');
    const builder = new GbnfBuilder();
    const item = builder.rule("item", literal("x"));
    const renamed = builder.include(inner);
    const gbnf = builder.build(sequence(item, renamed(reference("root"))));
    expect(matches(gbnf, "x1,22")).toBe(true);
    expect(matches(gbnf, "1,22")).toBe(false);
    const outer = new GbnfBuilder();
    const again = outer.include(builder);
    expect(matches(outer.build(again(item)), "x")).toBe(true);
  });

  it("shares a rule by its key, also with itself", () => {
    const builder = new GbnfBuilder();
    const nested = (): ReturnType<GbnfBuilder["shared"]> =>
      builder.shared("k", "nested", () => sequence(literal("("), optional(nested()), literal(")")));
    expect(nested()).toEqual(nested());
    expect(matches(builder.build(nested()), "((()))")).toBe(true);
  });

  it("refuses what llama.cpp cannot run, and misuse", () => {
    const builder = new GbnfBuilder();
    const rule = builder.declare("a");
    expect(() => builder.build(rule)).toThrow(expect.objectContaining({ code: "gbnf_undefined_rule" }));
    builder.define(rule, sequence(optional(literal("x")), rule));
    expect(() => builder.build(rule)).toThrow(expect.objectContaining({ code: "gbnf_left_recursion" }));
    expect(() => builder.define(rule, empty())).toThrow(expect.objectContaining({ code: "gbnf_invalid" }));
    expect(() => alternatives()).toThrow(expect.objectContaining({ code: "gbnf_invalid" }));
    expect(() => oneOf("")).toThrow(expect.objectContaining({ code: "gbnf_invalid" }));
    expect(() => literal("\ud800")).toThrow(expect.objectContaining({ code: "gbnf_invalid" }));
    expect(() => repeat(literal("a"), { min: 2, max: 1 })).toThrow(expect.objectContaining({ code: "gbnf_invalid" }));
    expect(() => token("think")).toThrow(expect.objectContaining({ code: "gbnf_invalid" }));
  });
});

describe("expressions", () => {
  it("simplify to shapes that have a spelling", () => {
    expect(sequence(literal("a"))).toEqual(literal("a"));
    expect(literal("")).toEqual(empty());
    expect(sequence(literal("a"), sequence(literal("b"), empty()))).toEqual(sequence(literal("a"), literal("b")));
    expect(noneOf("")).toEqual({ kind: "any" });
    expect(repeat(empty())).toEqual(empty());
    expect(repeat(literal("a"), { max: 0 })).toEqual(empty());
    expect(repeat(optional(literal("a")))).toEqual(repeat(literal("a")));
    expect(repeat(alternatives(empty(), literal("a")), { min: 3 })).toEqual(repeat(literal("a")));
  });
});
