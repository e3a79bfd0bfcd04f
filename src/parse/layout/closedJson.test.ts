import fc from "fast-check";
import { expect, test } from "vitest";
import { pythonJson } from "../../messages/index.ts";
import { closedJson } from "./closedJson.ts";

/** Half a character is printed as an escape. */
const LONE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

test("wherever JSON breaks off, what is closed is JSON, and no character is halved", () => {
  const text = fc.string({ unit: "grapheme" });
  const objects = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text)));
  fc.assert(
    fc.property(objects, fc.boolean(), fc.nat(), (value, ensureAscii, cut) => {
      const whole = pythonJson(new Map(Object.entries(value)), { ensureAscii });
      const closed = closedJson(whole.slice(0, 1 + (cut % whole.length)));
      expect(() => JSON.parse(closed)).not.toThrow();
      if (ensureAscii) expect(JSON.stringify(JSON.parse(closed))).not.toMatch(LONE);
    }),
    { numRuns: 500 },
  );
  expect(closedJson('{"a": "x\\u65e5\\u67')).toBe('{"a": "x\\u65e5"}');
  expect(closedJson('{"a": "\\ud83d')).toBe('{"a": ""}');
  expect(closedJson('{"a": "\\\\')).toBe('{"a": "\\\\"}');
});
