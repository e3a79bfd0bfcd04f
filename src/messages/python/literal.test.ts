import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonNumber, type JsonValue, parseJson, pythonJson } from "../json/index.ts";
import { pythonLiteral, pythonRepr } from "./index.ts";

const text = fc.string({
  unit: fc.oneof(fc.constantFrom("'", '"', "\\", "\n", "\r", "\0", "\u00a0", "😀"), fc.string()),
});
const number = fc
  .oneof(
    fc.double().map((x) => pythonJson(x)),
    fc.bigInt().map(String),
    fc.constantFrom("1.0", "1e16", "1e-7", "-0.0", "12345678901234567890", "NaN", "-Infinity"),
  )
  .map((digits) => new JsonNumber(digits));
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    text,
    number,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie("value")), { maxLength: 4 }).map((fields) => new Map(fields)),
  ),
})).value;

const printed = (literal: string): string | undefined => {
  const read = pythonLiteral(literal);
  return read === undefined ? undefined : pythonJson(read);
};

describe("pythonLiteral", () => {
  it("reads back what pythonRepr prints", () => {
    fc.assert(
      fc.property(value, (input) => {
        const literal = pythonRepr(input);
        const read = pythonLiteral(literal);
        expect(read).not.toBe(undefined);
        expect(pythonRepr(read!)).toBe(literal);
        expect(pythonJson(read!)).toBe(pythonJson(input));
      }),
    );
  });

  it("takes the whole text or nothing", () => {
    fc.assert(
      fc.property(value, fc.nat(), (input, at) => {
        const literal = pythonRepr(input);
        expect(pythonLiteral(`${literal}]`)).toBe(undefined);
        const isScalar = typeof input !== "object" || input === null || input instanceof JsonNumber;
        if (!isScalar) expect(pythonLiteral(literal.slice(0, at % literal.length))).toBe(undefined);
      }),
    );
  });

  // As Python's ast.literal_eval reads them.
  it.each([
    ["None", "null"],
    [" [True, False] ", "[true, false]"],
    ["(1, 'a',)", '[1, "a"]'],
    ["(1,)", "[1]"],
    ["()", "[]"],
    ["(1)", "1"],
    ["[1, 2,]", "[1, 2]"],
    ["{'b': 1, 'a': 2, 'b': 3,}", '{"b": 3, "a": 2}'],
    ["{'2': {}, '1': []}", '{"2": {}, "1": []}'],
    ["'it\\'s'", '"it\'s"'],
    ['"it\'s"', '"it\'s"'],
    ["'\\a\\b\\f\\v\\0\\101\\x41\\u0042\\U0001f600'", '"\\u0007\\b\\f\\u000b\\u0000AAB😀"'],
    ["'\\d\\\n.'", '"\\\\d."'],
  ])("reads %s as %s", (literal, json) => {
    expect(printed(literal)).toBe(json);
  });

  it("keeps a number's text", () => {
    expect(pythonLiteral("[1.0, 1e+16, 1e-07, 12345678901234567890]")).toEqual(
      ["1.0", "1e+16", "1e-07", "12345678901234567890"].map((digits) => new JsonNumber(digits)),
    );
    expect(pythonLiteral("[nan, inf, -inf]")).toEqual(parseJson("[NaN, Infinity, -Infinity]"));
  });

  it.each([
    "",
    " ",
    "true",
    "null",
    "text",
    "Nonesuch",
    "'open",
    "'a' 'b'",
    "'line\nbreak'",
    "'\\x4'",
    "'\\ud83'",
    "'\\U00110000'",
    "'\\N{DASH}'",
    "'\\",
    "[1 2]",
    "[,]",
    "[1,,2]",
    "[1)",
    "{'a'}",
    "{'a': }",
    "{'a': 1 'b': 2}",
    "{,}",
    "{1: 2}",
    "{None: 2}",
    "{1, 2}",
    "01",
    "1.",
    "--1",
    "1 2",
  ])("refuses %s", (literal) => {
    expect(pythonLiteral(literal)).toBe(undefined);
  });

  it("has the limits of parseJson", () => {
    expect(pythonLiteral("[".repeat(1000) + "]".repeat(1000))).not.toBe(undefined);
    expect(pythonLiteral("[".repeat(1001) + "]".repeat(1001))).toBe(undefined);
    expect(pythonLiteral("(".repeat(100_000))).toBe(undefined);
    expect(pythonLiteral(`-${"9".repeat(4300)}`)).not.toBe(undefined);
    expect(pythonLiteral("9".repeat(4301))).toBe(undefined);
  });
});
