import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomNumbers } from "../../../test/support/grammars.ts";
import type { TitoError } from "../../errors.ts";
import { type JsonInput, parseJson } from "../../messages/index.ts";
import {
  empty,
  GbnfBuilder,
  jsonSchemaToGbnf,
  type Loosened,
  literal,
  matches,
  noneOf,
  parseGbnf,
  printGbnf,
  repeat,
  type SchemaRulesOptions,
  sampleGbnf,
  schemaRules,
  sequence,
  whyNot,
} from "../index.ts";

type Plain = { readonly [key: string]: JsonInput };
interface Case {
  readonly schema: Plain;
  readonly value: JsonInput;
  /** Whether a value fits, by the schema's meaning. */
  readonly fits: (value: unknown) => boolean;
}

const text = fc.string({ unit: "grapheme", maxLength: 6 }).filter((one) => !one.includes("\x7f"));
const names = fc.string({ minLength: 1, maxLength: 4 }).map((name) => `${name.replace(/[^a-z]/g, "x")}_`);
const isInteger = (value: unknown): value is number => typeof value === "number" && Number.isInteger(value);

const integers: fc.Arbitrary<Case> = fc
  .tuple(fc.maxSafeInteger(), fc.maxSafeInteger(), fc.maxSafeInteger(), fc.boolean(), fc.boolean())
  .map(([a, b, c, hasMin, hasMax]) => {
    const [min, value, max] = [a, b, c].sort((x, y) => x - y);
    return {
      schema: { type: "integer", ...(hasMin ? { minimum: min } : {}), ...(hasMax ? { maximum: max } : {}) },
      value,
      fits: (one) => isInteger(one) && (!hasMin || one >= min) && (!hasMax || one <= max),
    };
  });

const smallIntegers: fc.Arbitrary<Case> = fc
  .tuple(fc.integer({ min: -1200, max: 1200 }), fc.nat(1300), fc.nat(), fc.boolean())
  .map(([min, span, at, exclusive]) => ({
    schema: exclusive
      ? { type: "integer", exclusiveMinimum: min - 1, exclusiveMaximum: min + span + 1 }
      : { type: "integer", minimum: min, maximum: min + span },
    value: min + (at % (span + 1)),
    fits: (one) => isInteger(one) && one >= min && one <= min + span,
  }));

const simple: fc.Arbitrary<Case> = fc.oneof(
  integers,
  smallIntegers,
  fc.constant<Case>({ schema: { type: "null" }, value: null, fits: (one) => one === null }),
  fc.boolean().map((value): Case => ({ schema: { type: "boolean" }, value, fits: (one) => typeof one === "boolean" })),
  fc
    .integer({ min: -1e9, max: 1e9 })
    .map((n): Case => ({ schema: { type: "number" }, value: n / 100, fits: (one) => typeof one === "number" })),
  fc.tuple(text, fc.nat(2), fc.nat(2)).map(([value, less, more]): Case => {
    const length = Array.from(value).length;
    const [min, max] = [Math.max(0, length - less), length + more];
    return {
      schema: { type: "string", minLength: min, maxLength: max },
      value,
      // Escaped surrogate pairs are two characters to the grammar, and one to us.
      fits: (one) => typeof one === "string" && one.length >= min && Array.from(one).length <= max,
    };
  }),
  fc.tuple(text, text, fc.boolean()).map(([value, other, first]): Case => {
    const options = first ? [value, other] : [other, value];
    return { schema: { enum: options }, value, fits: (one) => options.includes(one as string) };
  }),
  fc.constant<Case>({
    schema: { type: "string", pattern: '^[A-Z][^a-z]{2}(x|\\d+)?"$' },
    value: 'A"\n12"',
    fits: (one) => typeof one === "string" && /^[A-Z][^a-z]{2}(x|\d+)?"$/u.test(one),
  }),
);

const cases: fc.Arbitrary<Case> = fc.letrec<{ node: Case }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    simple,
    fc.tuple(tie("node"), fc.nat(3)).map(
      ([item, count]): Case => ({
        schema: { type: "array", items: item.schema, minItems: count, maxItems: count + 1 },
        value: Array.from({ length: count }, () => item.value),
        fits: (one) =>
          Array.isArray(one) && one.length >= count && one.length <= count + 1 && one.every((each) => item.fits(each)),
      }),
    ),
    fc.array(tie("node"), { maxLength: 3 }).map(
      (items): Case => ({
        schema: { type: "array", prefixItems: items.map(({ schema }) => schema) },
        value: items.map(({ value }) => value),
        fits: (one) =>
          Array.isArray(one) && one.length === items.length && items.every(({ fits }, index) => fits(one[index])),
      }),
    ),
    fc.tuple(tie("node"), tie("node"), fc.boolean()).map(
      ([a, b, first]): Case => ({
        schema: { anyOf: [a.schema, b.schema] },
        value: first ? a.value : b.value,
        fits: (one) => a.fits(one) || b.fits(one),
      }),
    ),
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(names, tie("node"), fc.boolean(), fc.boolean()), {
          maxLength: 5,
          selector: ([n]) => n,
        }),
        fc.option(tie("node")),
      )
      .map(([fields, additional]): Case => {
        const required = fields.filter(([, , needed]) => needed).map(([name]) => name);
        const known = new Map(fields.map(([name, field]) => [name, field]));
        return {
          schema: {
            type: "object",
            properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
            required,
            additionalProperties: additional === null ? false : additional.schema,
          },
          value: Object.fromEntries([
            ...fields.filter(([, , needed, there]) => needed || there).map(([name, { value }]) => [name, value]),
            ...(additional === null ? [] : [["OTHER", additional.value]]),
          ]),
          fits: (one) =>
            typeof one === "object" &&
            one !== null &&
            !Array.isArray(one) &&
            required.every((name) => Object.hasOwn(one, name)) &&
            Object.entries(one).every(([name, value]) => (known.get(name) ?? additional)?.fits(value) ?? false),
        };
      }),
  ),
})).node;

const printed = (value: JsonInput): string[] => {
  const compact = JSON.stringify(value);
  return [compact, JSON.stringify(value, null, 2).length < 1000 ? JSON.stringify(value, null, "\t") : compact];
};

describe("jsonSchemaToGbnf", () => {
  it("takes the JSON text of every value that fits, compact or not", () => {
    fc.assert(
      fc.property(cases, ({ schema, value }) => {
        const gbnf = jsonSchemaToGbnf(schema, { dialect: "json", propertyOrder: "schema" });
        for (const one of printed(value)) expect(whyNot(gbnf, one)?.message ?? null).toBe(null);
      }),
      { numRuns: 400 },
    );
  });

  it("takes nothing else: every text of the grammar is JSON that fits", () => {
    fc.assert(
      fc.property(cases, fc.integer(), ({ schema, fits }, seed) => {
        const gbnf = jsonSchemaToGbnf(schema, { dialect: "json" });
        const sample = sampleGbnf(gbnf, randomNumbers(seed), { budget: 100 });
        expect([sample, fits(JSON.parse(sample))]).toEqual([sample, true]);
      }),
      { numRuns: 400 },
    );
  });

  it("makes a grammar that llama.cpp can read", () => {
    fc.assert(
      fc.property(cases, fc.constantFrom("json", "llama.cpp"), ({ schema }, dialect) => {
        const gbnf = jsonSchemaToGbnf(schema, { dialect });
        expect(parseGbnf(printGbnf(gbnf))).toEqual(gbnf);
        expect(printGbnf(gbnf)).not.toMatch(/^[^ ]*[^A-Za-z0-9-][^ ]* ::=/m);
      }),
    );
  });

  it("gives the same grammar for parsed and for plain schemas", () => {
    fc.assert(
      fc.property(cases, ({ schema }) => {
        expect(jsonSchemaToGbnf(parseJson(JSON.stringify(schema)))).toEqual(jsonSchemaToGbnf(schema));
      }),
    );
  });

  it("takes any JSON where nothing is said", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false, depthSize: "small" }), (value) => {
        const one = JSON.stringify(value, (_, inner) => (typeof inner === "number" ? Math.round(inner) % 1e9 : inner));
        expect(whyNot(jsonSchemaToGbnf({}, { dialect: "json" }), one)?.message ?? null).toBe(null);
      }),
    );
  });
});

const accepts = (schema: JsonInput, yes: readonly string[], no: readonly string[], options?: SchemaRulesOptions) => {
  const gbnf = jsonSchemaToGbnf(schema, options);
  for (const one of yes) expect(whyNot(gbnf, one)?.message ?? `${one} matches`).toBe(`${one} matches`);
  for (const one of no) expect(`${one} matches: ${matches(gbnf, one)}`).toBe(`${one} matches: false`);
};

describe("parts of schemas", () => {
  const node = {
    type: "object",
    properties: { value: { type: "integer" }, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
    required: ["value", "next"],
  };

  it("may refer to each other and to themselves", () => {
    const list = '{"value":1,"next":{"value":2,"next":null}}';
    accepts({ $ref: "#/$defs/node", $defs: { node } }, [list], ['{"value":1,"next":2}']);
    accepts({ type: "array", items: { $ref: "#" } }, ["[[],[[]]]"], ["[1]"]);
    accepts({ properties: { a: { $defs: { node } }, b: { $ref: "#/$defs/node" } } }, [`{"b":${list}}`], []);
    accepts({ $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": { const: 1 } } }, ["1"], ["2"]);
  });

  it("may be recursive by merged parts", () => {
    const schema = {
      $ref: "#/$defs/t",
      $defs: {
        t: {
          type: "object",
          properties: { a: { type: "object", properties: { b: { const: 1 } }, anyOf: [{ $ref: "#/$defs/t" }] } },
        },
      },
    };
    accepts(schema, ["{}", '{"a":{"b":1}}', '{"a":{"b":1,"a":{"b":1,"a":{}}}}'], ['{"b":1}']);
  });

  it("merge in anyOf beside properties, and in allOf", () => {
    const base = { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } } };
    const either = { ...base, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    accepts(either, ['{"a":1}', '{"b":1}', '{"a":1,"b":2}'], ["{}"]);
    const all = { allOf: [base, { required: ["b"] }, { properties: { a: { maximum: 5, type: "integer" } } }] };
    accepts(all, ['{"a":5,"b":9}', '{"b":9}'], ['{"a":6,"b":1}', '{"a":1}'], {
      dialect: "json",
      propertyOrder: "schema",
    });
    accepts({ allOf: [{ type: ["integer", "string"] }, { type: "number", maximum: 3 }] }, ["3"], ["4", '""', "0.5"]);
  });

  it("have their properties in the order that is asked for", () => {
    const schema = {
      type: "object",
      properties: { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } },
      required: ["c"],
      additionalProperties: { const: 0 },
    };
    const first = '{"c":3,"a":1,"b":2,"x":0}';
    const schemaOrder = '{"a":1,"b":2,"c":3,"x":0}';
    const mixed = '{"x":0,"b":2,"y":0,"c":3,"a":1}';
    accepts(schema, [first, '{"c":3}'], [schemaOrder, mixed, "{}"]);
    accepts(schema, [schemaOrder, '{"b":2,"c":3}'], [first, mixed, "{}"], { propertyOrder: "schema" });
    accepts(schema, [first, schemaOrder, mixed], ["{}", '{"a":1}', '{"c":3,"c":3}'], { propertyOrder: "any" });
  });

  it("keep additional keys apart from the others", () => {
    const schema = { properties: { ab: { const: 1 }, abc: { const: 2 } }, additionalProperties: { const: 0 } };
    const no = ['{"ab":0}', '{"abc":0}', '{"\\u0061b":0}'];
    const short = ['{"a":0}', '{"":0}', '{"abd":0}', '{"\\n":0}', '{"abcd":0}'];
    accepts(schema, ['{"x":0}', '{"abcd":0}', '{"ab":1,"abc":2,"x":0}'], no.slice(0, 2));
    accepts(schema, short, no, { dialect: "json" });
  });

  it("may require properties that are only named there, and forbid others", () => {
    accepts({ type: "object", required: ["a"] }, ['{"a":[1]}', '{"a":null,"b":0}'], ["{}", '{"b":0}']);
    accepts({ properties: { a: false, b: { const: 1 } } }, ["{}", '{"b":1}'], ['{"a":1}']);
  });

  it("may be lists with a known beginning", () => {
    const schema = { prefixItems: [{ const: 1 }, { const: 2 }], items: { const: 3 }, minItems: 1, maxItems: 4 };
    accepts(schema, ["[1]", "[1,2]", "[1, 2, 3, 3]"], ["[]", "[2]", "[1,3]", "[1,2,3,3,3]"]);
    accepts({ items: [{ const: 1 }], additionalItems: { const: 2 } }, ["[1]", "[1,2,2]"], ["[]", "[2]"]);
    accepts({ type: "array", minItems: 1 }, ["[null]", '["a",{}]'], ["[]"]);
    accepts({ type: "array", prefixItems: [], items: false }, ["[]"], ["[1]"]);
  });

  it("count further than llama.cpp does", () => {
    const long = { type: "string", minLength: 2500 };
    accepts(long, [`"${"a".repeat(2500)}"`, `"${"a".repeat(4000)}"`], [`"${"a".repeat(2499)}"`]);
    expect(parseGbnf(printGbnf(jsonSchemaToGbnf(long))).kind).toBe("gbnf");
    accepts({ type: "string", maxLength: 1500 }, [`"${"é".repeat(1500)}"`], [`"${"é".repeat(1501)}"`]);
    accepts({ items: { const: 1 }, maxItems: 1500 }, [JSON.stringify(new Array(1500).fill(1))], []);
  });

  it("write exact integers of any size", () => {
    const schema = parseJson('{"type":"integer","minimum":123456789012345678901,"maximum":123456789012345678999}');
    accepts(schema, ["123456789012345678950"], ["123456789012345678900", "123456789012345679000"]);
    accepts({ type: "integer", minimum: 1.5, exclusiveMaximum: 3.5 }, ["2", "3"], ["1", "4"]);
    accepts(parseJson('{"const":{"b":1.0,"a":[1e2,"é\\n"]}}'), ['{"b":1.0,"a":[100.0,"é\\n"]}'], ['{"b":1,"a":[100]}']);
  });
});

describe("dialects", () => {
  it("llama.cpp's has its slips, JSON's has not", () => {
    for (const [schema, slip, right] of [
      [{ type: "integer", maximum: -5 }, "-05", "-50"],
      [{ type: "integer", minimum: -5 }, "-0", "-1"],
      [{ type: "string", pattern: '^"$' }, '"""', null],
      [{ type: "string", pattern: "^.$" }, '"\\"', null],
      [{ type: "string", pattern: "^\\w$" }, '"!"', null],
      [{ properties: {}, required: [], additionalProperties: { const: 1 }, type: "object" }, '{"\x7f', null],
    ] as const) {
      const [llama, json] = [jsonSchemaToGbnf(schema), jsonSchemaToGbnf(schema, { dialect: "json" })];
      if (!slip.startsWith("{")) expect([slip, matches(llama, slip), matches(json, slip)]).toEqual([slip, true, false]);
      if (right !== null) expect([matches(llama, right), matches(json, right)]).toEqual([true, true]);
    }
    accepts({ type: "string", pattern: '^"\\d\\\\$' }, ['"\\"7\\\\"'], ['"7"'], { dialect: "json" });
  });
});

describe("what a grammar cannot say", () => {
  const errorOf = (schema: unknown, options: SchemaRulesOptions = {}): TitoError => {
    try {
      jsonSchemaToGbnf(schema as JsonInput, options);
    } catch (error) {
      return error as TitoError;
    }
    throw new Error("no error");
  };

  it.each([
    [{ type: "kaboom" }, "/type"],
    [{ type: 123 }, "/type"],
    [3, ""],
    [false, ""],
    [{ properties: { "a/b": { type: "x" } } }, "/properties/a~1b/type"],
    [{ items: { anyOf: [] } }, "/items/anyOf"],
    [{ anyOf: [false, false] }, "/anyOf/1"],
    [{ enum: [] }, "/enum"],
    [{ pattern: "^(a$" }, "/pattern"],
    [{ pattern: "^a**$" }, "/pattern"],
    [{ $ref: "https://example.com/a" }, "/$ref"],
    [{ $ref: "#/$defs/none" }, "/$ref"],
    [{ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }, "/$defs/a/$ref"],
    [{ $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }] } } }, "/$defs/a/anyOf/0/$ref"],
    [{ allOf: [{ type: "string" }, { type: "null" }] }, "/allOf/1/type"],
    [{ allOf: [{ enum: [1] }, { enum: [2] }] }, "/allOf/1/enum"],
    [{ type: "integer", minimum: 5, maximum: 4 }, ""],
    [{ type: "string", minLength: 5, maxLength: 4 }, ""],
    [{ items: {}, minItems: 5, maxItems: 4 }, ""],
    [{ properties: { a: false }, required: ["a"] }, "/properties/a"],
    [{ type: "integer", minimum: "1" }, "/minimum"],
  ])("is refused: %j at %s", (schema, pointer) => {
    const error = errorOf(schema);
    expect([error.code, error.details.pointer]).toEqual(["schema_unsupported", pointer]);
    expect(error.message).toMatch(/\. .+\.$/);
  });

  it("is told once where it only widens the grammar, and refused if that must not be", () => {
    const schema = {
      type: "object",
      properties: {
        a: { type: "array", items: { type: "number", minimum: 0 }, uniqueItems: true },
        b: { type: "string", pattern: "[0-9]" },
        c: { type: "string", format: "email" },
      },
    };
    const loosened: Loosened[] = [];
    jsonSchemaToGbnf(schema, { onLoosened: (one) => loosened.push(one) });
    expect(loosened.map(({ pointer }) => pointer)).toEqual([
      "/properties/a/uniqueItems",
      "/properties/a/items/minimum",
      "/properties/b/pattern",
      "/properties/c/format",
    ]);
    expect(errorOf(schema, { strict: true }).details.pointer).toBe("/properties/a/uniqueItems");
  });

  it("leaves out options that nothing fits", () => {
    accepts({ anyOf: [{ enum: [] }, { const: 1 }, false] }, ["1"], ["2"]);
  });
});

describe("schemaRules", () => {
  it("puts several schemas into one grammar and shares what is alike", () => {
    const builder = new GbnfBuilder();
    const one = schemaRules(builder, { properties: { a: { type: "string" } } }, { name: "first" });
    const two = schemaRules(builder, { items: { type: "string" } }, { name: "second" });
    const gbnf = builder.build(sequence(literal("<"), one, literal("|"), two, literal(">")));
    expect(matches(gbnf, '<{"a":"x"}|["y"]>')).toBe(true);
    expect(gbnf.rules.filter(({ name }) => name.startsWith("string"))).toHaveLength(1);
    expect(gbnf.rules.some(({ name }) => name === "first-a-kv")).toBe(true);
  });

  it("writes texts and keys as the format at hand does", () => {
    const quote = literal('<|"|>');
    const strings = { open: quote, close: quote, character: noneOf("<"), spell: (one: string) => one };
    const keys = { open: empty(), close: empty(), character: noneOf(":,{}"), spell: (one: string) => one };
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, unit: { enum: ["°C", { x: "y" }] }, code: { pattern: "^[a-z]{2}$" } },
      required: ["city"],
      additionalProperties: { type: "boolean" },
    };
    accepts(
      schema,
      [
        '{city:<|"|>Zür"ich<|"|>,unit:<|"|>°C<|"|>,code:<|"|>ch<|"|>,other:true}',
        '{city:<|"|><|"|>,unit:{x:<|"|>y<|"|>}}',
      ],
      ['{"city":"x"}', "{city:x}", '{city:<|"|>a<|"|>,unit:true}', '{city:<|"|>a<|"|>, unit:<|"|>°C<|"|>}'],
      { strings, keys, space: empty() },
    );
  });

  it("has the white space that is asked for", () => {
    const schema = { properties: { a: { items: { const: 1 } } } };
    accepts(schema, ['{"a":[1,1]}'], ['{"a": [1]}'], { space: empty() });
    accepts(schema, ['{  "a"  :[1,  1] }'], ['{\n"a":[]}'], { space: repeat(literal(" ")) });
  });
});
