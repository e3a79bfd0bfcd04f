import fc from "fast-check";
import { expect, test } from "vitest";
import { Utf8Stream } from "./utf8.ts";

const whole = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 24 }),
  fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => new TextEncoder().encode(text)),
  // Bytes around the borders of what is well formed.
  fc
    .array(
      fc.constantFrom(0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff),
      { maxLength: 12 },
    )
    .map((list) => Uint8Array.from(list)),
);

test("any cutting gives the text of all bytes, with the state stored in between", () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(4), { maxLength: 20 }), (all, cuts) => {
      let text = "";
      let pending: readonly number[] = [];
      let at = 0;
      for (const cut of [...cuts, all.length]) {
        const stream = new Utf8Stream(pending);
        text += stream.push(all.subarray(at, at + cut));
        at += cut;
        pending = JSON.parse(JSON.stringify(Array.from(stream.pending))) as number[];
      }
      expect(text + new Utf8Stream(pending).end()).toBe(whole(all));
    }),
    { numRuns: 2000 },
  );
});

test("reports a character as soon as it is whole, and not before", () => {
  const stream = new Utf8Stream();
  expect([0xf0, 0x9f, 0xa4, 0x94].map((byte) => stream.push(Uint8Array.of(byte)))).toEqual(["", "", "", "🤔"]);
  expect(stream.pending).toHaveLength(0);
});
