import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonNumber, TitoError } from "../../src/index.ts";
import { decodeClone, encodeClone } from "../../src/pool/exactClone.ts";
import { decodeError, encodeError } from "../../src/pool/wireError.ts";

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, undefined, true, -0, Number.NaN, 2n ** 70n),
    fc.double(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("1.0", "-0", "1e400", "NaN").map((one) => new JsonNumber(one)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(fc.string(), tie("value")), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const cross = (given: unknown): unknown => {
  const encoded = encodeClone(given);
  return encoded && decodeClone(structuredClone(encoded));
};

describe("a value that crosses", () => {
  it("is the same value: classes, order of keys, numbers' text", () =>
    fc.assert(
      fc.property(value, (given) => {
        const before = structuredClone(encodeClone(given));
        const after = cross(given);
        expect(after).toStrictEqual(given);
        expect(keysOf(after)).toEqual(keysOf(given));
        expect(structuredClone(encodeClone(given))).toEqual(before);
      }),
    ));

  it("takes with it no more of a buffer than it shows", () => {
    const all = new Int32Array(1000).fill(7);
    const encoded = encodeClone({ ids: all.subarray(10, 12) });
    expect(encoded).toMatchObject({ value: { ids: { buffer: { byteLength: 8 } } } });
    expect(cross(new Int32Array(new SharedArrayBuffer(8)))).toEqual(new Int32Array(2));
  });

  it.each([
    ["a function", { run: () => 1 }],
    ["a symbol", [Symbol("x")]],
    ["a date", new Date(0)],
    ["an instance", new (class Point {})()],
    ["a boxed string", [Object("1.0")]],
    ["a map with other keys", new Map([[1, 2]])],
    ["a buffer of Node's own class", Buffer.from("x")],
  ])("is not %s", (_, given) => expect(encodeClone(given)).toBeNull());

  it("is not a cycle", () => {
    const cycle: unknown[] = [];
    cycle.push({ cycle });
    expect(encodeClone(cycle)).toBeNull();
  });
});

describe("an error that crosses", () => {
  const crossError = (error: unknown): Error => decodeError(structuredClone(encodeError(error)));

  it("keeps what it was, its causes included", () => {
    const cause = new TitoError("invalid_json", "inner", { details: { n: new JsonNumber("1.0") }, cause: { at: 3 } });
    const error = crossError(new TitoError("unknown_role", "outer", { details: { message: 2 }, cause }));
    expect(error).toBeInstanceOf(TitoError);
    expect(error).toMatchObject({ code: "unknown_role", message: "outer", details: { message: 2 } });
    expect(error.cause).toBeInstanceOf(TitoError);
    expect(error.cause).toMatchObject({
      code: "invalid_json",
      details: { n: new JsonNumber("1.0") },
      cause: { at: 3 },
    });
    expect(crossError(new TypeError("wrong"))).toMatchObject({ name: "TypeError", message: "wrong" });
  });

  it("names by text what cannot cross, and ends where causes go round", () => {
    const error = new TitoError("invalid_json", "x", { details: { ok: 1, run: () => 1 } });
    expect(crossError(error)).toMatchObject({ details: { ok: 1, run: "() => 1" } });
    const round = new Error("round");
    round.cause = round;
    expect(crossError(round).message).toBe("round");
    expect(crossError("thrown text").message).toBe("thrown text");
  });
});

function keysOf(given: unknown): unknown {
  if (typeof given !== "object" || given === null || given instanceof JsonNumber) return null;
  const entries: [unknown, unknown][] = given instanceof Map ? [...given] : Object.entries(given);
  return entries.map(([key, field]) => [key, keysOf(field)]);
}
