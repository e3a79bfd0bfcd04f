import { describe, expect, it } from "vitest";
import { fault } from "../../../test/support/templateSyntax.ts";
import { parseTemplate } from "./parser.ts";

/** A tree without its positions. */
function bare(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(bare);
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree)
      .filter(([key]) => key !== "at" && key !== "end")
      .map(([key, value]) => [key, bare(value)]),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: trees of every kind, without positions
type Bare = any;

describe("statements", () => {
  const a = { kind: "name", name: "a" };
  const b = { kind: "name", name: "b" };
  const one = { kind: "constant", value: 1 };
  const text = [{ kind: "text", text: "t" }];
  const noArguments = { positional: [], named: [], spread: null, namedSpread: null };

  it.each<[string, unknown[]]>([
    ["{{ a }}t", [{ kind: "print", value: a }, ...text]],
    [
      "{% print a, b %}",
      [
        { kind: "print", value: a },
        { kind: "print", value: b },
      ],
    ],
    ["{% print %}", []],
    ["{% if a: %}t{% endif %}", [{ kind: "if", test: a, body: text, otherwise: [] }]],
    [
      "{% if a %}{% elif b %}t{% else %}t{% endif %}",
      [{ kind: "if", test: a, body: [], otherwise: [{ kind: "if", test: b, body: text, otherwise: text }] }],
    ],
    [
      "{% for a, b in a if 1 recursive %}{% break %}{% else %}t{% endfor %}",
      [
        {
          kind: "for",
          target: { kind: "targets", items: [a, b] },
          iterable: a,
          test: one,
          recursive: true,
          body: [{ kind: "break" }],
          otherwise: text,
        },
      ],
    ],
    ["{% set a = b, %}", [{ kind: "assign", target: a, value: { kind: "tuple", items: [b] } }]],
    [
      "{% set n.a, (a, ()) = b %}",
      [
        {
          kind: "assign",
          target: {
            kind: "targets",
            items: [
              { kind: "namespace", name: "n", attribute: "a" },
              { kind: "targets", items: [a, { kind: "targets", items: [] }] },
            ],
          },
          value: b,
        },
      ],
    ],
    [
      "{% set a | f | g %}t{% endset %}",
      [
        {
          kind: "assignBlock",
          target: a,
          filter: {
            kind: "filter",
            name: "g",
            operand: { kind: "filter", name: "f", operand: null, arguments: noArguments },
            arguments: noArguments,
          },
          body: text,
        },
      ],
    ],
    [
      "{% set n.a %}t{% endset %}",
      [{ kind: "assignBlock", target: { kind: "namespace", name: "n", attribute: "a" }, filter: null, body: text }],
    ],
    [
      "{% macro m(a, b=1) %}t{% endmacro %}",
      [
        {
          kind: "macro",
          name: "m",
          parameters: [
            { name: "a", fallback: null },
            { name: "b", fallback: one },
          ],
          body: text,
        },
      ],
    ],
    [
      "{% call(a) b() %}t{% endcall %}",
      [
        {
          kind: "callBlock",
          call: { kind: "call", callee: b, arguments: noArguments },
          parameters: [{ name: "a", fallback: null }],
          body: text,
        },
      ],
    ],
    [
      "{% filter f %}t{% endfilter %}",
      [
        {
          kind: "filterBlock",
          filter: { kind: "filter", name: "f", operand: null, arguments: noArguments },
          body: text,
        },
      ],
    ],
    ["{% with %}t{% endwith %}", [{ kind: "with", assignments: [], body: text }]],
    [
      "{% with a = 1, b = a %}t{% endwith %}",
      [
        {
          kind: "with",
          assignments: [
            { target: a, value: one },
            { target: b, value: a },
          ],
          body: text,
        },
      ],
    ],
    ["{% generation %}t{% endgeneration %}", [{ kind: "generation", body: text }]],
    [
      "{% block c scoped %}t{% endblock c %}",
      [{ kind: "block", name: "c", scoped: true, required: false, body: text }],
    ],
    ["{% autoescape a %}t{% endautoescape %}", [{ kind: "autoescape", enabled: a, body: text }]],
    [
      "{% include a ignore missing with context %}",
      [{ kind: "import", tag: "include", template: a, ignoreMissing: true, names: [] }],
    ],
    ["{% import a as b %}", [{ kind: "import", tag: "import", template: a, ignoreMissing: false, names: ["b"] }]],
    [
      "{% from a import c, d as b with context %}",
      [{ kind: "import", tag: "from", template: a, ignoreMissing: false, names: ["c", "b"] }],
    ],
    [
      "{% if a %}{% extends b %}{% endif %}",
      [
        {
          kind: "if",
          test: a,
          body: [{ kind: "import", tag: "extends", template: b, ignoreMissing: false, names: [] }],
          otherwise: [],
        },
      ],
    ],
  ])("reads %s", (template, expected) => {
    expect(bare(parseTemplate(template).body)).toEqual(expected);
  });

  it("have the range of their opening tag", () => {
    const { source, body } = parseTemplate("x\r\n  {%- if a -%}\n y{% elif b +%} {{ a }}{% endif %}");
    const [, first] = body as Bare;
    expect(source.slice(first.at, first.end)).toBe("{%- if a -%}");
    const [second] = first.otherwise;
    expect(source.slice(second.at, second.end)).toBe("{% elif b +%}");
    expect(source.slice(second.body[1].at, second.body[1].end)).toBe("{{ a }}");
  });

  it("allow a break where a loop can be left, and nowhere else", () => {
    const ways: [string, boolean][] = [
      ["@", false],
      ["{% for a in b %}@{% endfor %}", true],
      ["{% for a in b %}{% else %}@{% endfor %}", false],
      ["{% for a in b %}{% for a in b %}{% else %}@{% endfor %}{% endfor %}", true],
      ["{% for a in b %}{% for a in b recursive %}{% else %}@{% endfor %}{% endfor %}", false],
      ["{% for a in b %}{% macro m() %}@{% endmacro %}{% endfor %}", false],
      ["{% for a in b %}{% call m() %}@{% endcall %}{% endfor %}", false],
      ["{% for a in b %}{% generation %}@{% endgeneration %}{% endfor %}", false],
      ["{% for a in b %}{% block c %}@{% endblock %}{% endfor %}", false],
      ["{% for a in b %}{% if a %}{% with %}{% filter f %}@{% endfilter %}{% endwith %}{% endif %}{% endfor %}", true],
      ["{% for a in b %}{% set a %}{% autoescape a %}@{% endautoescape %}{% endset %}{% endfor %}", true],
    ];
    for (const tag of ["{% break %}", "{% continue %}"])
      for (const [around, allowed] of ways) {
        const template = around.replace("@", tag);
        if (allowed) expect(() => parseTemplate(template)).not.toThrow();
        else expect(fault(template).message).toContain("stands in no loop");
      }
  });

  it.each<[string, number, string]>([
    ["{% endif %}", 3, `"endif" is no tag`],
    ["{% do a %}", 3, `"do" is no tag`],
    ["x{% if a %}{% for a in b %}{% endif %}", 30, `"for" around it still waits for "endfor" or "else"`],
    ["x{% if a %}", 1, `"if" is never closed`],
    ["{% if a if b %}{% endif %}", 8, `"%}" is expected`],
    ["{% endif", 3, "no tag"],
    ["{%", 2, "the name of a tag"],
    ["{% for a, in b %}{% endfor %}", 13, `"in" is expected`],
    ["{% for a.b in c %}{% endfor %}", 8, `"in" is expected`],
    ["{% for a in b %}{% set loop = 1 %}{% endfor %}", 23, `"loop"`],
    ["{% for loop in b %}{% endfor %}", 7, `"loop"`],
    ["{% set true = 1 %}", 7, "a constant"],
    ["{% set [a] = 1 %}", 7, `"list"`],
    ["{% set a, = 1 %}", 10, "an expression"],
    ["{% set %}", 7, "an expression"],
    ["{% set (n.a, b) = 1 %}", 8, `"attribute"`],
    ["{% macro m(a, a) %}{% endmacro %}", 14, "stands twice"],
    ["{% macro m(a=1, b) %}{% endmacro %}", 16, "needs a default"],
    ["{% macro true() %}{% endmacro %}", 9, "cannot be bound"],
    ["{% macro m(a,) %}{% endmacro %}", 13, "a name"],
    ["{% macro m(caller) %}{{ caller() }}{% endmacro %}", 0, `"caller" is special`],
    ["{% call a %}{% endcall %}", 8, "needs a call"],
    ["{% call m(caller=1) %}{% endcall %}", 8, `given by "call"`],
    ["{% block c %}{% endblock %}{% block c %}{% endblock %}", 36, `second block "c"`],
    ["{% block c required %}x{% endblock %}", 0, "must be empty"],
    ["{% block c %}{% endblock d %}", 25, `"%}" is expected`],
    ["{% with a %}{% endwith %}", 10, `"=" is expected`],
    ["{% with a = 1, %}{% endwith %}", 15, "an expression"],
    ["{% for a in b %}{% extends a %}{% endfor %}", 16, "extends"],
    ["{% from a import _b %}", 17, `begins with "_"`],
    ["{% from a import b, %}", 20, "a name"],
    ["{% import a %}", 12, `"as" is expected`],
    ["{% if a %}".repeat(200), 1496, "nested more than"],
  ])("refuses %s", (template, at, message) => {
    expect(fault(template)).toMatchObject({ at, message: expect.stringContaining(message) });
  });

  it("take a parameter named caller that has a default or is not read", () => {
    expect(() => parseTemplate("{% macro m(caller=1) %}{{ caller }}{% endmacro %}")).not.toThrow();
    expect(() => parseTemplate("{% macro m(caller) %}{% set caller = caller %}{% endmacro %}")).not.toThrow();
  });

  it("take long chains of elif and deep statements", () => {
    expect(() => parseTemplate(`{% if a %}${"{% elif b %}".repeat(2000)}{% endif %}`)).not.toThrow();
    expect(() => parseTemplate(`${"{% if a %}".repeat(100)}${"{% endif %}".repeat(100)}`)).not.toThrow();
  });
});
