import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonInput, JsonNumber, parseJson } from "../messages/index.ts";
import { serdeJson } from "./serdeJson.ts";

describe("serdeJson", () => {
  test("reads back as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(JSON.parse(serdeJson(value as JsonInput)))).toBe(JSON.stringify(value));
      }),
    );
  });

  test.each([
    ["1.0", "1.0"],
    ["-0", "0"],
    ["-0.0", "-0.0"],
    ["1e16", "1e16"],
    ["1e15", "1000000000000000.0"],
    ["1E+22", "1e22"],
    ["0.00001", "0.00001"],
    ["1e-6", "1e-6"],
    ["18446744073709551615", "18446744073709551615"],
    ["18446744073709551616", "1.8446744073709552e19"],
    ["-9223372036854775808", "-9223372036854775808"],
    ["-9223372036854775809", "-9.223372036854776e18"],
  ])("%s is %s", (text, expected) => {
    expect(serdeJson(new JsonNumber(text))).toBe(expected);
  });

  test("keeps keys in order and escapes as JSON does", () => {
    expect(serdeJson(parseJson('{"b": [1, "é\\n\\u0001\\u007f\\"/"], "10": {}, "a": null}'))).toBe(
      '{"b":[1,"é\\n\\u0001\u007f\\"/"],"10":{},"a":null}',
    );
  });

  test("refuses what is no number", () => {
    expect(() => serdeJson([Number.NaN])).toThrow(/NaN/);
  });
});
