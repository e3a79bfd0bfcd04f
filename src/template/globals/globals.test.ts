import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderFailure } from "../../../test/support/templateRuntime.ts";
import { pythonRepr } from "../../messages/index.ts";
import { compileTemplate } from "../template.ts";
import { globals } from "./index.ts";

const context = {};

describe("globals", () => {
  it("are those of a chat template", () => {
    expect([...globals.keys()]).toEqual(
      "cycler dict joiner lipsum namespace raise_exception range strftime_now".split(" "),
    );
  });

  it("range counts from start to stop", () => {
    const bound = fc.integer({ min: -30, max: 30 });
    fc.assert(
      fc.property(bound, bound, bound, (start, stop, step) => {
        fc.pre(step !== 0);
        const numbers: number[] = [];
        for (let at = start; step > 0 ? at < stop : at > stop; at += step) numbers.push(at);
        const template = compileTemplate("{{ range(start, stop, step)|list }} {{ range(start, stop, step)|length }}");
        expect(template.render({ start, stop, step })).toBe(`${pythonRepr(numbers)} ${numbers.length}`);
      }),
    );
  });

  it("dict undoes items", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.integer()), (fields) => {
        const template = compileTemplate(
          "{{ dict(fields|items) == fields and dict(**fields) == fields and dict(fields) == fields }}",
        );
        expect(template.render({ fields })).toBe("True");
      }),
    );
  });

  it("cycler goes round for ever", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 4 }), fc.nat({ max: 12 }), (items, turns) => {
        const template = compileTemplate(
          "{% set c = cycler(*items) %}{% for _ in range(turns) %}{{ c.next() }},{% endfor %}",
        );
        const expected = Array.from({ length: turns }, (_, turn) => `${items[turn % items.length]},`);
        expect(template.render({ items, turns })).toBe(expected.join(""));
      }),
    );
  });

  it("joiner joins", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 5 }), (items) => {
        const template = compileTemplate("{% set j = joiner(' + ') %}{% for x in items %}{{ j() }}{{ x }}{% endfor %}");
        expect(template.render({ items })).toBe(items.join(" + "));
      }),
    );
  });

  it("lipsum has as many words as asked for, each paragraph in sentences", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 9 }),
        (n, min, more) => {
          const text = compileTemplate("{{ lipsum(n, false, min, min + more) }}").render({ n, min, more });
          const paragraphs = text.split("\n\n");
          expect(paragraphs.length).toBe(n);
          for (const paragraph of paragraphs) {
            expect(paragraph).toMatch(/^(?:[A-Z][a-z]*(?:,? [a-z]+)*\.(?: |$))+$/);
            const words = paragraph.split(" ").length;
            expect(words >= min && words < min + more).toBe(true);
          }
        },
      ),
    );
  });

  it("raise_exception ends the render with its own words", () => {
    const template = compileTemplate("{{ raise_exception('no ' ~ role) }}");
    expect(() => template.render({ role: "tool" })).toThrow(
      expect.objectContaining({ code: "template_raised", details: expect.objectContaining({ raised: "no tool" }) }),
    );
  });
});

// As Jinja prints them.
const printed: [template: string, text: string][] = [
  [
    "{{ range(3)|list }} {{ range(1, 9, 3)|list }} {{ range(3, 0, -1)|list }} {{ range(true)|list }} {{ range(100000)|length }} {{ range(5) }}",
    "[0, 1, 2] [1, 4, 7] [3, 2, 1] [0] 100000 range(0, 5)",
  ],
  [
    "{{ dict(a=1, b='x') }} {{ dict({'a': 1}, b=2) }} {{ dict([('k', 1), ['l', 2], 'xy']) }} {{ dict() }} {{ dict.fromkeys([1, 'a'], 0) }} {{ dict.fromkeys('ab') }}",
    "{'a': 1, 'b': 'x'} {'a': 1, 'b': 2} {'k': 1, 'l': 2, 'x': 'y'} {} {1: 0, 'a': 0} {'a': None, 'b': None}",
  ],
  [
    "{% set ns = namespace(a=1, b=[]) %}{% set ns.a = ns.a + 1 %}{{ ns.a }} {{ ns.b }} {{ ns.c is defined }} {{ namespace({'x': 2}).x }} {{ namespace([('y', 3)], z=4).y }} {{ ns }}",
    "2 [] False 2 3 <Namespace {'a': 2, 'b': []}>",
  ],
  [
    "{% set c = cycler('a', 'b') %}{{ c.current }}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.reset() }}{{ c.next() }} {{ c.items }} {{ c.pos }}",
    "aababNonea ('a', 'b') 1",
  ],
  [
    "{% set j = joiner('; ') %}{% for x in [1, 2, 3] %}{{ j() }}{{ x }}{% endfor %} {% set k = joiner() %}{{ k() }}{{ k() }} {{ k.used }} {{ k.sep }}",
    "1; 2; 3 ,  True , ",
  ],
  [
    "{{ lipsum(3, html=false).split('\\n\\n')|length }} {{ lipsum(2, true) is escaped }} {{ lipsum(1, false, 5, 6)|wordcount }} {{ lipsum(0) }}",
    "3 True 5 ",
  ],
];

// The class of what Jinja raises.
const raised: [template: string, exception: string][] = [
  ["{{ range(1.5) }}", "TypeError"],
  ["{{ range() }}", "TypeError"],
  ["{{ range(1, 2, 0) }}", "ValueError"],
  ["{{ range(100001) }}", "OverflowError"],
  ["{{ range(u) }}", "TypeError"],
  ["{{ range(stop=3) }}", "TypeError"],
  ["{{ dict(1) }}", "TypeError"],
  ["{{ dict([1]) }}", "TypeError"],
  ["{{ dict([(1, 2, 3)]) }}", "ValueError"],
  ["{{ dict({}, {}) }}", "TypeError"],
  ["{{ dict([([], 1)]) }}", "TypeError"],
  ["{{ dict(u) }}", "UndefinedError"],
  ["{{ namespace(_x=1) }}", "SecurityError"],
  ["{{ namespace({'__class__': 1}) }}", "SecurityError"],
  ["{{ namespace(1) }}", "TypeError"],
  ["{{ cycler() }}", "RuntimeError"],
  ["{{ joiner(1, 2) }}", "TypeError"],
  ["{{ joiner()(1) }}", "TypeError"],
  ["{{ lipsum(1, false, 5, 5) }}", "ValueError"],
  ["{{ strftime_now() }}", "TypeError"],
  ["{{ strftime_now(5) }}", "TypeError"],
  ["{{ raise_exception() }}", "TypeError"],
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
