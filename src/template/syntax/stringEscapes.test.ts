import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeEscapes } from "./stringEscapes.ts";

const anyText = fc.string({
  unit: fc
    .integer({ min: 0, max: 0x10ffff })
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code)),
});

describe("decodeEscapes", () => {
  it("gives back what is written with \\U for every character", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = Array.from(text, (char) => `\\U${char.codePointAt(0)!.toString(16).padStart(8, "0")}`).join("");
        expect(decodeEscapes(escaped, 0)).toBe(text);
      }),
    );
  });

  it("keeps what has no backslash", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const plain = text.replaceAll("\\", "");
        expect(decodeEscapes(plain, 0)).toBe(plain);
      }),
    );
  });

  it.each([
    [String.raw`\a\b\f\n\r\t\v\\\'\"`, `\x07\b\f\n\r\t\v\\'"`],
    [String.raw`\x41\u00e9\U0001F600`, "Aé😀"],
    [String.raw`\0\12\1011\777\8`, "\0\nA1\u01ff\\8"],
    [String.raw`\d \q \{`, String.raw`\d \q \{`],
    ["a\\\nb", "ab"],
    ["\\é\\→\\😀", String.raw`\xe9\u2192\U0001f600`],
    ["\\\\é", "\\é"],
  ])("decodes %j", (inside, expected) => {
    expect(decodeEscapes(inside, 0)).toBe(expected);
  });

  it.each([
    [String.raw`ab\x4g`, 12],
    [String.raw`\u12`, 10],
    [String.raw`\U00110000`, 10],
    [String.raw`\N{DASH}`, 10],
  ])("refuses %j", (inside, at) => {
    expect(() => decodeEscapes(inside, 10)).toThrow(expect.objectContaining({ at }));
  });
});
