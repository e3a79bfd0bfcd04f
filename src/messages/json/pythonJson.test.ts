import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalJson, type JsonInput, JsonNumber, type JsonObject, parseJson, pythonJson, toPlain } from "./index.ts";

/** Text that json.loads reads → what json.dumps(…, ensure_ascii=False) prints, as recorded from CPython. */
const printed: readonly (readonly [string, string])[] = [
  ["1.0", "1.0"],
  ["1e-7", "1e-07"],
  ["1e16", "1e+16"],
  ["1e15", "1000000000000000.0"],
  ["9999999999999998.0", "9999999999999998.0"],
  ["1E5", "100000.0"],
  ["-0.0", "-0.0"],
  ["-0", "0"],
  ["0e5", "0.0"],
  ["0.0001", "0.0001"],
  ["0.00001", "1e-05"],
  ["1e400", "Infinity"],
  ["-1e400", "-Infinity"],
  ["NaN", "NaN"],
  ["5e-324", "5e-324"],
  ["1.7976931348623157e308", "1.7976931348623157e+308"],
  ["12345678901234567890", "12345678901234567890"],
  ["9007199254740993", "9007199254740993"],
  ["9007199254740993.0", "9007199254740992.0"],
  ["0.30000000000000004", "0.30000000000000004"],
  ["1e22", "1e+22"],
  ["1.50", "1.5"],
  ['{"2":[],"1":{},"__proto__":[1,{"a":null}]}', '{"2": [], "1": {}, "__proto__": [1, {"a": null}]}'],
  ['"\\u0000\\u001f\\u007f\\u0085\\b\\f\\n\\r\\t\\"\\\\\\/"', '"\\u0000\\u001f\u007f\u0085\\b\\f\\n\\r\\t\\"\\\\/"'],
  ['"\\ud800\\n"', '"\ud800\\n"'],
  ['"\\ud83d\\ude00 \\ud800 \\u2028 ü"', '"😀 \ud800 \u2028 ü"'],
];

describe("pythonJson", () => {
  it.each(printed)("prints %s as %s", (text, expected) => {
    expect(pythonJson(parseJson(text))).toBe(expected);
  });

  it("prints JavaScript numbers: safe integers as int, others as float", () => {
    expect(pythonJson([1, 1.5, 1e16, 2 ** 53, -0, 1e-7, Number.NaN, Number.POSITIVE_INFINITY, 10n ** 20n])).toBe(
      "[1, 1.5, 1e+16, 9007199254740992.0, 0, 1e-07, NaN, Infinity, 100000000000000000000]",
    );
  });

  it("reads a float back as the same double", () => {
    fc.assert(
      fc.property(fc.double(), (x) => {
        expect(Number(pythonJson(x))).toBe(Object.is(x, -0) ? 0 : x);
      }),
    );
  });

  it("has json.dumps's options", () => {
    const value = parseJson('{"b": [1, {}], "a": "ü\\u007f\\ud83d\\ude00", "\\uffff": 1, "\\ud83d\\ude00": 2}');
    expect(pythonJson(value, { ensureAscii: true, sortKeys: true })).toBe(
      '{"a": "\\u00fc\\u007f\\ud83d\\ude00", "b": [1, {}], "\\uffff": 1, "\\ud83d\\ude00": 2}',
    );
    expect(pythonJson(parseJson('{"b": [1, {}, []], "c": []}'), { indent: 2 })).toBe(
      '{\n  "b": [\n    1,\n    {},\n    []\n  ],\n  "c": []\n}',
    );
    expect(pythonJson([1, 2], { indent: 0 })).toBe("[\n1,\n2\n]");
    expect(pythonJson({ a: [1, 2] }, { separators: [",", ":"] })).toBe('{"a":[1,2]}');
    expect(pythonJson({ a: [1] }, { indent: "\t", separators: [" ;", "="] })).toBe('{\n\t"a"=[\n\t\t1\n\t]\n}');
    expect(() => pythonJson(parseJson("1e400"), { allowNaN: false })).toThrow("allowNaN");
  });

  it("sorts keys by code point, where a surrogate pair stands above every unit", () => {
    const keys = ["\ud83d\ude00", "\ud83d\uffff", "\ud83dz", "\uffff", "ab", "a", ""];
    const sorted = ["", "a", "ab", "\ud83dz", "\ud83d\uffff", "\uffff", "\ud83d\ude00"];
    const value = new Map(keys.map((key) => [key, 0]));
    const printed = pythonJson(value, { sortKeys: true });
    expect([...(parseJson(printed) as JsonObject).keys()]).toEqual(sorted);
  });

  it("takes mixtures of lossless and plain values", () => {
    const mixed = { a: new Map([["10", new JsonNumber("1.0")]]), skipped: undefined, b: Object.create(null) };
    expect(pythonJson(mixed)).toBe('{"a": {"10": 1.0}, "b": {}}');
  });

  it("refuses what is no JSON", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const holes = new Array(2);
    for (const value of [
      undefined,
      () => 1,
      new Date(),
      new Set(),
      [undefined],
      holes,
      cyclic,
      new JsonNumber("0x1"),
    ]) {
      expect(() => pythonJson(value as never)).toThrow(expect.objectContaining({ code: "invalid_json" }));
    }
    expect(() => pythonJson(10n ** 4300n)).toThrow("4300");
    expect(pythonJson(-(10n ** 4299n))).toHaveLength(4301);
  });
});

describe("toPlain", () => {
  it("gives what JSON.parse gives", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(toPlain(parseJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("keeps `__proto__` an ordinary key", () => {
    const plain = toPlain(parseJson('{"__proto__": {"polluted": true}}')) as object;
    expect(Object.keys(plain)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
  });

  it("makes big integers exact on request", () => {
    const value = parseJson("[9007199254740993, 1e20, 7]");
    expect(toPlain(value)).toEqual([9007199254740992, 1e20, 7]);
    expect(toPlain(value, { bigIntegers: "bigint" })).toEqual([9007199254740993n, 1e20, 7]);
  });
});

describe("equalJson", () => {
  it("holds between a value, its plain form and its printed form", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = parseJson(text);
        expect(equalJson(value, parseJson(pythonJson(value)))).toBe(true);
        // Exactly: the nearest double of a big integer is another number.
        expect(equalJson(value, toPlain(value, { bigIntegers: "bigint" }) as JsonInput)).toBe(true);
      }),
    );
  });

  it.each([
    ["1", "1.0", true],
    ["-0", "0.0", true],
    ["100000000000000000000", "1e20", true],
    ["9007199254740993", "9007199254740993.0", false],
    ["9007199254740993", "9007199254740992", false],
    ["0.1", "0.10", true],
    ["NaN", "NaN", true],
    ["1", "true", false],
    ['"1"', "1", false],
    ["null", "{}", false],
    ["[]", "{}", false],
    ['{"a":1,"b":2}', '{"b":2.0,"a":1}', true],
    ['{"a":1}', '{"b":1}', false],
    ['{"a":1}', '{"a":1,"b":null}', false],
    ["[1,2]", "[2,1]", false],
  ])("%s, %s: %s", (a, b, expected) => {
    expect(equalJson(parseJson(a), parseJson(b))).toBe(expected);
    expect(equalJson(parseJson(b), parseJson(a))).toBe(expected);
  });
});
