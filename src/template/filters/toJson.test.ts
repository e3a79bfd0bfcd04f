import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonNumber, type JsonValue, parseJson, pythonJson } from "../../messages/index.ts";
import { compileTemplate } from "../template.ts";
import type { Source } from "../values/source.ts";

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('"', "\\", "\n", "\0", "\x7f", "é", "😀", "</", "2"), fc.string({ maxLength: 1 })),
  maxLength: 8,
});
const number = fc
  .oneof(
    fc.double().map((x) => pythonJson(x)),
    fc.bigInt().map(String),
    fc.constantFrom("1.0", "1e16", "1e-7", "-0.0", "NaN", "-Infinity"),
  )
  .map((digits) => new JsonNumber(digits));
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    text,
    number,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie("value")), { maxLength: 4 }).map((fields) => new Map(fields)),
  ),
})).value;

const options = fc.record({
  ensureAscii: fc.boolean(),
  indent: fc.constantFrom(null, 0, 1, 4, -1, "\t", "--"),
  sortKeys: fc.boolean(),
  separators: fc.constantFrom(undefined, [",", ":"] as const, ["\n", " = "] as const),
});

const withOptions =
  "tojson(ensure_ascii=options.ensureAscii, indent=options.indent, sort_keys=options.sortKeys" + "{SEPARATORS})";

describe("tojson", () => {
  it("prints what json.dumps prints", () => {
    fc.assert(
      fc.property(value, options, (input, { separators, ...given }) => {
        const filter = withOptions.replace("{SEPARATORS}", separators ? ", separators=separators" : "");
        const context = { input, options: given, separators: separators ? [...separators] : null };
        const json = pythonJson(input, { ...given, ...(separators && { separators }) });
        for (const template of [`{{ input|${filter} }}`, `{% set made = [input] %}{{ made[0]|${filter} }}`]) {
          expect(compileTemplate(template).render(context)).toBe(json);
        }
        const traced = compileTemplate(`{{ input|${filter} }}`).trace(context).pieces;
        expect(traced.map(({ text, source }) => [text, source?.variable])).toEqual([[json, "input"]]);
      }),
    );
  });

  it("prints a container of the template like one of the context, and each member with its source", () => {
    fc.assert(
      fc.property(value, value, options, (first, second, given) => {
        const { separators: _, ...shown } = given;
        const template = compileTemplate(
          `{{ {"a": [first, 1], "b": second, "c": (first,)}|${withOptions.replace("{SEPARATORS}", "")} }}`,
        );
        const context = { first, second, options: shown };
        const whole = parseJson(
          `{"a": [${pythonJson(first)}, 1], "b": ${pythonJson(second)}, "c": [${pythonJson(first)}]}`,
        );
        const json = pythonJson(whole, shown);
        expect(template.render(context)).toBe(json);
        const { pieces } = template.trace(context);
        expect(pieces.map((piece) => piece.text).join("")).toBe(json);
        const sources = pieces.map((piece) => piece.source).filter((source): source is Source => source !== null);
        expect(sources.map((source) => source.path())).toEqual([["first"], ["second"], ["first"]]);
      }),
    );
  });

  it("marks texts put together of several sources piece by piece", () => {
    const { pieces } = compileTemplate('{{ {"t": a ~ "\n" ~ b, a: 1}|tojson }}').trace({ a: 'x"', b: "é" });
    expect(pieces.map(({ text, source }) => [text, source?.variable])).toEqual([
      ['{"t": "', undefined],
      ['x\\"', "a"],
      ["\\n", undefined],
      ["é", "b"],
      ['", ', undefined],
      ['"x\\""', "a"],
      [": 1}", undefined],
    ]);
  });

  it("refuses a list that holds itself", () => {
    const template = compileTemplate("{% set x = [] %}{% set _ = x.append(x) %}{{ x|tojson }}", { mutable: true });
    expect(() => template.render({})).toThrow("holds itself");
  });
});
