import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorOf, templateRuntime } from "../../../test/support/templateRuntime.ts";
import { Dict, DictView, List, Range, Tuple } from "../values/containers.ts";
import { native } from "../values/native.ts";
import { Float, Markup, Traced } from "../values/scalars.ts";
import { Source } from "../values/source.ts";
import { isText, piecesOf, textOf } from "../values/text.ts";
import type { Value } from "../values/types.ts";
import { dataAttribute, hasMethod, isMutating, method } from "./index.ts";

const runtime = templateRuntime({ mutable: true });

function call(self: Value, name: string, ...args: Value[]): Value {
  return method(self, name)!.call(runtime, { positional: [self, ...args], named: null });
}

function named(self: Value, name: string, args: Record<string, Value>): Value {
  return method(self, name)!.call(runtime, { positional: [self], named: new Map(Object.entries(args)) });
}

function dict(fields: Record<string, Value>): Dict {
  const made = new Dict();
  for (const [key, value] of Object.entries(fields)) made.set(key, value);
  return made;
}

describe("methods of list and tuple", () => {
  it("sort stably in Python's order", () => {
    const items = fc.array(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.nat()));
    const first = native("first", ["pair"], (_runtime, pair) => (pair as Tuple).items[0]!);
    fc.assert(
      fc.property(items, fc.boolean(), (pairs, reverse) => {
        const list = new List(pairs.map((pair) => new Tuple(pair)));
        expect(named(list, "sort", { key: first, reverse })).toBe(null);
        const sign = reverse ? -1 : 1;
        const expected = [...pairs].sort((a, b) => sign * (a[0] - b[0]));
        expect(list.items.map((item) => (item as Tuple).items)).toEqual(expected);
      }),
    );
    const texts = new List(["\uffff", "😀", "b", "B"]);
    call(texts, "sort");
    expect(texts.items).toEqual(["B", "b", "\uffff", "😀"]);
    expect(errorOf(() => call(new List([1, "a"]), "sort"))).toBe("TypeError");
  });

  it("find items by equality", () => {
    const list = new List([1, "a", new Float(2), true, new List([1])]);
    expect(call(list, "index", 2)).toBe(2);
    expect(call(list, "count", 1)).toBe(2);
    expect(call(list, "index", new List([1]))).toBe(4);
    expect(call(list, "index", 1, 1)).toBe(3);
    expect(errorOf(() => call(list, "index", "a", 2))).toBe("ValueError");
    expect(call(new Tuple([1, 2, 1]), "index", 1, -1)).toBe(2);
  });

  it("change a list as Python does", () => {
    const list = new List([1, 2]);
    call(list, "append", 3);
    call(list, "extend", list);
    call(list, "insert", -100, 0);
    call(list, "remove", 2);
    expect(list.items).toEqual([0, 1, 3, 1, 2, 3]);
    expect(call(list, "pop")).toBe(3);
    expect(call(list, "pop", 0)).toBe(0);
    call(list, "reverse");
    expect(list.items).toEqual([2, 1, 3, 1]);
    const copy = call(list, "copy") as List;
    call(list, "clear");
    expect([list.items, copy.items]).toEqual([[], [2, 1, 3, 1]]);
    expect(errorOf(() => call(list, "pop"))).toBe("IndexError");
    expect(errorOf(() => call(list, "remove", 1))).toBe("ValueError");
  });
});

describe("methods of dict", () => {
  it("tell a value that is None from one that is missing", () => {
    const self = dict({ content: null });
    expect(call(self, "get", "content", "other")).toBe(null);
    expect(call(self, "get", "role", "other")).toBe("other");
    expect(call(self, "get", "role")).toBe(null);
    expect(call(self, "setdefault", "content", 1)).toBe(null);
    expect(call(self, "pop", "content", 1)).toBe(null);
    expect(call(self, "pop", "content", 1)).toBe(1);
    expect(errorOf(() => call(self, "pop", "content"))).toBe("KeyError");
  });

  it("give live views in order", () => {
    const self = dict({ b: 1, a: 2 });
    const keys = call(self, "keys") as DictView;
    call(self, "update", new List([new Tuple(["c", 3]), "xy"]));
    expect(keys).toBeInstanceOf(DictView);
    expect(keys.dict.keys()).toEqual(["b", "a", "c", "x"]);
    expect(call(keys, "isdisjoint", new List(["q"]))).toBe(true);
    expect(call(keys, "isdisjoint", "xq")).toBe(false);
    expect(method(call(self, "values"), "isdisjoint")).toBe(undefined);
  });

  it("update, copy and take apart", () => {
    const self = dict({ a: 1 });
    named(self, "update", { b: 2 });
    const copy = call(self, "copy") as Dict;
    expect((call(self, "popitem") as Tuple).items).toEqual(["b", 2]);
    expect([self.size, copy.size]).toEqual([1, 2]);
    expect((call(self, "fromkeys", "ab", 0) as Dict).values()).toEqual([0, 0]);
    call(self, "clear");
    expect(errorOf(() => call(self, "popitem"))).toBe("KeyError");
    expect(errorOf(() => call(self, "update", new List(["abc"])))).toBe("ValueError");
    expect(errorOf(() => call(self, "update", new List([1])))).toBe("TypeError");
    expect(errorOf(() => call(self, "get", new List([])))).toBe("TypeError");
  });

  it("copy keys with their sources", () => {
    const source = new Source("tools", null, null, false);
    const self = new Dict((put) => put("name", 1), source);
    const [key] = (call(self, "copy") as Dict).keys();
    expect(key).toBeInstanceOf(Traced);
    expect((key as Traced).source?.isKey).toBe(true);
  });
});

describe("what a sandbox hides", () => {
  it("is what changes its object, and nothing else", () => {
    const names = (self: Value, all: string[]) => all.filter((name) => hasMethod(self, name) && isMutating(self, name));
    const all = ["append", "clear", "copy", "count", "extend", "get", "index", "insert", "items", "keys", "pop"];
    const more = ["popitem", "remove", "reverse", "setdefault", "sort", "update", "values", "fromkeys"];
    expect(names(new List([]), [...all, ...more])).toEqual(
      "append clear extend insert pop remove reverse sort".split(" "),
    );
    expect(names(new Dict(), [...all, ...more])).toEqual("clear pop popitem setdefault update".split(" "));
    expect(names(new Tuple([]), [...all, ...more])).toEqual([]);
  });

  it("reaches no prototype", () => {
    for (const self of ["", 1, new List([]), new Dict(), new Float(1), new Markup(""), true]) {
      for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "length"]) {
        expect(method(self, name)).toBe(undefined);
        expect(dataAttribute(self, name)).toBe(undefined);
      }
    }
  });
});

describe("methods and attributes of numbers and ranges", () => {
  it("give the exact ratio of a float", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const [top, bottom] = (call(new Float(value), "as_integer_ratio") as Tuple).items as (number | bigint)[];
        expect(BigInt(bottom!) > 0n).toBe(true);
        const shift = BigInt(bottom!).toString(2).length - 1;
        const power = (x: number): number => (x > 1000 ? 2 ** 1000 * power(x - 1000) : 2 ** x);
        if (shift < 1000) expect(Number(top!) / power(shift)).toBe(value + 0);
      }),
    );
    expect(errorOf(() => call(new Float(Number.NaN), "as_integer_ratio"))).toBe("ValueError");
    expect(errorOf(() => call(new Float(Number.POSITIVE_INFINITY), "as_integer_ratio"))).toBe("OverflowError");
  });

  it.each<[self: Value, name: string, args: Value[], expected: Value]>([
    [new Float(1.5), "hex", [], "0x1.8000000000000p+0"],
    [new Float(5e-324), "hex", [], "0x0.0000000000001p-1022"],
    [new Float(-0), "hex", [], "-0x0.0p+0"],
    [new Float(2), "is_integer", [], true],
    [255, "bit_length", [], 8],
    [-256n, "bit_count", [], 1],
    [true, "conjugate", [], 1],
    [new Range(0, 10, 3), "index", [6], 2],
    [new Range(0, 10, 3), "count", [new Float(3)], 1],
  ])("%s.%s", (self, name, args, expected) => {
    expect(call(self, name, ...args)).toEqual(expected);
  });

  it("have real, imag, numerator, denominator, start, stop and step", () => {
    expect(["real", "imag", "numerator", "denominator"].map((name) => dataAttribute(true, name))).toEqual([1, 0, 1, 1]);
    expect(dataAttribute(new Float(1.5), "imag")).toEqual(new Float(0));
    expect(["start", "stop", "step"].map((name) => dataAttribute(new Range(1, 5, 2), name))).toEqual([1, 5, 2]);
  });
});

describe("methods of Markup", () => {
  const markup = (value: Value): string => {
    expect(value).toBeInstanceOf(Markup);
    return textOf(value as Markup);
  };

  it("escape what they put in, and only that", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."<>&'\"ax ") }), (put) => {
        const escaped = put
          .replaceAll("&", "&amp;")
          .replaceAll("<", "&lt;")
          .replaceAll(">", "&gt;")
          .replaceAll("'", "&#39;")
          .replaceAll('"', "&#34;");
        const self = new Markup("<b>");
        expect(markup(call(self, "replace", "b", put))).toBe(`<${escaped}>`);
        expect(markup(call(self, "join", new List([put, self])))).toBe(`${escaped}<b><b>`);
        expect(markup(call(new Markup("<{}>"), "format", put))).toBe(`<${escaped}>`);
        expect(markup(call(new Markup("<{}>"), "format", new Markup(put)))).toBe(`<${put}>`);
        expect(markup(call(self, "escape", put))).toBe(escaped);
        expect(call(new Markup(escaped), "unescape")).toBe(put);
      }),
    );
  });

  it("give Markup, in lists and tuples too", () => {
    expect((call(new Markup("a b"), "split") as List).items.map(markup)).toEqual(["a", "b"]);
    expect((call(new Markup("a=b"), "partition", "=") as Tuple).items.map(markup)).toEqual(["a", "=", "b"]);
    expect(markup(call(new Markup("<b>"), "upper"))).toBe("<B>");
    expect(call(new Markup("<b>"), "find", "b")).toBe(1);
    expect(errorOf(() => call(new Markup("a"), "ljust", 5, "<"))).toBe("TypeError");
  });

  // As recorded from markupsafe.
  it.each([
    ["<p>Main &raquo;\t<em>About</em></p>", "Main » About"],
    ["a <!-- <b> --> c", "a c"],
    ["a < b", "a < b"],
    ["x &notit; &#128; &#x1F600; &#0; &unknown;", "x ¬it; € 😀 \ufffd &unknown;"],
  ])("strip tags of %j", (text, expected) => {
    expect(call(new Markup(text), "striptags")).toBe(expected);
  });

  it("keep sources", () => {
    const source = new Source("messages", null, null, false).child(0);
    const value = call(new Markup(new Traced("<i>", source)), "replace", "i", new Traced("a&b", source.child("name")));
    expect(isText(value) && piecesOf(value)).toEqual([
      { text: "<", source },
      { text: "a&amp;b", source: expect.objectContaining({ key: "name" }) },
      { text: ">", source },
    ]);
  });
});
