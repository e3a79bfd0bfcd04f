import { describe, expect, it } from "vitest";
import { parseTemplate } from "./parser.ts";
import { undeclaredNames } from "./undeclaredNames.ts";

function undeclared(template: string): string[] {
  return [...undeclaredNames(parseTemplate(template).body, ["a", "b", "loop"])].sort();
}

describe("undeclaredNames", () => {
  it.each<[string, string[]]>([
    ["{{ c }}", []],
    ["{{ f(1, x=a)[b:]|g(*loop) }}", ["a", "b", "loop"]],
    ["{{ {a: [b]} if c is d(loop) }}", ["a", "b", "loop"]],
    ["{% set a = b %}{{ a }}", ["b"]],
    ["{% set a = a %}", []],
    ["{{ a }}{% set a = 1 %}", ["a"]],
    ["{% for a in a %}{{ loop.index }}{% endfor %}", ["loop"]],
    ["{% for (c, b) in a if b %}{{ b }}{% endfor %}", ["a"]],
    ["{% macro m(a, c=b) %}{{ a }}{{ loop }}{% endmacro %}", ["b", "loop"]],
    ["{% call(a) b() %}{{ a }}{% endcall %}", ["b"]],
    ["{% filter f(a) %}{{ b }}{% endfilter %}", ["a", "b"]],
    ["{% with a = a, c = b %}{% endwith %}", ["b"]],
    ["{% block c %}{{ a }}{% endblock %}", []],
    ["{% generation %}{{ a }}{% endgeneration %}", ["a"]],
    ["{% set a.x = 1 %}{{ a }}", ["a"]],
    ["{% if a %}{% elif b %}{% else %}{{ loop }}{% endif %}", ["a", "b", "loop"]],
    ["{% autoescape a %}{% include b %}{% endautoescape %}", ["a", "b"]],
  ])("finds in %s", (template, expected) => {
    expect(undeclared(template)).toEqual(expected);
  });
});
