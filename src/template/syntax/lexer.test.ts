import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lex, normaliseSource } from "./lexer.ts";
import { SyntaxFault } from "./syntaxFault.ts";

function texts(template: string): string[] {
  return lex(normaliseSource(template))
    .filter(({ type }) => type === "text")
    .map(({ value }) => String(value));
}

function inside(code: string): unknown[] {
  return lex(`{{ ${code} }}`)
    .slice(1, -2)
    .map(({ type, value }) => (type === value ? type : [type, value]));
}

const pieces = fc.constantFrom(
  ...["{{", "}}", "{%", "%}", "{#", "#}", "-", "+", "\n", " ", "  ", "\t", "x", "set a = 1", "raw", "endraw", "{", "}"],
  ...['"', "'", "\\", "(", "]", "1.5", "0x", "é", "\u3000", "\r\n", "{% raw %}", "{% endraw %}"],
);
const templates = fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join(""));

const anyText = fc.string({
  unit: fc
    .integer({ min: 0, max: 0x10ffff })
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code)),
});

describe("lex", () => {
  it("gives tokens in order that do not overlap, or a fault inside the text", () => {
    fc.assert(
      fc.property(templates, (template) => {
        const source = normaliseSource(template);
        try {
          let last = 0;
          for (const { type, value, at, end } of lex(source)) {
            expect(at).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(type === "eof" ? at - 1 : at);
            if (type === "text") expect(source.slice(at, end)).toBe(value);
            last = end;
          }
          expect(last).toBe(source.length);
        } catch (error) {
          if (!(error instanceof SyntaxFault)) throw error;
          expect(error.at).toBeGreaterThanOrEqual(0);
          expect(error.at).toBeLessThanOrEqual(source.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("keeps a text without delimiters", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const plain = text.replace(/[{\r]/g, "");
        const kept = plain.endsWith("\n") ? plain.slice(0, -1) : plain;
        expect(texts(plain).join("")).toBe(kept);
      }),
    );
  });

  it("normalises line breaks and drops the last one", () => {
    expect(normaliseSource("a\r\nb\rc\n\n")).toBe("a\nb\nc\n");
    expect(normaliseSource("\r\n")).toBe("");
  });

  it.each<[string, string[]]>([
    ["a {% set x = 1 %} b", ["a ", " b"]],
    ["a\n  {% set x = 1 %}\n  b", ["a\n", "  b"]],
    ["  {% set x = 1 %}b", ["b"]],
    ["a\n  {{ x }}\n  b", ["a\n  ", "\n  b"]],
    ["a\n  {# c #}\n  b", ["a\n", "  b"]],
    ["a\n  {%+ set x = 1 +%}\n  b", ["a\n  ", "\n  b"]],
    ["a \n \u3000 {%- set x = 1 -%} \u2028\n b", ["a", "b"]],
    ["a {{- x -}} b", ["a", "b"]],
    ["a {#- c -#} b", ["a", "b"]],
    ["a\n {#+ c +#}\n b", ["a\n ", "\n b"]],
    ["{{ x }}  {% set y = 1 %}b", ["  ", "b"]],
    ["{% set x = 1 %}\n\t{% set y = 1 %}b", ["b"]],
    ["{% set x = 1 -%}\n  {% set y = 1 %}b", ["b"]],
    ["a\n \ufeff{% set x = 1 %}", ["a\n \ufeff"]],
    ["a\n{% raw %}\n {{ x }} {# \n {% endraw %}\nb", ["a\n", "\n {{ x }} {# \n", "b"]],
    ["a {%- raw -%} {{ x }} {%- endraw -%} b", ["a", "{{ x }}", "b"]],
    ["a {% raw %} x {% endraw +%}\nb", ["a ", " x ", "\nb"]],
    ["a{#", ["a"]],
    ["a{% raw %}", ["a"]],
    ["{ x } %} #}", ["{ x } %} #}"]],
  ])("cuts the white space of %j", (template, expected) => {
    expect(texts(template)).toEqual(expected);
  });

  it.each<[string, unknown[]]>([
    [
      "a if b",
      [
        ["name", "a"],
        ["name", "if"],
        ["name", "b"],
      ],
    ],
    [
      "é_1 漢字",
      [
        ["name", "é_1"],
        ["name", "漢字"],
      ],
    ],
    [
      "1_000 0x_fF 0b101 0o17 00",
      [
        ["integer", 1000],
        ["integer", 255],
        ["integer", 5],
        ["integer", 15],
        ["integer", 0],
      ],
    ],
    ["9007199254740991", [["integer", 9007199254740991]]],
    ["9007199254740993", [["integer", 9007199254740993n]]],
    ["1.0", [["float", { kind: "float", value: 1 }]]],
    ["1_0.2_5e-1_0", [["float", { kind: "float", value: 10.25e-10 }]]],
    ["x.0.5", [["name", "x"], ".", ["integer", 0], ".", ["integer", 5]]],
    [
      "1if",
      [
        ["integer", 1],
        ["name", "if"],
      ],
    ],
    [
      "a//b**c!=d<=e",
      [["name", "a"], "//", ["name", "b"], "**", ["name", "c"], "!=", ["name", "d"], "<=", ["name", "e"]],
    ],
    ["{'a':{}}", ["{", ["string", "a"], ":", "{", "}", "}"]],
    [
      "'%}' '}}'",
      [
        ["string", "%}"],
        ["string", "}}"],
      ],
    ],
  ])("reads %s", (code, expected) => {
    expect(inside(code)).toEqual(expected);
  });

  it("does not end inside brackets", () => {
    expect(() => lex("{{ (a }} ) }}")).toThrow(`"}" where ")" should close`);
    expect(lex("{{ {'a': {'b': 1}}}}").at(-2)).toMatchObject({ type: "printEnd", at: 18, end: 20 });
  });

  it.each([
    ["{{ 'a }}", 3, "never closed"],
    ["{{ a ! b }}", 5, `unexpected character "!"`],
    ["{{ a → b }}", 5, `unexpected character "→"`],
    ["{{ ² }}", 3, "is not a name"],
    ["{{ a\u200db }}", 4, "unexpected character"],
    ["{{ ) }}", 3, "closes nothing"],
    ["x{# a", 1, "comment"],
    ["x{% raw %}{% end", 1, "raw"],
    [`{{ ${"9".repeat(4301)} }}`, 3, "4300"],
  ])("refuses %s", (template, at, message) => {
    expect(() => lex(template)).toThrow(expect.objectContaining({ at, message: expect.stringContaining(message) }));
  });
});
