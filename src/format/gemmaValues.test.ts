import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalJson, type JsonInput, JsonNumber, parseJson } from "../messages/index.ts";
import type { CallText } from "../parse/index.ts";
import { awkwardStrings, texts } from "../testing/index.ts";
import { endsInGemmaString, fieldPieces, gemmaCallBody, type ValuePiece, type ValueStyle } from "./gemmaValues.ts";

const QUOTE = 7;
const read = gemmaCallBody(QUOTE);

/** A call's text from its pieces; null is the token around strings. */
function fromPieces(pieces: readonly ValuePiece[]): CallText {
  const atoms = [];
  let text = "";
  for (const piece of pieces) {
    if (piece === null) atoms.push({ id: QUOTE, start: text.length, end: text.length + 5 });
    text += piece ?? '<|"|>';
  }
  return { text, atoms };
}

/** The same where each `▸` is the token. */
const callText = (text: string): CallText =>
  fromPieces(text.split(/(▸)/).map((piece) => (piece === "▸" ? null : piece)));

const written = (fields: Readonly<Record<string, JsonInput>>, style: ValueStyle): CallText =>
  fromPieces(["call:f", ...fieldPieces(Object.entries(fields), style)]);

const strings = fc.oneof(fc.constantFrom(...awkwardStrings, '<|"|>', "a}", ",b:1", "]"), texts());
const numbers = fc.oneof(
  fc.integer(),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom("1.0", "1.50", "1e5", "-0.0", "12345678901234567890.0").map((text) => new JsonNumber(text)),
);

function objects(keys: fc.Arbitrary<string>): fc.Arbitrary<Record<string, JsonInput>> {
  const { object } = fc.letrec<{ value: JsonInput; object: Record<string, JsonInput> }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, false),
      strings,
      numbers,
      fc.array(tie("value"), { maxLength: 3 }),
      tie("object"),
    ),
    object: fc.dictionary(keys, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  }));
  return object;
}

describe("values", () => {
  test("read back as they were written", () => {
    const plain = fc.constantFrom("a", "B", "key with space", "10", "ü", "x<|y");
    fc.assert(
      fc.property(objects(plain), fc.constantFrom<ValueStyle>("bare", "quoted", "exact"), (fields, style) => {
        const { status, argumentsText } = read(written(fields, style), null);
        expect(status).toBe("ok");
        expect(equalJson(fields, parseJson(argumentsText ?? ""))).toBe(true);
      }),
    );
  });

  test("exactly written keys may be any text, in any order, and numbers keep theirs", () => {
    fc.assert(
      fc.property(objects(strings), (fields) => {
        const call = written(fields, "exact");
        const { status, argumentsText } = read(call, null);
        expect(status).toBe("ok");
        const again = [...(parseJson(argumentsText ?? "") as ReadonlyMap<string, JsonInput>)];
        expect(fromPieces(["call:f", ...fieldPieces(again, "exact")])).toEqual(call);
      }),
    );
  });

  test("are sorted without regard to case", () => {
    expect(written({ b: 1, B: 2, a: 3, C: { z: 1, Y: null } }, "bare").text).toBe("call:f{a:3,b:1,B:2,C:{Y:null,z:1}}");
  });

  test("no text makes reading throw", () => {
    const piece = fc.constantFrom(
      "call:",
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      "▸",
      "f",
      " ",
      "1",
      "true",
      '"',
      "9".repeat(5000),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (parts, isCall) => {
        const call = callText(`${isCall ? "call:f{a:" : ""}${parts.join("")}`);
        expect(read(call, null).status).toMatch(/^(ok|invalid_json|missing_name|malformed_structure)$/);
        expect(typeof endsInGemmaString(call, QUOTE)).toBe("boolean");
      }),
    );
  });

  test("nesting has a limit", () => {
    const nested = (depth: number) => read(callText(`call:f{a:${"[".repeat(depth)}${"]".repeat(depth)}}`), null).status;
    expect(nested(999)).toBe("ok");
    expect(nested(1000)).toBe("invalid_json");
    expect(nested(100_000)).toBe("invalid_json");
  });
});

describe("reading", () => {
  test.each([
    ["call:f{}", {}],
    [" call: f {a:▸x▸ , b : [ 1 , ▸y▸ ] }\n", { a: "x", b: [1, "y"] }],
    ["call:f{▸a:b▸:1,▸▸:2}", { "a:b": 1, "": 2 }],
    ["call:f{a:None,b:nan,c:-inf}", { a: null, b: Number.NaN, c: Number.NEGATIVE_INFINITY }],
    ["call:f{a:Paris,b:▸x▸}", { a: "Paris", b: "x" }],
    ['call:f{a:"quoted"}', { a: "quoted" }],
    ["call:f{a:constructor,__proto__:1}", JSON.parse('{"a":"constructor","__proto__":1}')],
    // A quote counts where the rest can follow it.
    ["call:f{a:▸say ▸hi▸ now▸,b:1}", { a: 'say <|"|>hi<|"|> now', b: 1 }],
    ["call:f{a:▸x▸} y▸}", { a: 'x<|"|>} y' }],
    ["call:f{a:[▸x▸]y▸]}", { a: ['x<|"|>]y'] }],
    ["call:f{a:▸x▸, y▸}", { a: 'x<|"|>, y' }],
  ])("%s", (text, expected) => {
    expect(read(callText(text), null)).toMatchObject({ name: "f", status: "ok", arguments: expected });
  });

  test.each([
    ["f{}", "malformed_structure", null],
    ["call:f", "malformed_structure", null],
    ["call:f{a:1", "malformed_structure", null],
    ["call:f{} x", "malformed_structure", null],
    ["call:f{a:1}x}", "invalid_json", "f"],
    ["call:f{a}", "invalid_json", "f"],
    ["call:f{a:}", "invalid_json", "f"],
    ["call:f{a:▸x}", "invalid_json", "f"],
    ["call:f{a:1,}", "invalid_json", "f"],
    ["call:f{a:[1,]}", "invalid_json", "f"],
    ["call:{a:1}", "missing_name", null],
  ])("%s is %s", (text, status, name) => {
    expect(read(callText(text), null)).toMatchObject({ status, name });
  });

  test("the text in other tokens is no quote", () => {
    expect(read({ text: 'call:f{a:<|"|>x<|"|>}', atoms: [] }, null).arguments).toEqual({ a: '<|"|>x<|"|>' });
    expect(endsInGemmaString({ text: 'call:f{a:<|"|>x', atoms: [] }, QUOTE)).toBe(false);
    expect(endsInGemmaString(callText("call:f{a:▸x"), QUOTE)).toBe(true);
    expect(endsInGemmaString(callText("call:f{a:▸x▸"), QUOTE)).toBe(true);
    expect(endsInGemmaString(callText("call:f{a:▸x▸}"), QUOTE)).toBe(false);
  });
});
