import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorOf, templateRuntime } from "../../../test/support/templateRuntime.ts";
import { Dict, List, Range, Tuple } from "../values/containers.ts";
import { toFloat, toInteger } from "../values/conversions.ts";
import { Float, Markup, Traced, Undefined } from "../values/scalars.ts";
import { Source } from "../values/source.ts";
import { piecesOf, textOf } from "../values/text.ts";
import type { Value } from "../values/types.ts";
import { strFormat } from "./format.ts";
import { formatValue } from "./formatSpec.ts";
import { percentFormat } from "./percentFormat.ts";

const runtime = templateRuntime();

const float = (value: number) => new Float(value);
const percent = (format: string | Markup, argument: Value) => textOf(percentFormat(runtime, format, argument));
const spec = (value: Value, text: string) => textOf(formatValue(runtime, value, text));
const format = (text: string, positional: Value[], named: Record<string, Value> = {}) =>
  textOf(strFormat(runtime, text, positional, new Map(Object.entries(named))));

function dict(fields: Record<string, Value>): Dict {
  const made = new Dict();
  for (const [key, value] of Object.entries(fields)) made.set(key, value);
  return made;
}

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

describe("floats", () => {
  it("read back from 17 digits, and from the shortest text", () => {
    fc.assert(
      fc.property(finite, (value) => {
        expect(Number(percent("%.17g", float(value)))).toBe(value);
        expect(Number(spec(float(value), ".16e"))).toBe(value);
        expect(Number(spec(float(value), "<5"))).toBe(value);
        expect(toFloat(spec(float(value), "030"))).toBe(value);
      }),
    );
  });

  it("are exact to any digit: the nearest, a tie to the even one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
        fc.integer({ min: 0, max: 12 }),
        fc.nat(14),
        (top, power, digits) => {
          const shown = spec(float(top / 2 ** power), `.${digits}f`);
          const scaled = BigInt(shown.replace(".", "").replace("-", ""));
          // |shown - value| in units of 2^-power × 10^-digits.
          const exact = BigInt(Math.abs(top)) * 10n ** BigInt(digits);
          const unit = 2n ** BigInt(power);
          const off = 2n * (scaled * unit - exact);
          expect(off <= unit && off >= -unit).toBe(true);
          if (off === unit || off === -unit) expect(scaled % 2n).toBe(0n);
        },
      ),
    );
  });

  // As recorded from CPython 3.11.
  it.each([
    [0.5, ".0f", "0"],
    [1.5, ".0f", "2"],
    [2.675, ".2f", "2.67"],
    [1e23, ".0f", "99999999999999991611392"],
    [1e22, "", "1e+22"],
    [123456.0, "g", "123456"],
    [1234567.0, "g", "1.23457e+06"],
    [1234.0, ".4", "1.234e+03"],
    [12.0, ".4", "12.0"],
    [0.0001, "#g", "0.000100000"],
    [1e20, "#", "1.e+20"],
    [1234567.891, ",.2f", "1,234,567.89"],
    [1234.5, "012,.1f", "00,001,234.5"],
    [0.256, ".1%", "25.6%"],
    [-0.04, "z.1f", "0.0"],
    [-0.04, ".1f", "-0.0"],
    [Number.POSITIVE_INFINITY, "010.2F", "0000000INF"],
    [Number.NaN, "+", "+nan"],
    [3.0, "^+9.2e", "+3.00e+00"],
  ])("%s with %j", (value, text, expected) => {
    expect(spec(float(value), text)).toBe(expected);
  });
});

describe("formatValue", () => {
  it("groups digits and fills to a width", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(40), (value, width) => {
        const shown = spec(value, `0${width},`);
        expect(shown.replaceAll(",", "").replace(/^(-?)0+(?=\d)/, "$1")).toBe(value.toString());
        expect(shown).toMatch(/^-?\d{1,3}(,\d{3})*$/);
        expect(shown.length).toBeGreaterThanOrEqual(width);
        expect(BigInt(spec(value < 0n ? -value : value, "#x"))).toBe(value < 0n ? -value : value);
        expect(BigInt(toInteger(spec(value, `_>${width}_d`).replace(/^_+/, "")))).toBe(value);
      }),
    );
  });

  it.each<[value: Value, text: string, expected: string]>([
    ["ab", "*^5", "*ab**"],
    ["ab", "05", "ab000"],
    ["😀😀", "😀>3.1", "😀😀😀"],
    [42, "+d", "+42"],
    [-42, "=6", "-   42"],
    [255, "#06x", "0x00ff"],
    [255, "#b", "0b11111111"],
    [0xabcdef, "x^10X", "xxABCDEFxx"],
    [65, "c", "A"],
    [1234567, "_x", "12_d687"],
    [true, "d", "1"],
    [true, "", "True"],
    [10, ".1f", "10.0"],
    [null, "", "None"],
    [1, "04,", "0,001"],
  ])("%s with %j", (value, text, expected) => {
    expect(spec(value, text)).toBe(expected);
  });

  it.each<[value: Value, text: string, error: string]>([
    ["a", "d", "ValueError"],
    ["a", "=5", "ValueError"],
    ["a", ",", "ValueError"],
    [1, ".2", "ValueError"],
    [1, "s", "ValueError"],
    [1, "+c", "ValueError"],
    [-1, "c", "OverflowError"],
    [2n ** 1024n, "f", "OverflowError"],
    [10n ** 5000n, "d", "ValueError"],
    [1, ",_", "ValueError"],
    [1, ",x", "ValueError"],
    [float(1), "x", "ValueError"],
    [float(1), ".", "ValueError"],
    [null, "5", "TypeError"],
    [new List([]), "5", "TypeError"],
    [1, "99999999999999999999", "ValueError"],
    [1, "9999999999", "Limit"],
    [float(1), ".999999999f", "Limit"],
    [float(1), ".9999999999", "ValueError"],
  ])("%s with %j is an error of its class", (value, text, error) => {
    expect(errorOf(() => spec(value, text))).toBe(error);
  });
});

describe("percentFormat", () => {
  it("puts arguments where the fields are", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string())), fc.string(), (pairs, end) => {
        const text = [...pairs.map(([before]) => `${before.replaceAll("%", "%%")}%s`), end.replaceAll("%", "%%")].join(
          "",
        );
        const expected = [...pairs.map(([before, value]) => before + value), end].join("");
        expect(percent(text, new Tuple(pairs.map(([, value]) => value)))).toBe(expected);
        expect(errorOf(() => percent(text, new Tuple([...pairs.map(([, value]) => value), 1])))).toBe("TypeError");
        if (pairs.length > 0) expect(errorOf(() => percent(text, new Tuple([])))).toBe("TypeError");
      }),
    );
  });

  it("keeps the sources of format and arguments", () => {
    const source = new Source("messages", null, null, false).child(0);
    const argument = new Tuple([new Traced("abc", source.child("role")), new Traced(7, source.child("n"))]);
    const pieces = piecesOf(percentFormat(runtime, new Traced("%5.2s=%03d", source), argument));
    expect(pieces.map((piece) => [piece.text, piece.source?.key])).toEqual([
      ["   ", undefined],
      ["ab", "role"],
      ["=", 0],
      ["007", "n"],
    ]);
  });

  it.each<[text: string, argument: Value, expected: string]>([
    ["%d%%", float(99.9), "99%"],
    ["%-5d|%+d|% d", new Tuple([1, 2, 3]), "1    |+2| 3"],
    ["%#.3x %05d %-05d|", new Tuple([5, -3, 4]), "0x005 -0003 4    |"],
    ["%*.*f", new Tuple([8, 2, float(3.25)]), "    3.25"],
    ["%(a)s-%(b)r", dict({ a: 1, b: "x" }), "1-'x'"],
    ["%(a(b))s", dict({ "a(b)": 1 }), "1"],
    ["%a %c %c", new Tuple(["é😀", 65, "😀"]), "'\\xe9\\U0001f600' A 😀"],
    ["%s", new List([1]), "[1]"],
    ["none", new List([1]), "none"],
    ["%5s|%-5s|%.1s", new Tuple(["😀", "😀", "😀a"]), "    😀|😀    |😀"],
    ["%G %E %F", new Tuple([float(1e-10), 12345, float(Number.POSITIVE_INFINITY)]), "1E-10 1.234500E+04 INF"],
  ])("%j", (text, argument, expected) => {
    expect(percent(text, argument)).toBe(expected);
  });

  it.each<[text: string, argument: Value, error: string]>([
    ["%s %s", "a", "TypeError"],
    ["none", 1, "TypeError"],
    ["%d", "5", "TypeError"],
    ["%x", float(1), "TypeError"],
    ["%f", "1", "TypeError"],
    ["%c", "ab", "TypeError"],
    ["%c", -1, "OverflowError"],
    ["%d", float(Number.NaN), "ValueError"],
    ["%(a)s", new Tuple([1]), "TypeError"],
    ["%(a)s", dict({ b: 1 }), "KeyError"],
    ["%(a)s", new Range(0, 1, 1), "TypeError"],
    ["%(a", dict({}), "ValueError"],
    ["%", 1, "ValueError"],
    ["%y", 1, "ValueError"],
    ["%*d", new Tuple(["x", 1]), "TypeError"],
    ["%d", new Undefined("x is not there"), "UndefinedError"],
    ["%999999999d", 1, "Limit"],
    ["%.999999999d", 1, "Limit"],
  ])("%j is an error of its class", (text, argument, error) => {
    expect(errorOf(() => percent(text, argument))).toBe(error);
  });

  it("escapes what it puts into Markup", () => {
    const argument = new Tuple(["<", new Markup("<"), "'", "5"]);
    expect(percent(new Markup("<b>%s%s%r%d"), argument)).toBe("<b>&lt;<&#34;&#39;&#34;5");
  });
});

describe("strFormat", () => {
  it("gives back texts whose braces are doubled", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."{}ab!:") }), fc.string(), (text, value) => {
        const escaped = text.replaceAll("{", "{{").replaceAll("}", "}}");
        expect(format(escaped, [])).toBe(text);
        expect(format(`${escaped}{}${escaped}{0}`.replace("{0}", "{a}"), [value], { a: value })).toBe(
          text + value + text + value,
        );
      }),
    );
  });

  it.each<[text: string, positional: Value[], named: Record<string, Value>, expected: string]>([
    ["{} {}", [1, "a"], {}, "1 a"],
    ["{1}{0}{1}", ["a", "b"], {}, "bab"],
    ["{a[b]}{a.b}", [], { a: dict({ b: 1 }) }, "11"],
    ["{0[1]}", [new List([1, 2])], {}, "2"],
    ["{!r:>5}|{!a}", ["a", "é"], {}, "  'a'|'\\xe9'"],
    ["{:{}.{}f}", [float(3.25), 8, 2], {}, "    3.25"],
    ["{x}{{}}", [], { x: new Undefined("") }, "{}"],
    ["[{0.__class__}]", [42], {}, "[]"],
  ])("%j", (text, positional, named, expected) => {
    expect(format(text, positional, named)).toBe(expected);
  });

  it.each<[text: string, positional: Value[], error: string]>([
    ["{", [], "ValueError"],
    ["}", [], "ValueError"],
    ["{a", [], "ValueError"],
    ["{0!x}", [1], "ValueError"],
    ["{0!r x}", [1], "ValueError"],
    ["{}{0}", [1], "ValueError"],
    ["{0}{}", [1], "ValueError"],
    ["{0[}", [1], "ValueError"],
    ["{0[a]x}", [dict({ a: 1 })], "ValueError"],
    ["{0.}", [1], "ValueError"],
    ["{:{:{}}}", [1, 2, 3], "ValueError"],
    ["{1}", [1], "IndexError"],
    ["{a}", [1], "KeyError"],
    ["{.a}", [1], "KeyError"],
    ["{0.a.b}", [1], "UndefinedError"],
    ["{99999999999999999999}", [1], "ValueError"],
    ["{:999999999}", [1], "Limit"],
  ])("%j is an error of its class", (text, positional, error) => {
    expect(errorOf(() => format(text, positional))).toBe(error);
  });

  it("keeps sources", () => {
    const source = new Source("messages", null, null, false).child(0);
    const pieces = piecesOf(
      strFormat(runtime, "<{}:{:>3}>", [new Traced("a", source), new Traced(5, source)], new Map()),
    );
    expect(pieces).toEqual([
      { text: "<", source: null },
      { text: "a", source },
      { text: ":", source: null },
      { text: "  5", source },
      { text: ">", source: null },
    ]);
  });
});

describe("numbers from text", () => {
  it.each<[text: string, expected: bigint | "ValueError"]>([
    [" 1_000\n", 1000n],
    ["-٣", -3n],
    ["+0", 0n],
    ["1__0", "ValueError"],
    ["_1", "ValueError"],
    ["1.0", "ValueError"],
    ["", "ValueError"],
    ["9".repeat(4301), "ValueError"],
  ])("reads the integer %j", (text, expected) => {
    if (expected === "ValueError") expect(errorOf(() => toInteger(text))).toBe(expected);
    else expect(BigInt(toInteger(text))).toBe(expected);
  });

  it.each<[text: string, expected: number | "ValueError"]>([
    [" 1_0.5e1_0 ", 10.5e10],
    [".5", 0.5],
    ["5.", 5],
    ["-Infinity", Number.NEGATIVE_INFINITY],
    ["nan", Number.NaN],
    ["1e", "ValueError"],
    [".", "ValueError"],
    ["0x10", "ValueError"],
  ])("reads the float %j", (text, expected) => {
    if (expected === "ValueError") expect(errorOf(() => toFloat(text))).toBe(expected);
    else expect(toFloat(text)).toBe(expected);
  });
});
