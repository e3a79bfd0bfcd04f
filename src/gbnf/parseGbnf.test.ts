import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grammars } from "../../test/support/grammars.ts";
import type { TitoError } from "../errors.ts";
import { lowerGbnf, matches, parseGbnf, printGbnf } from "./index.ts";

const accepted = grammars((gbnf) => lowerGbnf(gbnf));

function errorOf(text: string): TitoError {
  try {
    parseGbnf(text);
  } catch (error) {
    return error as TitoError;
  }
  throw new Error(`no error for ${text}`);
}

describe("parseGbnf and printGbnf", () => {
  it("are each other's inverse", () => {
    fc.assert(
      fc.property(accepted, (gbnf) => {
        expect(parseGbnf(printGbnf(gbnf))).toEqual(gbnf);
      }),
      { numRuns: 500 },
    );
  });

  it("know every escape", () => {
    const gbnf = parseGbnf(
      String.raw`root ::= "\x41\u00e9\U0001F600\n\r\t\\\"\[\]\-" [\]\-\^\x2A]`.replace("\\^", "^"),
    );
    for (const last of ["]", "-", "^", "*"]) expect(matches(gbnf, `Aé😀\n\r\t\\"[]-${last}`)).toBe(true);
    expect(parseGbnf(printGbnf(gbnf))).toEqual(gbnf);
  });

  it.each([
    ["a range with - at its end", "root ::= [a-c-]+", ["b-c"], ["d"]],
    ["a comment in a group over several lines", 'root ::= ( # one\n  "a" # two\n  | "b"\n)+', ["ab"], ["c"]],
    ["a rule that goes on after |", 'root ::= "a" |\n  "b"\n', ["a", "b"], [""]],
    ["Windows line ends", 'root ::= a\r\na ::= "a"\r\n', ["a"], ["b"]],
    ["spaces in a repetition", 'root ::= "a"{ 1 , 2 }', ["a", "aa"], ["", "aaa"]],
    ["a repetition of a repetition", 'root ::= "a"{2}{2}', ["aaaa"], ["aa", "aaa"]],
    ["a maximum beyond the limit, which is none", 'root ::= "a"{0,5000}', ["a".repeat(6000)], ["b"]],
    ["empty options", 'root ::= | "a" | ""', ["", "a"], ["b"]],
    ["names with all their characters", "root ::= a-B9\na-B9 ::= .", ["x"], [""]],
  ])("reads %s", (_, text, yes, no) => {
    const gbnf = parseGbnf(text);
    for (const one of yes) expect(matches(gbnf, one)).toBe(true);
    for (const one of no) expect(matches(gbnf, one)).toBe(false);
  });

  it.each([
    ['root ::= "a', "gbnf_syntax", 1, 10],
    ['root ::= "\\q"', "gbnf_syntax", 1, 11],
    ['root ::= "\\x4"', "gbnf_syntax", 1, 11],
    ['root ::= "\\uD83D"', "gbnf_syntax", 1, 11],
    ["root ::= [\\U00110000]", "gbnf_syntax", 1, 11],
    ["root ::= [b-a]", "gbnf_syntax", 1, 13],
    ["root ::= []", "gbnf_syntax", 1, 10],
    ['root ::= ("a"', "gbnf_syntax", 1, 14],
    ['root ::= "é😀" )', "gbnf_syntax", 1, 15],
    ["root ::= *", "gbnf_syntax", 1, 10],
    ['root ::= ""*', "gbnf_syntax", 1, 12],
    ['root ::= "a"{2,1}', "gbnf_syntax", 1, 13],
    ['root ::= "a"{,1}', "gbnf_syntax", 1, 14],
    ["root = a", "gbnf_syntax", 1, 6],
    ["root ::= a_b\na_b ::= .", "gbnf_syntax", 1, 11],
    ['root ::= "a"\nroot ::= "b"', "gbnf_syntax", 2, 1],
    ["root ::= <[12>", "gbnf_syntax", 1, 14],
    ["root ::= <think", "gbnf_syntax", 1, 10],
    ["root ::= !a", "gbnf_syntax", 1, 11],
    ['root ::= "a"{2001}', "gbnf_limit", 1, 13],
    ['root ::= "a"{50}{50}', "gbnf_limit", 1, 17],
    ["root ::= a\n# b\n", "gbnf_undefined_rule", 1, 10],
    ['a ::= "a"', "gbnf_missing_root", 1, 1],
    ["", "gbnf_missing_root", 1, 1],
    ["%llguidance {}\nstart: /a/", "gbnf_unsupported", 1, 1],
  ])("refuses %j: %s at %i:%i", (text, code, line, column) => {
    const error = errorOf(text);
    expect([error.code, error.details.line, error.details.column]).toEqual([code, line, column]);
    expect(error.message).toMatch(/\. .+\.$|Add: .*/s);
  });

  it("tells the rule in which it stopped", () => {
    expect(errorOf('root ::= a\na ::= "x" )').details.rule).toBe("a");
  });

  it("refuses groups that are nested without end, not with a stack overflow", () => {
    expect(errorOf(`root ::= ${"(".repeat(100_000)}`).code).toBe("gbnf_limit");
    expect(parseGbnf(`root ::= ${"(".repeat(500)}"a"${")".repeat(500)}`).rules).toHaveLength(1);
  });
});

describe("left recursion", () => {
  it.each([
    ["direct", 'root ::= "a" | root "b"', ["root"]],
    ["through another rule", 'root ::= x\nx ::= "a" | y\ny ::= x "b"', ["x", "y"]],
    ["behind an empty rule", 'root ::= x\nx ::= e x "a" | "b"\ne ::= | "e"', ["x"]],
    ["behind a rule that is empty by others", 'root ::= x\nx ::= d x "a" | "b"\nd ::= e e\ne ::= "e"?', ["x"]],
    ["inside of a repetition", 'root ::= x\nx ::= (x "a")* "b"', ["x"]],
    ["in a repetition of what has an empty option", 'root ::= ( | "a")*', ["root"]],
  ])("%s", (_, text, cycle) => {
    const error = errorOf(text);
    expect([error.code, error.details.cycle]).toEqual(["gbnf_left_recursion", cycle]);
  });

  it.each(['root ::= "a" root | "a"', "root ::= ([x]*)*", 'root ::= x\nx ::= e "a" x | e\ne ::= "e"?'])(
    "is not seen in %j",
    (text) => {
      expect(parseGbnf(text).kind).toBe("gbnf");
    },
  );
});

describe("lowerGbnf", () => {
  it("asks for the ids of tokens that are named by text", () => {
    const gbnf = parseGbnf("root ::= <think> !</think>* <[7]>");
    const tokens = (text: string) => ({ "<think>": 5, "</think>": 6 })[text];
    expect(lowerGbnf(gbnf, { tokens }).rules[0]).toEqual([
      [8, 5],
      [2, 1],
      [8, 7],
      [0, 0],
    ]);
    expect(() => lowerGbnf(gbnf)).toThrow(expect.objectContaining({ code: "token_missing" }));
  });
});
