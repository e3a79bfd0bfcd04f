import fc from "fast-check";
import {
  alternatives,
  anyCharacter,
  type CodePointRange,
  type Gbnf,
  type GbnfExpression,
  literal,
  noneOf,
  oneOf,
  reference,
  repeat,
  sequence,
} from "../../src/gbnf/index.ts";

/** Few characters, so that random texts match now and then: a letter, a sign of GBNF's own, and longer ones in UTF-8. */
export const letters = ["a", "b", "]", "é", "😀"] as const;

const letter = fc.constantFrom(...letters);
const ranges = fc.array(
  fc.tuple(letter, letter).map(([a, b]): CodePointRange => {
    const [x, y] = [a.codePointAt(0)!, b.codePointAt(0)!];
    return [Math.min(x, y), Math.max(x, y)];
  }),
  { minLength: 1, maxLength: 2 },
);

function expression(names: readonly string[]): fc.Arbitrary<GbnfExpression> {
  return fc.letrec<{ any: GbnfExpression }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.array(letter, { maxLength: 3 }).map((list) => literal(list.join(""))),
      ranges.map(oneOf),
      ranges.map(noneOf),
      fc.constant(anyCharacter()),
      ...(names.length === 0 ? [] : [fc.constantFrom(...names).map(reference)]),
      fc.array(tie("any"), { maxLength: 3 }).map((items) => sequence(...items)),
      fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((options) => alternatives(...options)),
      fc
        .tuple(tie("any"), fc.nat(2), fc.option(fc.nat(2)))
        .map(([item, min, more]) => repeat(item, { min, max: more === null ? null : min + more })),
    ),
  })).any;
}

const names = ["root", "one", "two", "three"];

/** Rules that name later ones, and earlier ones behind a character: so none starts with itself. */
const rules: fc.Arbitrary<Gbnf> = fc
  .tuple(
    ...names.map((_, index) =>
      fc.tuple(expression(names.slice(index + 1)), fc.option(fc.tuple(letter, fc.constantFrom(...names)))),
    ),
  )
  .map((bodies) => ({
    kind: "gbnf",
    rules: bodies.map(([body, again], index) => ({
      kind: "rule",
      name: names[index],
      body: again === null ? body : alternatives(body, sequence(literal(again[0]), reference(again[1]))),
    })),
  }));

/** Whether llama.cpp would take a repetition for left recursion is not what most tests are about. */
export const grammars = (check: (gbnf: Gbnf) => void): fc.Arbitrary<Gbnf> =>
  rules.filter((gbnf) => {
    try {
      check(gbnf);
      return true;
    } catch {
      return false;
    }
  });

export const texts = fc.array(letter, { maxLength: 8 }).map((list) => list.join(""));

/** From a fast-check seed, numbers for `sampleGbnf`. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
}

/** Where each way to read an expression ends: the definition of matching, with nothing clever in it. */
export function naiveMatches(gbnf: Gbnf, text: string): boolean {
  const characters = Array.from(text);
  const bodies = new Map(gbnf.rules.map(({ name, body }) => [name, body]));
  const known = new Map<GbnfExpression, Map<number, ReadonlySet<number>>>();

  const ends = (one: GbnfExpression, at: number): ReadonlySet<number> => {
    const found = known.get(one)?.get(at);
    if (found !== undefined) return found;
    const result = read(one, at);
    known.set(one, (known.get(one) ?? new Map()).set(at, result));
    return result;
  };
  const after = (starts: ReadonlySet<number>, one: GbnfExpression): Set<number> =>
    new Set([...starts].flatMap((start) => [...ends(one, start)]));
  const read = (one: GbnfExpression, at: number): Set<number> => {
    switch (one.kind) {
      case "literal":
        return new Set(
          text.startsWith(one.text, characters.slice(0, at).join("").length) ? [at + [...one.text].length] : [],
        );
      case "class": {
        const code = characters[at]?.codePointAt(0);
        const inside = code !== undefined && one.ranges.some(([from, to]) => from <= code && code <= to);
        return new Set(code !== undefined && inside !== one.negated ? [at + 1] : []);
      }
      case "any":
        return new Set(at < characters.length ? [at + 1] : []);
      case "token":
        return new Set();
      case "reference":
        return new Set(ends(bodies.get(one.name)!, at));
      case "group":
        return new Set(ends(one.body, at));
      case "sequence":
        return one.items.reduce<Set<number>>((starts, item) => after(starts, item), new Set([at]));
      case "alternatives":
        return new Set(one.options.flatMap((option) => [...ends(option, at)]));
      case "repeat": {
        let starts = new Set([at]);
        for (let i = 0; i < one.min; i++) starts = after(starts, one.item);
        const all = new Set(starts);
        for (let i = one.min; one.max === null ? starts.size > 0 : i < one.max; i++) {
          starts = new Set([...after(starts, one.item)].filter((end) => !all.has(end)));
          for (const end of starts) all.add(end);
        }
        return all;
      }
    }
  };
  return ends(reference("root"), 0).has(characters.length);
}
