import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TitoError } from "../../errors.ts";
import { type JsonObject, type JsonValue, parseJson, pythonJson, tryParseJson } from "./index.ts";
import { JsonNumber } from "./types.ts";

const numberText = fc.oneof(
  fc.bigInt().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("-0", "0.0", "1.0", "1E5", "1e-7", "1e400", "12345678901234567890", "NaN", "-Infinity"),
);

/** A value, and its text with nothing between the tokens. */
const valueAndText: fc.Arbitrary<readonly [JsonValue, string]> = fc.letrec<{ node: readonly [JsonValue, string] }>(
  (tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<readonly [JsonValue, string]>([null, "null"], [true, "true"], [false, "false"]),
      numberText.map((text) => [new JsonNumber(text), text] as const),
      fc.string({ unit: "binary" }).map((text) => [text, JSON.stringify(text)] as const),
      fc.array(tie("node"), { maxLength: 4 }).map((items) => {
        return [items.map(([value]) => value), `[${items.map(([, text]) => text).join(",")}]`] as const;
      }),
      fc
        .uniqueArray(fc.tuple(fc.oneof(fc.string(), fc.nat().map(String), fc.constant("__proto__")), tie("node")), {
          maxLength: 4,
          selector: ([key]) => key,
        })
        .map((fields) => {
          const text = fields.map(([key, [, field]]) => `${JSON.stringify(key)}:${field}`).join(",");
          return [new Map(fields.map(([key, [value]]) => [key, value])), `{${text}}`] as const;
        }),
    ),
  }),
).node;

function shape(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return { number: value.text };
  if (value instanceof Map) return { fields: [...value].map(([key, field]) => [key, shape(field)]) };
  return Array.isArray(value) ? value.map(shape) : value;
}

describe("parseJson", () => {
  it("keeps number text and the order of keys", () => {
    fc.assert(
      fc.property(valueAndText, ([value, text]) => {
        expect(shape(parseJson(text))).toEqual(shape(value));
      }),
    );
  });

  it("accepts what it printed, and printing again changes nothing", () => {
    fc.assert(
      fc.property(valueAndText, fc.constantFrom(undefined, 1, "\t"), ([value], indent) => {
        const printed = pythonJson(value, { indent: indent ?? null });
        expect(pythonJson(parseJson(printed), { indent: indent ?? null })).toBe(printed);
      }),
    );
  });

  it("agrees with JSON.parse on what is JSON, whatever the text", () => {
    const soup = fc.array(fc.constantFrom(...'{}[]:,"\\u0aE+-.19tfn \n\t', "null", "true", '"a"', "1.5"), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(soup, (pieces) => {
        const text = pieces.join("");
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(tryParseJson(text, { allowNaN: false }).ok).toBe(valid);
      }),
      { numRuns: 3000 },
    );
  });

  it("says `truncated` exactly where more text could help", () => {
    fc.assert(
      fc.property(valueAndText, fc.nat(), ([, text], at) => {
        const result = tryParseJson(text.slice(0, at % text.length));
        if (!result.ok) expect(result.reason).toBe("truncated");
      }),
    );
    expect(tryParseJson("-Inf")).toMatchObject({ ok: false, reason: "truncated" });
    expect(tryParseJson('{"a" 1')).toMatchObject({ ok: false, reason: "malformed", position: 5 });
    expect(tryParseJson("nul1")).toMatchObject({ ok: false, reason: "malformed", position: 0 });
  });

  it("gives a repeated key its last value, at its first place", () => {
    expect([...(parseJson('{"a": 1, "b": 2, "a": 3}') as JsonObject)]).toEqual([
      ["a", new JsonNumber("3")],
      ["b", new JsonNumber("2")],
    ]);
  });

  it.each([
    ['"a\nb"', "a raw control character"],
    ['"a\u001f"', "the last control character"],
    ["[1,]", "a trailing comma"],
    ["01", "a leading zero"],
    ["1.", "a point without digits"],
    ["+1", "a plus sign"],
    ["\ufeff1", "a byte order mark"],
    ["\u00a01", "white space that is not JSON's"],
    ["{'a': 1}", "single quotes"],
    ['"\\x41"', "an unknown escape"],
    ["-NaN", "a negative NaN"],
  ])("refuses %j: %s", (text) => {
    expect(tryParseJson(text).ok).toBe(false);
  });

  it("reads Python's constants unless told not to", () => {
    for (const text of ["NaN", "Infinity", "-Infinity"]) {
      expect(parseJson(text)).toEqual(new JsonNumber(text));
      expect(tryParseJson(text, { allowNaN: false }).ok).toBe(false);
    }
  });

  it("keeps lone surrogates and joins escaped pairs", () => {
    expect(parseJson('"\\ud83d\\ude00 \\ud800"')).toBe("😀 \ud800");
  });

  it("has Python's limits, and ends in an error beyond them", () => {
    expect(tryParseJson("[".repeat(1000) + "]".repeat(1000)).ok).toBe(true);
    expect(tryParseJson("[".repeat(1001) + "]".repeat(1001))).toMatchObject({ ok: false, reason: "too_deep" });
    expect(tryParseJson(`[${"[],{},".repeat(1001)}[]]`).ok).toBe(true);
    expect(tryParseJson('{"a":'.repeat(1_000_000))).toMatchObject({ ok: false, reason: "too_deep" });
    expect(tryParseJson("9".repeat(4300)).ok).toBe(true);
    expect(tryParseJson(`-${"9".repeat(4301)}`)).toMatchObject({ ok: false, reason: "number_too_long" });
    expect(tryParseJson(`${"9".repeat(4301)}.0`).ok).toBe(true);
  });

  it("throws with position, line and column", () => {
    const error = (() => {
      try {
        return parseJson('{\n  "a": 1,\n  b: 2}');
      } catch (thrown) {
        return thrown as TitoError;
      }
    })();
    expect(error).toBeInstanceOf(TitoError);
    expect(error).toMatchObject({ code: "invalid_json", details: { position: 14, line: 3, column: 3 } });
    expect((error as TitoError).message).toContain('line 3, column 3: expected a key in double quotes, found "b"');
  });
});
