import { describe, expect, it } from "vitest";
import { TitoError } from "../errors.ts";
import { compileTemplate, defaultLimits } from "./index.ts";

function failure(
  template: string,
  options: Parameters<ReturnType<typeof compileTemplate>["render"]>[1] = {},
): TitoError {
  for (const mode of ["render", "trace"] as const) {
    try {
      compileTemplate(template)[mode]({ messages: [{ role: "user", content: "hi" }] }, options);
    } catch (error) {
      expect(error).toBeInstanceOf(TitoError);
      if (mode === "trace") return error as TitoError;
    }
  }
  throw new Error(`no error: ${template}`);
}

describe("errors", () => {
  it("say where, in which expression, and what Python would raise", () => {
    expect(failure("{% for m in messages %}\n  {{ m.name.upper() }}{% endfor %}")).toMatchObject({
      code: "template_error",
      details: { line: 2, column: 6, expression: "m.name.upper", pythonType: "UndefinedError" },
      message: expect.stringContaining('dict has no attribute "name"'),
    });
    expect(failure("{{ 1 + 'a' }}")).toMatchObject({ details: { pythonType: "TypeError", expression: "1 + 'a'" } });
    expect(failure("{{ 1 // 0 }}")).toMatchObject({ details: { pythonType: "ZeroDivisionError" } });
    expect(failure("{{ [].append(1) }}")).toMatchObject({ details: { pythonType: "SecurityError" } });
  });

  it("tell a template's own refusal from a mistake", () => {
    expect(failure("ok\n{{ raise_exception('roles must alternate') }}")).toMatchObject({
      code: "template_raised",
      details: { line: 2, raised: "roles must alternate" },
    });
  });

  it("come when the template is compiled, where Jinja's do", () => {
    for (const template of [
      "{{ 1 | no_such }}",
      "{{ 1 is no_such }}",
      "{% if %}",
      "{% endfor %}",
      "{% break %}",
      "{{ a b }}",
    ]) {
      expect(() => compileTemplate(template)).toThrow(expect.objectContaining({ code: "template_syntax" }));
    }
    expect(compileTemplate("{% if false %}{{ 1 | no_such }}{% endif %}").render({})).toBe("");
    expect(failure("{% if true %}{{ 1 | no_such }}{% endif %}")).toMatchObject({ code: "template_error" });
  });

  it("refuse values that are no JSON", () => {
    expect(() => compileTemplate("{{ x.y }}").render({ x: new Date() })).toThrow(
      expect.objectContaining({ code: "invalid_json" }),
    );
  });
});

describe("limits", () => {
  const limits = { ...defaultLimits, steps: 20_000, length: 100_000 };

  it.each([
    ["steps", "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}"],
    ["steps", "{% macro m(n) %}{% if n > 0 %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(50) }}"],
    ["depth", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"],
    ["depth", "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}"],
    ["length", "{{ 'a' * 10 ** 12 }}"],
    ["length", "{{ [1] * 10 ** 9 }}"],
    ["length", "{{ 10 ** (10 ** 8) }}"],
    ["length", "{{ 'a' | center(10 ** 10) }}"],
    ["length", "{{ '%1000000000d' % 1 }}"],
    ["length", "{{ '{:1000000000}'.format('a') }}"],
    ["length", "{% set n = namespace(s='a') %}{% for i in range(60) %}{% set n.s = n.s + n.s %}{% endfor %}"],
    ["length", "{% set n = namespace(s='a') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}"],
    ["length", "{% set n = namespace(s='a') %}{% for i in range(60) %}{% set n.s = [n.s, n.s] | join %}{% endfor %}"],
    [
      "length",
      "{% set n = namespace(s='a') %}{% for i in range(60) %}{% set n.s = n.s.replace('a', 'aa') %}{% endfor %}",
    ],
    ["length", "{% set n = namespace(s=[1]) %}{% for i in range(60) %}{% set n.s = n.s + n.s %}{% endfor %}"],
    [
      "length",
      "{% set n = namespace(s='a') %}{% for i in range(60) %}{% set n.s %}{{ n.s }}{{ n.s }}{% endset %}{% endfor %}",
    ],
    ["length", "{% for i in range(9999) %}{{ 'a' * 99 }}{% endfor %}"],
  ])("%s: %s", (limit, template) => {
    expect(failure(template, { limits })).toMatchObject({ code: "template_limit", details: { limit } });
  });

  it.each([
    "{% set n = namespace(s=[]) %}{% for i in range(60) %}{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s }}",
    "{% set n = namespace(s=[]) %}{% for i in range(60) %}{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s | tojson }}",
    "{% set n = namespace(s=[]) %}{% for i in range(60) %}{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s | pprint }}",
    "{% set n = namespace(s=(1,)) %}{% for i in range(60) %}{% set n.s = (n.s, n.s) %}{% endfor %}{{ {n.s: 1} }}",
    "{% set n = namespace(s=(1,)) %}{% for i in range(60) %}{% set n.s = (n.s, n.s) %}{% endfor %}{{ {}[n.s] }}",
    "{% set n = namespace(a=(1,), b=(1,)) %}{% for i in range(60) %}{% set n.a = (n.a, n.a) %}{% set n.b = (n.b, n.b) %}{% endfor %}{{ n.a == n.b }}",
    "{% set n = namespace(a=(1,), b=(1,)) %}{% for i in range(60) %}{% set n.a = (n.a, n.a) %}{% set n.b = (n.b, n.b) %}{% endfor %}{{ n.a < n.b }}",
  ])("what holds itself many times over ends, too: %s", (template) => {
    expect(failure(template, { limits })).toMatchObject({ code: "template_limit" });
  });

  it.each([
    ["(", "1", ")"],
    ["[", "1", "]"],
    ["-", "1", ""],
    ["not ", "1", ""],
    ["", "a", ".b"],
    ["", "a", " | upper"],
    ["", "1", " + 1"],
    ["", "a", " ~ a"],
  ])("nesting of %s%s%s never breaks the stack", (open, inside, close) => {
    const template = `{{ ${open.repeat(50_000)}${inside}${close.repeat(50_000)} }}`;
    try {
      compileTemplate(template).render({ a: "" }, { limits });
    } catch (error) {
      expect(error).toBeInstanceOf(TitoError);
    }
  });
});

describe("the sandbox", () => {
  it.each([
    "{{ ''.__class__ }}",
    "{{ 'a'.constructor }}",
    "{{ messages.constructor }}",
    "{{ {}.__proto__ }}",
    "{{ {}['constructor'] }}",
    "{{ {}['hasOwnProperty'] }}",
    "{{ 'a' | attr('constructor') }}",
    "{{ '{0.constructor}'.format('a') }}",
    "{{ range.prototype }}",
    "{{ namespace().constructor }}",
    "{{ toString }}{{ constructor }}{{ __proto__ }}",
  ])("%s reaches nothing", (template) => {
    expect(compileTemplate(template).render({ messages: [] })).toBe("");
  });

  it("lets no method through that changes its object, unless asked", () => {
    const template = "{% set l = [1] %}{% set _ = l.append(2) %}{{ l }}";
    expect(failure(template)).toMatchObject({ details: { pythonType: "SecurityError" } });
    expect(compileTemplate(template, { mutable: true }).render({})).toBe("[1, 2]");
  });
});

describe("what only Jinja's own way of compiling explains", () => {
  it.each([
    ["{% for (a, b) in [[1, 2], [3, 4]] if a %}{{ loop.previtem }}{% endfor %}", "(1, 2)"],
    ["{% for a in [[1], [2]] if a %}{{ loop.previtem }}{% endfor %}", "[1]"],
    ["{% for x in 'ab' %}{% continue %}{% else %}none{% endfor %}", "none"],
    ["{% set s %}[{{ s }}]{% endset %}{{ s }}", "[]"],
    ["{{ s }}{% set s %}[{{ s }}]{% endset %}{{ s }}", "given[given]"],
    ["{% for c in 'a' %}{{ s }}{% endfor %}{% set s = 1 %}{{ s }}", "1"],
    ["{% if true %}{% set s = 2 %}{% endif %}{{ s }}", "2"],
    ["{% if false %}{% set s = 2 %}{% endif %}{{ s }}", "given"],
    [
      "{{ 0.30000000000000004 ** 3 }} {{ 10 ** -20 }} {{ 2.5 ** -2 }} {{ (-2.0) ** 3 }}",
      "0.027000000000000014 1e-20 0.16 -8.0",
    ],
  ])("%s", (template, expected) => {
    expect(compileTemplate(template).render({ s: "given" })).toBe(expected);
  });
});

describe("generation blocks", () => {
  it("are told by their ranges, and what they assign stays in them", () => {
    const template =
      "{% for m in messages %}<{{ m.role }}>{% generation %}{% set x = m.content %}{{ x }}!{% endgeneration %}\n[{{ x }}]{% endfor %}";
    const messages = [
      { role: "a", content: "one" },
      { role: "b", content: "two" },
    ];
    const { text, generations } = compileTemplate(template).trace({ messages });
    expect(text).toBe("<a>one![]<b>two![]");
    expect(generations.map(([start, end]) => text.slice(start, end))).toEqual(["one!", "two!"]);
    expect(compileTemplate(template).render({ messages })).toBe(text);
  });
});

describe("values of the context", () => {
  it("are read as Python would read them", () => {
    const context = new Map<string, unknown>([
      ["whole", 1],
      ["fraction", 1.5],
      ["big", 2n ** 70n],
      ["nothing", null],
      ["missing", undefined],
      [
        "nested",
        new Map<string, unknown>([
          ["2", [1, true]],
          ["1", {}],
        ]),
      ],
    ]);
    const template = "{{ whole }} {{ fraction }} {{ big }} {{ nothing }} {{ missing is defined }} {{ nested }}";
    expect(compileTemplate(template).render(context)).toBe(
      "1 1.5 1180591620717411303424 None False {'2': [1, True], '1': {}}",
    );
  });

  it("are not changed by a render, and a template may be rendered again", () => {
    const template = compileTemplate("{% for m in messages %}{{ m.pop('role') }}{% endfor %}", { mutable: true });
    const messages = [{ role: "user" }];
    expect(template.render({ messages })).toBe("user");
    expect(template.render({ messages })).toBe("user");
    expect(messages).toEqual([{ role: "user" }]);
  });
});
