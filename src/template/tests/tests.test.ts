import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderFailure } from "../../../test/support/templateRuntime.ts";
import { parseJson } from "../../messages/index.ts";
import { compileTemplate } from "../template.ts";
import { tests } from "./index.ts";

const context = {
  n: null,
  o: parseJson('{"b": 1, "A": [1.0, true, null]}'),
  users: [{ name: "Ann" }],
};

const value = fc.oneof(
  fc.constantFrom(null, true, false, "", "a", "B c"),
  fc.integer(),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "b"), fc.integer()),
);

describe("tests", () => {
  it("answer alike for traced values and plain ones", () => {
    const names = [...tests.keys()].filter(
      (name) => /^[a-z]+$/.test(name) && !/odd|even|divisibleby|filter|test/.test(name),
    );
    const [one, two] = [0, 1].map((extra) => names.filter((name) => (withArgument.has(name) ? 1 : 0) === extra));
    const asked = [
      ...one!.map((name) => `x is ${name}`),
      ...two!.filter((name) => equality.has(name)).map((name) => `x is ${name} y`),
    ];
    const template = compileTemplate(`{{ [${asked.join(", ")}] }}`);
    fc.assert(
      fc.property(value, value, (x, y) => {
        const text = template.render({ x, y });
        expect(text).toMatch(/^\[(?:(?:True|False)(?:, )?)*\]$/);
        expect(template.trace({ x, y }).text).toBe(text);
      }),
    );
  });

  it("say of a value that it is defined or undefined, and of a number whether it is odd or even", () => {
    fc.assert(
      fc.property(value, fc.bigInt(), (x, n) => {
        const template = compileTemplate(
          "{{ (x is defined) != (x is undefined) }} {{ n is odd }} {{ n is even }} {{ n is divisibleby 7 }}",
        );
        const odd = n % 2n !== 0n;
        const answers = [true, odd, !odd, n % 7n === 0n].map((holds) => (holds ? "True" : "False"));
        expect(template.render({ x, n })).toBe(answers.join(" "));
      }),
    );
  });

  it("are Jinja's", () => {
    const names =
      "!= < <= == > >= boolean callable defined divisibleby eq equalto escaped even false filter float ge greaterthan gt in " +
      "integer iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper";
    expect([...tests.keys()].sort()).toEqual(names.split(" "));
  });
});

const equality = new Set(["eq", "equalto", "ne", "sameas"]);
const withArgument = new Set([...equality, "in", "ge", "greaterthan", "gt", "le", "lessthan", "lt"]);

// As Jinja prints them.
const printed: [template: string, text: string][] = [
  [
    "{{ 3 is odd }} {{ -3 is odd }} {{ 4 is even }} {{ 2.0 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }}",
    "True True True True True False",
  ],
  [
    "{{ u is defined }} {{ n is defined }} {{ u is undefined }} {{ users[0].nope is undefined }} {{ users.append is undefined }}",
    "False True True True True",
  ],
  [
    "{{ 'upper' is filter }} {{ 'nope' is filter }} {{ 5 is filter }} {{ 'odd' is test }} {{ '==' is test }} {{ 'tojson' is test }}",
    "True False False True True False",
  ],
  [
    "{{ n is none }} {{ u is none }} {{ true is boolean }} {{ 1 is boolean }} {{ false is false }} {{ 0 is false }} {{ true is true }} {{ 1 is true }}",
    "True False True False True False True False",
  ],
  [
    "{{ 1 is integer }} {{ true is integer }} {{ 1.0 is integer }} {{ 1.0 is float }} {{ 1 is float }} {{ 99999999999999999999 is integer }}",
    "True False False True False True",
  ],
  [
    "{{ 1 is number }} {{ 1.5 is number }} {{ true is number }} {{ '1' is number }} {{ n is number }}",
    "True True True False False",
  ],
  [
    "{{ 'a' is string }} {{ 'a'|safe is string }} {{ 1 is string }} {{ 'a' is lower }} {{ 'aB' is lower }} {{ '1' is lower }} {{ 'A1' is upper }} {{ n is upper }}",
    "True True False True False False True False",
  ],
  [
    "{{ o is mapping }} {{ [] is mapping }} {{ namespace() is mapping }} {{ o.items() is mapping }}",
    "True False False False",
  ],
  [
    "{{ [] is sequence }} {{ (1,) is sequence }} {{ 'a' is sequence }} {{ o is sequence }} {{ u is sequence }} {{ range(2) is sequence }} {{ 5 is sequence }} {{ o.keys() is sequence }} {{ [1]|map('upper') is sequence }} {{ namespace() is sequence }}",
    "True True True True True True False False False False",
  ],
  [
    "{{ [] is iterable }} {{ 'a' is iterable }} {{ u is iterable }} {{ 5 is iterable }} {{ n is iterable }} {{ o.keys() is iterable }} {{ [1]|select is iterable }} {{ namespace() is iterable }} {{ range is iterable }} {{ cycler(1) is iterable }}",
    "True True True False False True True False False False",
  ],
  [
    "{{ range is callable }} {{ u is callable }} {{ 'a' is callable }} {{ 'a'.upper is callable }} {{ joiner() is callable }} {{ cycler(1) is callable }} {{ dict is callable }}",
    "True True False True True False True",
  ],
  [
    "{{ n is sameas none }} {{ true is sameas true }} {{ 1 is sameas true }} {{ o is sameas o }} {{ [] is sameas [] }}",
    "True True False True False",
  ],
  ["{{ 'a' is escaped }} {{ 'a'|safe is escaped }} {{ 'a'|e is escaped }}", "False True True"],
  [
    "{{ 'b' is in o }} {{ 'x' is in 'xyz' }} {{ 1.0 is in [1] }} {{ n is in [] }} {{ 2 is in range(0, 4, 2) }}",
    "True True True False True",
  ],
  [
    "{{ 1 is eq 1.0 }} {{ 1 is equalto true }} {{ u is eq nope }} {{ 1 is ne 2 }} {{ ['a', 'b']|select('==', 'a')|list }} {{ [1, 2]|select('!=', 1)|list }}",
    "True True True True ['a'] [2]",
  ],
  [
    "{{ 2 is gt 1 }} {{ 2 is greaterthan 2 }} {{ 2 is ge 2 }} {{ 'a' is lt 'b' }} {{ 1 is lessthan 1.5 }} {{ 2 is le 1 }} {{ [1, 2]|select('<', 2)|list }}",
    "True False True True True False [1]",
  ],
];

// The class of what Jinja raises.
const raised: [template: string, exception: string][] = [
  ["{{ u is odd }}", "UndefinedError"],
  ["{{ 'a' is even }}", "TypeError"],
  ["{{ 1 is divisibleby 0 }}", "ZeroDivisionError"],
  ["{{ [] is filter }}", "TypeError"],
  ["{{ 1 is in 5 }}", "TypeError"],
  ["{{ 1 is lt 'a' }}", "TypeError"],
  ["{{ u is lt 1 }}", "UndefinedError"],
  ["{{ 1 is eq }}", "TypeError"],
  ["{{ 1 is number(2) }}", "TypeError"],
];

describe("examples", () => {
  it.each(printed)("%s", (template, expected) => {
    expect(compileTemplate(template).render(context)).toBe(expected);
  });

  it.each(raised)("%s raises %s", (template, exception) => {
    expect(renderFailure(template, context)).toMatchObject({
      code: "template_error",
      details: { pythonType: exception },
    });
  });
});
