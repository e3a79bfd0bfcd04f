import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { print } from "../../bench/oracle/piece.ts";
import { random } from "../../bench/oracle/random.ts";
import { randomContext } from "../../bench/oracle/scope.ts";
import { randomTemplate } from "../../bench/oracle/statements.ts";
import { compileTemplate, TitoError } from "../../src/index.ts";

const CYRILLIC = /[а-я]/;

/** Every letter of the context becomes a Cyrillic one, which no template in this file has. */
function marked(value: unknown): unknown {
  if (typeof value === "string")
    return value.replace(/\S/gu, (char) => String.fromCharCode(0x430 + (char.codePointAt(0)! % 32)));
  if (Array.isArray(value)) return value.map(marked);
  return value instanceof Map ? new Map([...value].map(([key, entry]) => [key, marked(entry)])) : value;
}

describe("provenance", () => {
  it("never takes what came from outside for the template's own words, whatever a template does to it", () => {
    let compared = 0;
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const dice = random(seed);
        const template = print(randomTemplate(dice)).replace(/[^\0-\x7f]/g, "z");
        const context = new Map([...randomContext(dice)].map(([name, value]) => [name, marked(value)]));
        try {
          const { pieces } = compileTemplate(template).trace(context);
          compared++;
          for (const { text, source } of pieces) if (source === null) expect(text).not.toMatch(CYRILLIC);
        } catch (error) {
          // A random template may well be wrong.
          if (!(error instanceof TitoError)) throw error;
        }
      }),
      { numRuns: 1500 },
    );
    expect(compared).toBeGreaterThan(500);
  });

  const letters = "абвг дежз";
  it.each([
    ["{{ m.content }}", ["m", "content"]],
    ["{{ m['content'] | trim }}", ["m", "content"]],
    ["{% set x = m.content.split(' ') %}{{ x[-1] }}", ["m", "content"]],
    ["{{ m.content.replace('б', 'q') }}", ["m", "content"]],
    ["{{ m.content[1:3] ~ 'q' }}", ["m", "content"]],
    ["{{ m | tojson }}", ["m"]],
    ["{{ {'a': m.content} | tojson }}", ["m", "content"]],
    ["{% macro f(x) %}<{{ x }}>{% endmacro %}{{ f(m.content) | upper }}", ["m", "content"]],
    [
      "{% set ns = namespace(s='') %}{% for c in m.content %}{% set ns.s = ns.s + c %}{% endfor %}{{ ns.s }}",
      ["m", "content"],
    ],
    ["{% for k, v in m.items() %}{{ v }}{% endfor %}", ["m", "content"]],
    ["{% for k, v in m.items() %}{{ k }}{% endfor %}", ["m", "content"]],
    ["{{ [m.content, 'q'] | join('-') }}", ["m", "content"]],
    ["{{ '%s and %s' % (m.content, 1) }}", ["m", "content"]],
    ["{{ '{} and {}'.format(m.content, 1) }}", ["m", "content"]],
  ])("%s knows its path", (template, path) => {
    const { pieces } = compileTemplate(template).trace({ m: { content: letters } });
    const sourced = pieces.filter((piece) => piece.source !== null);
    expect(sourced.length).toBeGreaterThan(0);
    for (const { source } of sourced) expect(source!.path()).toEqual(path);
    for (const { text, source } of pieces) if (source === null) expect(text).not.toMatch(CYRILLIC);
  });

  it("keeps the type of a value that is no text", () => {
    const { text, pieces } = compileTemplate("{{ n }} {{ n + 1 }} {{ b }} {{ x }}").trace({
      n: 1,
      b: true,
      x: null,
    });
    expect(text).toBe("1 2 True None");
    expect(pieces.filter((piece) => piece.source).map((piece) => [piece.text, piece.source!.path()])).toEqual([
      ["1", ["n"]],
      ["2", ["n"]],
      ["True", ["b"]],
      ["None", ["x"]],
    ]);
  });
});
