import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { displayWidth, excerpt } from "./excerpt.ts";

const printable = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const long = fc.string({ unit: "grapheme-ascii", minLength: 100, maxLength: 4000 });

describe("an excerpt", () => {
  test("has its caret under the place, whatever the length of the line", () => {
    fc.assert(
      fc.property(fc.array(printable), fc.oneof(printable, long), fc.nat(), (above, own, seed) => {
        const column = own.length === 0 ? 0 : seed % own.length;
        const source = [...above, own, "below"].join("\n");
        const [shown, caret] = excerpt(source, { line: above.length + 1, column: column + 1 });
        expect(shown.startsWith(`${above.length + 1} | `)).toBe(true);
        expect(caret).toMatch(/^ *\^$/);
        expect(shown[caret.length - 1]).toBe(own[column]);
        expect(shown.length).toBeLessThan(200);
      }),
    );
  });

  test("never fails, and is two lines of printable text", () => {
    const place = { line: fc.integer({ min: 1, max: 5 }), column: fc.integer({ min: 1, max: 300 }) };
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.record(place), fc.nat({ max: 300 }), (source, at, length) => {
        const lines = excerpt(source, at, length);
        expect(lines).toHaveLength(2);
        expect(lines.join("")).not.toMatch(/[\0-\x1f\x7f]/);
      }),
    );
  });

  test("marks the expression, and counts wide characters, tabs and carriage returns", () => {
    expect(excerpt("a\r\n\t日本 {{ x + 1 }}", { line: 2, column: 8 }, 5)).toEqual([
      "2 |  日本 {{ x + 1 }}",
      "             ^~~~~",
    ]);
    expect(excerpt("{{ x", { line: 1, column: 5 })).toEqual(["1 | {{ x", "        ^"]);
  });

  test("does not cut characters in halves", () => {
    const source = "😀".repeat(300);
    for (let column = 1; column < 600; column += 2) {
      expect(excerpt(source, { line: 1, column })[0]).not.toMatch(
        /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/,
      );
    }
    expect([displayWidth("é"), displayWidth("e\u0301"), displayWidth("😀"), displayWidth("")]).toEqual([1, 1, 2, 0]);
  });
});
