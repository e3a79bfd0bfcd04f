import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TitoError } from "../../errors.ts";
import { JsonNumber, parseJson, pythonRepr, pythonStr } from "../../messages/index.ts";
import { compileTemplate } from "../template.ts";
import type { Source } from "../values/source.ts";
import { filters } from "./index.ts";

type Context = Parameters<ReturnType<typeof compileTemplate>["render"]>[0];

const render = (template: string, context: Context = {}): string => compileTemplate(template).render(context);

const character = fc.constantFrom("a", "B", "é", "ß", "😀", " ", "\n", "\r", "\t", "-", "<", "&", "'", "/", "日", "0");
const text = fc.string({ unit: character, maxLength: 30 });
const integers = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 90 });

describe("filters", () => {
  it("sort puts every item in order and keeps equal ones as they were", () => {
    const user = fc.record({ age: fc.integer({ min: 0, max: 5 }), name: fc.string({ unit: character, maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(user, { maxLength: 90 }), fc.boolean(), (users, reverse) => {
        const sign = reverse ? -1 : 1;
        const sorted = users.toSorted((a, b) => sign * (a.age - b.age));
        const template = "{{ users|sort(attribute='age', reverse=reverse)|tojson }}";
        expect(render(template, { users, reverse })).toBe(render("{{ sorted|tojson }}", { sorted }));
      }),
    );
  });

  it("min, max, first and last agree with sort", () => {
    fc.assert(
      fc.property(integers, (list) => {
        fc.pre(list.length > 0);
        const same = "{{ list|min == list|sort|first and list|max == list|sort|last }}";
        expect(render(same, { list })).toBe("True");
      }),
    );
  });

  it("unique gives first occurrences, groupby all items, once each", () => {
    fc.assert(
      fc.property(integers, (list) => {
        expect(render("{{ list|unique|list }}", { list })).toBe(pythonRepr([...new Set(list)]));
        const items = list.map((value, index) => ({ value, index }));
        const grouped =
          "{% for value, of in items|groupby('value') %}{{ of|map(attribute='index')|join(',') }};{% endfor %}";
        const groups = [...new Set(list)].sort((a, b) => a - b);
        const indices = groups.map((group) => list.flatMap((value, index) => (value === group ? [index] : [])));
        expect(render(grouped, { items })).toBe(indices.map((group) => `${group.join(",")};`).join(""));
      }),
    );
  });

  it("batch and slice cut a list into its items", () => {
    fc.assert(
      fc.property(integers, fc.integer({ min: 1, max: 9 }), (list, n) => {
        const context = { list, n };
        expect(render("{{ list|batch(n)|sum(start=[]) }}", context)).toBe(pythonRepr(list));
        expect(render("{{ list|slice(n)|sum(start=[]) }}", context)).toBe(pythonRepr(list));
        const filled = JSON.parse(render("{{ list|batch(n, 99)|map('length')|list }}", context)) as number[];
        expect(filled.every((length) => length === n)).toBe(true);
        const lengths = JSON.parse(render("{{ list|slice(n)|map('length')|list }}", context)) as number[];
        expect(lengths.length).toBe(n);
        expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(2);
      }),
    );
  });

  it("select and reject share a list between them", () => {
    fc.assert(
      fc.property(integers, (list) => {
        expect(render("{{ list|select('odd')|list }}", { list })).toBe(pythonRepr(list.filter((n) => n % 2 !== 0)));
        const both = "{{ (list|select('gt', 3)|list + list|reject('gt', 3)|list)|sort == list|sort }}";
        expect(render(both, { list })).toBe("True");
      }),
    );
  });

  it("reverse undoes itself", () => {
    fc.assert(
      fc.property(text, integers, (value, list) => {
        expect(render("{{ value|reverse|reverse }}", { value })).toBe(value);
        expect(render("{{ value|reverse|list == value|list|reverse|list }}", { value })).toBe("True");
        expect(render("{{ list|reverse|list|reverse|list }}", { list })).toBe(pythonRepr(list));
      }),
    );
  });

  it("int reads what it is in any base", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: 2, max: 36 }), (value, base) => {
        const digits = ` ${value.toString(base)}\n`;
        expect(render("{{ digits|int(base=base) }}", { digits, base })).toBe(String(value));
      }),
    );
  });

  it("float reads what prints it, round stays within half a unit", () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: -3, max: 12 }),
        (x, digits) => {
          const number = new JsonNumber(String(x).includes(".") || String(x).includes("e") ? String(x) : `${x}.0`);
          const printed = pythonStr(number);
          expect(render("{{ printed|float }}", { printed })).toBe(printed);
          const rounded = Number(render("{{ number|round(digits) }}", { number, digits }));
          // Twice the precision of a double on top, for the subtraction.
          expect(Math.abs(rounded - x)).toBeLessThanOrEqual(0.5 * 10 ** -digits + Math.abs(x) * 2 ** -51);
          expect(render("{{ number|round(digits)|round(digits) == number|round(digits) }}", { number, digits })).toBe(
            "True",
          );
        },
      ),
    );
  });

  it("urlencode can be read back", () => {
    fc.assert(
      fc.property(text, text, (key, value) => {
        expect(decodeURIComponent(render("{{ value|urlencode }}", { value }))).toBe(value);
        const query = render("{{ {key: value}|urlencode }}", { key, value });
        expect([...new URLSearchParams(query)]).toEqual([[key, value]]);
      }),
    );
  });

  it("wordwrap keeps every word and the width", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 12 }), (value, width) => {
        const wrapped = render("{{ value|wordwrap(width) }}", { value, width });
        for (const line of wrapped.split("\n")) expect(Array.from(line).length).toBeLessThanOrEqual(width);
        expect(wrapped.replace(/\s/g, "")).toBe(value.replace(/\s/g, ""));
      }),
    );
  });

  it("indent adds the indention to every line but the first and blank ones", () => {
    fc.assert(
      fc.property(text, fc.constantFrom("    ", "> ", "😀"), (value, by) => {
        const lines = value.split(/\r\n|\r|\n/);
        if (value.endsWith("\r")) lines.pop();
        const expected = lines.map((line, index) => (index > 0 && line !== "" ? by + line : line)).join("\n");
        expect(render("{{ value|indent(by) }}", { value, by })).toBe(expected);
      }),
    );
  });

  it("truncate gives at most its length, and what is short as it is", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 3, max: 20 }), fc.boolean(), (value, length, killwords) => {
        const cut = render("{{ value|truncate(length, killwords, leeway=0) }}", { value, length, killwords });
        if (Array.from(value).length <= length) expect(cut).toBe(value);
        else {
          expect(Array.from(cut).length).toBeLessThanOrEqual(length);
          expect(cut.endsWith("...") && value.startsWith(cut.slice(0, -3))).toBe(true);
        }
      }),
    );
  });

  it("pprint of what fits on a line is its repr", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer(), fc.constantFrom("a", "it's")), { maxLength: 5 }), (list) => {
        fc.pre(pythonRepr(list).length <= 80);
        expect(render("{{ list|pprint }}", { list })).toBe(pythonRepr(list));
      }),
    );
  });

  it("map and the select filters run nothing before they are read", () => {
    expect(render("{% set bad = [1]|map('nope') %}{% set worse = 5|select %}{{ [bad, worse]|length }}")).toBe("2");
  });

  it("has all of Jinja's filters", () => {
    const names =
      "abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape format " +
      "groupby indent int items join last length list lower map max min pprint random reject rejectattr replace reverse " +
      "round safe select selectattr slice sort string striptags sum title tojson trim truncate unique upper urlencode " +
      "urlize wordcount wordwrap xmlattr";
    expect([...filters.keys()]).toEqual(names.split(" "));
  });

  it("random gives an item", () => {
    fc.assert(
      fc.property(integers, (list) => {
        expect(render("{{ list|random in list if list else list|random is undefined }}", { list })).toBe("True");
      }),
    );
  });
});

describe("sources", () => {
  interface Piece {
    readonly text: string;
    readonly from: string | null;
  }

  const trace = (template: string, context: Context): Piece[] =>
    compileTemplate(template)
      .trace(context)
      .pieces.map(({ text, source }: { text: string; source: Source | null }) => ({
        text,
        from: source === null ? null : source.path().join("."),
      }));

  it("filters of texts give the same text traced, and each piece to where it is from", () => {
    const chain = fc.constantFrom(
      "trim",
      "upper",
      "lower",
      "title",
      "capitalize",
      "indent(2)",
      "indent('> ', true, true)",
      "replace('a', 'x')",
      "replace('é', '')",
      "reverse",
      "truncate(6, true, '', 0)",
      "wordwrap(5)",
      "e",
      "urlencode",
      "string",
      "center(40)",
      "list|join('+')",
      "striptags",
      "tojson",
    );
    fc.assert(
      fc.property(text, text, fc.array(chain, { maxLength: 3 }), (a, b, names) => {
        const template = `{{ (a ~ "|" ~ b)|${["string", ...names].join("|")} }}`;
        const pieces = trace(template, { a, b });
        expect(pieces.map((piece) => piece.text).join("")).toBe(render(template, { a, b }));
        for (const piece of pieces) {
          expect([null, "a", "b"]).toContain(piece.from);
          expect(piece.text).not.toBe("");
        }
      }),
    );
  });

  it.each([
    ["{{ a|trim }}", [["x y", "a"]]],
    [
      "{{ [a, 1, b]|join(', ') }}",
      [
        ["  x y ", "a"],
        [", 1, ", null],
        ["l\nm", "b"],
      ],
    ],
    [
      "{{ b|indent(2, true) }}",
      [
        ["  ", null],
        ["l\n", "b"],
        ["  ", null],
        ["m", "b"],
      ],
    ],
    [
      "{{ b|replace('\n', a) }}",
      [
        ["l", "b"],
        ["  x y ", "a"],
        ["m", "b"],
      ],
    ],
    ["{{ a|upper|trim }}", [["X Y", "a"]]],
    ["{{ (a ~ b)|length }}", [["9", null]]],
    [
      "{{ list|map('string')|join }}",
      [
        ["1", "list.0"],
        ["two", "list.1"],
      ],
    ],
    [
      "{{ list|first + 1 }}{{ '7'|int }}",
      [
        ["2", "list.0"],
        ["7", null],
      ],
    ],
    [
      "{{ list|last|default('x') }}{{ nope|default(b) }}",
      [
        ["two", "list.1"],
        ["l\nm", "b"],
      ],
    ],
  ])("%s", (template, expected) => {
    const pieces = trace(template, { a: "  x y ", b: "l\nm", list: [1, "two"] });
    expect(pieces.map(({ text, from }) => [text, from])).toEqual(expected);
  });
});

// As Jinja prints them.
const printed: [template: string, text: string][] = [
  ["{{ -3|abs }} {{ true|abs }} {{ -1.5|abs }} {{ ('9'*20)|int|abs }}", "3 1 1.5 99999999999999999999"],
  ["{{ o|attr('keys')() }} {{ o|attr('b') is defined }}", "dict_keys(['b', 'A']) False"],
  ["{{ [1,2,3]|batch(2)|list }} {{ [1,2,3]|batch(2, 'x')|list }}", "[[1, 2], [3]] [[1, 2], [3, 'x']]"],
  ["{{ 'éCOLE ß'|capitalize }} {{ 'ab'|center(5) }}|", "École ß   ab |"],
  ["{{ u|default('x') }} {{ ''|default('x') }} {{ ''|d('x', true) }} {{ n|default('x') }}", "x  x None"],
  [
    "{{ o|dictsort }} {{ o|dictsort(true) }} {{ {'a':2,'b':1}|dictsort(by='value', reverse=true) }}",
    "[('A', [1.0, True, None, 'é\"\\n']), ('b', 1)] [('A', [1.0, True, None, 'é\"\\n']), ('b', 1)] [('a', 2), ('b', 1)]",
  ],
  ["{{ '<a href=\"x\">'|e }} {{ '<'|safe|e }} {{ '<'|safe|forceescape }}", "&lt;a href=&#34;x&#34;&gt; < &lt;"],
  [
    "{{ 1|filesizeformat }} {{ 999|filesizeformat }} {{ 1500|filesizeformat }} {{ 1500|filesizeformat(true) }} {{ 1250|filesizeformat }} {{ 1e30|filesizeformat }}",
    "1 Byte 999 Bytes 1.5 kB 1.5 KiB 1.2 kB 1000000.0 YB",
  ],
  [
    "{{ []|first is defined }} {{ 'ab'|first }} {{ {'k':1}|first }} {{ [1,n]|last }} {{ range(4)|last }}",
    "False a k None 3",
  ],
  [
    "{{ '1_0.5e1'|float }} {{ 'inf'|float }} {{ 'x'|float(7) }} {{ n|float }} {{ '１２'|float }}",
    "105.0 inf 7 0.0 12.0",
  ],
  ["{{ '%s-%05.1f'|format('a', 2.25) }} {{ '%(k)s'|format(k=1) }}", "a-002.2 1"],
  [
    "{% for g in users|groupby('age') %}{{ g.grouper }}:{{ g.list|map(attribute='name')|join(',') }};{% endfor %}",
    "25:bob;30:Ann,Cy;",
  ],
  ["{% for city, us in users|groupby('home.city', default='?') %}{{ city }}={{ us|length }} {% endfor %}", "?=1 X=2 "],
  [
    "{{ 'a\\nb\\n\\nc'|indent }}|{{ 'a\\n\\nb'|indent('> ', true, true) }}|{{ 'a\\r\\nb\\n'|indent(1) }}|",
    "a\n    b\n\n    c|> a\n> \n> b|a\n b\n|",
  ],
  [
    "{{ '42.9'|int }} {{ '0x1f'|int(base=16) }} {{ '0x1f'|int(base=0) }} {{ 'z'|int(-1) }} {{ ' 1_000 '|int }} {{ 1e20|int }} {{ 'inf'|int(3) }} {{ n|int }} {{ '12345678901234567890'|int }}",
    "42 31 31 -1 1000 100000000000000000000 3 0 12345678901234567890",
  ],
  ["{{ o|items|list }} {{ u|items|list }}", "[('b', 1), ('A', [1.0, True, None, 'é\"\\n'])] []"],
  [
    "{{ [1, 'a', n, 2.0]|join('-') }} {{ users|join(', ', attribute='name') }} {{ 'abc'|join('.') }}",
    "1-a-None-2.0 Ann, bob, Cy a.b.c",
  ],
  ["{{ 'Straße'|length }} {{ u|length }} {{ '😀'|count }} {{ o|length }}", "6 0 1 2"],
  ["{{ '😀é'|list }} {{ o|list }} {{ u|list }}", "['😀', 'é'] ['b', 'A'] []"],
  ["{{ 'ΑΣ İ'|lower }} {{ 'ß ŉ'|upper }} {{ 5|upper }} {{ u|upper }}", "ας i̇ SS ʼN 5 "],
  [
    "{{ users|map(attribute='home.city', default='-')|list }} {{ ['a','B']|map('upper')|join }} {{ [[1,2],[3]]|map('sum')|list }} {{ users|map(attribute='name.0')|list }}",
    "['X', 'x', '-'] AB [3, 3] ['A', 'b', 'C']",
  ],
  [
    "{{ ['b','A']|min }} {{ ['b','A']|max(case_sensitive=true) }} {{ users|max(attribute='age') }} {{ []|min is undefined }}",
    "A b {'name': 'Ann', 'age': 30, 'home': {'city': 'X'}} True",
  ],
  ["{{ {'b':1,'a':[1,2]}|pprint }}", "{'a': [1, 2], 'b': 1}"],
  [
    "{{ {'key': ['a long text that needs more space', 'another one that is long as well'], 'b': 'x'}|pprint }}",
    "{'b': 'x',\n 'key': ['a long text that needs more space',\n         'another one that is long as well']}",
  ],
  [
    "{{ 'word word word word word word word word word word word word word word word word word'|pprint }}",
    "('word word word word word word word word word word word word word word word '\n 'word word')",
  ],
  [
    "{{ [0,1,n,'',[]]|select|list }} {{ [0,1,n,'',[]]|reject|list }} {{ [1,2,3]|select('odd')|list }} {{ [1,2,3]|reject('>', 1)|list }}",
    "[1] [0, None, '', []] [1, 3] [1]",
  ],
  [
    "{{ users|selectattr('age', 'eq', 30)|map(attribute='name')|list }} {{ users|rejectattr('home.city')|map(attribute='name')|list }} {{ users|selectattr('nope', 'defined')|list }}",
    "['Ann', 'Cy'] ['Cy'] []",
  ],
  [
    "{{ 'aaa'|replace('a', 'b', 2) }} {{ 'ab'|replace('', '-') }} {{ 123|replace(2, 'x') }} {{ 'a.b'|replace('.', '$&') }}",
    "bba -a-b- 1x3 a$&b",
  ],
  [
    "{{ 'a😀b'|reverse }} {{ [1,2]|reverse|list }} {{ {'a':1,'b':2}|reverse|list }} {{ range(3)|reverse|list }}",
    "b😀a [2, 1] ['b', 'a'] [2, 1, 0]",
  ],
  [
    "{{ 2.5|round }} {{ 3.5|round }} {{ 2.675|round(2) }} {{ 42|round }} {{ 1234|round(-2) }} {{ 42.55|round(1, 'floor') }} {{ 1.1|round(0, 'ceil') }} {{ -0.4|round }} {{ 0.15|round(1) }} {{ 2.5|round|int }}",
    "2.0 4.0 2.67 42 1200 42.5 2.0 -0.0 0.1 2",
  ],
  ["{{ '<'|safe ~ '<' }} {{ '<b>x &amp; y</b>  z'|striptags }}", "<< x & y z"],
  [
    "{{ range(7)|slice(3)|list }} {{ range(7)|slice(3, 'x')|list }}",
    "[[0, 1, 2], [3, 4], [5, 6]] [[0, 1, 2], [3, 4, 'x'], [5, 6, 'x']]",
  ],
  [
    "{{ [3,1,2]|sort }} {{ ['b','A','a','B']|sort }} {{ ['b','A','a','B']|sort(case_sensitive=true) }} {{ users|sort(attribute='age,name')|map(attribute='name')|list }} {{ users|sort(reverse=true, attribute='age')|map(attribute='name')|list }}",
    "[1, 2, 3] ['A', 'a', 'b', 'B'] ['A', 'B', 'a', 'b'] ['bob', 'Ann', 'Cy'] ['Ann', 'Cy', 'bob']",
  ],
  ["{{ 1.0|string }} {{ n|string }} {{ [1,'a']|string }}", "1.0 None [1, 'a']"],
  ["{{ [1,2.5]|sum }} {{ users|sum('age') }} {{ [[1],[2]]|sum(start=[]) }} {{ []|sum }}", "3.5 85 [1, 2] 0"],
  ['{{ "don\'t STOP me-now (please) été"|title }}', "Don't Stop Me-Now (Please) Été"],
  ["{{ '  a b \\n'|trim }}| {{ 'xxaxx'|trim('x') }} {{ u|trim }}| {{ 5|trim }}", "a b| a | 5"],
  [
    "{{ 'foo bar baz qux'|truncate(9) }} {{ 'foo bar baz qux'|truncate(9, true) }} {{ 'foo bar baz qux'|truncate(11) }} {{ 'foo bar baz qux'|truncate(11, false, '...', 0) }}",
    "foo... foo ba... foo bar baz qux foo bar...",
  ],
  [
    "{{ ['foo','FOO','bar',1,1.0,true]|unique|list }} {{ users|unique(attribute='age')|map(attribute='name')|list }}",
    "['foo', 'bar', 1] ['Ann', 'bob']",
  ],
  [
    "{{ 'a b/é?&'|urlencode }} {{ {'a b': 1, 'c': 'd/e'}|urlencode }} {{ [('x', 'y z')]|urlencode }}",
    "a%20b/%C3%A9%3F%26 a+b=1&c=d%2Fe x=y+z",
  ],
  [
    "{{ 'see www.example.com/a_(b), or me@example.org.'|urlize }} {{ 'https://example.com/long'|urlize(12, target='_blank', nofollow=true) }}",
    'see <a href="https://www.example.com/a_(b)" rel="noopener">www.example.com/a_(b)</a>, or <a href="mailto:me@example.org">me@example.org</a>. <a href="https://example.com/long" rel="nofollow noopener" target="_blank">https://exam...</a>',
  ],
  ["{{ 'one two-three, ü_4'|wordcount }}", "4"],
  [
    "{{ 'a well-known looooong word here'|wordwrap(8) }}|{{ 'a well-known looooong word here'|wordwrap(8, false, '/', false) }}|{{ 'ab\\n\\ncd ef'|wordwrap(3) }}",
    "a well-\nknown\nlooooong\nword\nhere|a/well-known/looooong/word/here|ab\n\ncd\nef",
  ],
  [
    "<a{{ {'class': 'x', 'id': n, 'title': '\"q\"', 'u': u}|xmlattr }}>{{ {'a': 1}|xmlattr(false) }}",
    '<a class="x" title="&#34;q&#34;">a="1"',
  ],
  [
    "{{ o|tojson }} {{ (1, 'a')|tojson }} {{ '<é>'|tojson(ensure_ascii=true) }} {{ {'b':1,'a':2}|tojson(sort_keys=true, separators=(',', ':')) }}",
    '{"b": 1, "A": [1.0, true, null, "é\\"\\n"]} [1, "a"] "<\\u00e9>" {"a":2,"b":1}',
  ],
  [
    "{{ {'a':[],'b':{},'c':[1,{'d':2}]}|tojson(indent=2) }} {{ [1]|tojson(indent='--') }} {{ {1:2, n:3, true:4, 2.5:5}|tojson }} {{ [1e16, 1e-7, 'nan'|float, 'inf'|float]|tojson }}",
    '{\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    {\n      "d": 2\n    }\n  ]\n} [\n--1\n] {"1": 4, "null": 3, "2.5": 5} [1e+16, 1e-07, NaN, Infinity]',
  ],
];

// The class of what Jinja raises.
const raised: [template: string, exception: string][] = [
  ["{{ u|tojson }}", "TypeError"],
  ["{{ [1]|map('upper')|tojson }}", "TypeError"],
  ["{{ {(1,2):3}|tojson }}", "TypeError"],
  ["{{ {'a':1, 2:3}|tojson(sort_keys=true) }}", "TypeError"],
  ["{{ [1]|tojson(separators=(',',)) }}", "ValueError"],
  ["{{ u|abs }}", "TypeError"],
  ["{{ u|int }}", "UndefinedError"],
  ["{{ 'x'|round }}", "TypeError"],
  ["{{ 1|round(0, 'up') }}", "FilterArgumentError"],
  ["{{ 5|list }}", "TypeError"],
  ["{{ 5|length }}", "TypeError"],
  ["{{ [1,2]|map|list }}", "FilterArgumentError"],
  ["{{ [1]|map('nope')|list }}", "TemplateRuntimeError"],
  ["{{ [1]|map(attribute='a', x=1)|list }}", "FilterArgumentError"],
  ["{{ users|selectattr|list }}", "FilterArgumentError"],
  ["{{ [1]|select('nope')|list }}", "TemplateRuntimeError"],
  ["{{ users|map(attribute='home.city.x')|list }}", "UndefinedError"],
  ["{{ [1,'a']|sort }}", "TypeError"],
  ["{{ ['a','b']|sum }}", "TypeError"],
  ["{{ [1,2]|sort(reverse='yes') }}", "TypeError"],
  ["{{ users|sort(attribute='home.city') }}", "UndefinedError"],
  ["{{ 'abc'|truncate(2) }}", "AssertionError"],
  ["{{ 'abc def'|wordwrap(0) }}", "ValueError"],
  ["{{ 5|items|list }}", "TypeError"],
  ["{{ o|dictsort(by='x') }}", "FilterArgumentError"],
  ["{{ 5|reverse }}", "FilterArgumentError"],
  ["{{ [[1]]|unique|list }}", "TypeError"],
  ["{{ {'a b': 1}|xmlattr }}", "ValueError"],
  ["{{ 'a'|format(1, k=2) }}", "FilterArgumentError"],
  ["{{ [1]|map('upper')|last }}", "TypeError"],
  ["{{ u|indent }}", "UndefinedError"],
  ["{{ 5|indent }}", "TypeError"],
  ["{{ 'a'|trim(5) }}", "TypeError"],
  ["{{ 'a'|replace('a', 'b', 'c') }}", "TypeError"],
  ["{{ 'x'|urlize(extra_schemes=['tel']) }}", "FilterArgumentError"],
  ["{{ 'a'|default(boolean=true, default=1) }}", "TypeError"],
];

const context: Context = {
  n: null,
  o: parseJson('{"b": 1, "A": [1.0, true, null, "é\\"\\n"]}'),
  users: [
    { name: "Ann", age: 30, home: { city: "X" } },
    { name: "bob", age: 25, home: { city: "x" } },
    { name: "Cy", age: 30, home: {} },
  ],
};

describe("examples", () => {
  it.each(printed)("%s", (template, expected) => {
    expect(render(template, context)).toBe(expected);
  });

  it.each(raised)("%s raises %s", (template, exception) => {
    let thrown: unknown;
    try {
      render(template, context);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(TitoError);
    expect(thrown).toMatchObject({ code: "template_error", details: { pythonType: exception } });
  });
});
