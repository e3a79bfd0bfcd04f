import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../json/index.ts";
import { isPythonSpace, pythonLstrip, pythonRepr, pythonRstrip, pythonStr, pythonStrip } from "./index.ts";

describe("pythonRepr", () => {
  // As recorded from CPython: repr(json.loads(text)).
  it.each([
    ["true", "True"],
    ["null", "None"],
    ["1e400", "inf"],
    ["NaN", "nan"],
    ["-0", "0"],
    ["1e-7", "1e-07"],
    ['{"a": [1.0, false], "b": {}}', "{'a': [1.0, False], 'b': {}}"],
    ['"it\'s"', '"it\'s"'],
    ['"say \\"hi\\""', "'say \"hi\"'"],
    ['"it\'s \\"x\\""', "'it\\'s \"x\"'"],
    ['"\\\\ \\n \\r \\t \\f \\u0000 \\u007f"', "'\\\\ \\n \\r \\t \\x0c \\x00 \\x7f'"],
    [
      '"\\u00a0 \\u00ad é \\u200b \\u2028 \\ufeff \\ud800 \\ue000"',
      "'\\xa0 \\xad é \\u200b \\u2028 \\ufeff \\ud800 \\ue000'",
    ],
    ['"😀 北 \\udb40\\udc01"', "'😀 北 \\U000e0001'"],
  ])("%s → %s", (text, expected) => {
    expect(pythonRepr(parseJson(text))).toBe(expected);
  });

  it("is str() except for strings themselves", () => {
    expect(pythonStr("it's")).toBe("it's");
    expect(pythonStr(["it's", null])).toBe('["it\'s", None]');
  });
});

describe("pythonStrip", () => {
  it("knows Python's white space", () => {
    const spaces = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000";
    expect(pythonStrip(`${spaces}x${spaces}`)).toBe("x");
    let count = 0;
    for (let unit = 0; unit < 0x10000; unit++) if (isPythonSpace(unit)) count++;
    expect(count).toBe(29);
    expect(pythonStrip("\ufeff\u200bx\u180e")).toBe("\ufeff\u200bx\u180e");
  });

  it("strips code points, not units", () => {
    expect(pythonStrip("😀a😀", "😀")).toBe("a");
    expect(pythonRstrip("a😀", "\ude00")).toBe("a😀");
    expect(pythonLstrip("xxyx", "x")).toBe("yx");
    expect(pythonRstrip("xxyx", "x")).toBe("xxy");
  });

  it("is lstrip after rstrip, and strips nothing twice", () => {
    const text = fc.string({ unit: fc.constantFrom(" ", "\n", "\x1c", "\ufeff", "a", "😀") });
    fc.assert(
      fc.property(text, fc.option(fc.constantFrom("a ", "😀", "")), (value, chars) => {
        const stripped = pythonStrip(value, chars ?? undefined);
        expect(stripped).toBe(pythonLstrip(pythonRstrip(value, chars ?? undefined), chars ?? undefined));
        expect(pythonStrip(stripped, chars ?? undefined)).toBe(stripped);
      }),
    );
  });
});
