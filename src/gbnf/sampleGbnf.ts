import { TitoError } from "../errors.ts";
import { checkGbnf } from "./checkGbnf.ts";
import { type CodePointSet, matchedBy } from "./codePoints.ts";
import { type Gbnf, type GbnfExpression, readMaximum } from "./types.ts";

export interface SampleOptions {
  /** The rule to start from. Default `"root"`. */
  readonly root?: string;
  /** After about so many choices, whatever ends soonest is taken. Default 200. */
  readonly budget?: number;
  /** How often an unlimited repetition goes on, after its minimum. Default: 3 out of 4 times. */
  readonly continuation?: number;
}

/**
 * A random text that a grammar matches. Every text of the grammar can come out, but no distribution is promised.
 *
 * @param random a number from 0 (included) to 1 (excluded)
 * @throws TitoError `gbnf_invalid` for a grammar without texts, or one that needs tokens.
 */
export function sampleGbnf(gbnf: Gbnf, random: () => number, options: SampleOptions = {}): string {
  const root = options.root ?? "root";
  checkGbnf(gbnf, { root });
  const rules = new Map(gbnf.rules.map(({ name, body }) => [name, body]));
  const heights = ruleHeights(gbnf);
  if (!Number.isFinite(heights.get(root)!)) {
    throw new TitoError("gbnf_invalid", `The rule "${root}" matches no text without tokens. There is none to sample.`, {
      details: { rule: root },
    });
  }
  let budget = options.budget ?? 200;
  const continuation = options.continuation ?? 0.75;
  const pieces: string[] = [];
  const pending: GbnfExpression[] = [{ kind: "reference", name: root }];
  while (pending.length > 0) {
    const one = pending.pop()!;
    budget--;
    switch (one.kind) {
      case "literal":
        pieces.push(one.text);
        break;
      case "class":
      case "any":
        pieces.push(String.fromCodePoint(pick(matchedBy(one), random)));
        break;
      case "token":
        throw new Error("a token is never chosen: its height is infinite");
      case "reference":
        pending.push(rules.get(one.name)!);
        break;
      case "group":
        pending.push(one.body);
        break;
      case "sequence":
        pending.push(...one.items.toReversed());
        break;
      case "alternatives": {
        const ends = one.options.filter((option) => Number.isFinite(height(option, heights)));
        const lowest = Math.min(...ends.map((option) => height(option, heights)));
        const open = budget > 0 ? ends : ends.filter((option) => height(option, heights) === lowest);
        pending.push(open[Math.floor(random() * open.length)]);
        break;
      }
      case "repeat":
        for (let i = repetitions(one.min, readMaximum(one.max), one.item); i > 0; i--) pending.push(one.item);
    }
  }
  return pieces.join("");

  function repetitions(min: number, max: number | null, item: GbnfExpression): number {
    if (budget <= 0 || !Number.isFinite(height(item, heights))) return min;
    if (max !== null && max - min < 8) return min + Math.floor(random() * (max - min + 1));
    let times = min;
    while ((max === null || times < max) && times - min < budget && random() < continuation) times++;
    return times;
  }
}

/** How many rules deep an expression must go at least; infinite if it cannot end without a token. */
function height(one: GbnfExpression, rules: ReadonlyMap<string, number>): number {
  switch (one.kind) {
    case "literal":
      return 0;
    case "class":
    case "any":
      return matchedBy(one).length === 0 ? Number.POSITIVE_INFINITY : 0;
    case "token":
      return Number.POSITIVE_INFINITY;
    case "reference":
      return 1 + (rules.get(one.name) ?? Number.POSITIVE_INFINITY);
    case "group":
      return height(one.body, rules);
    case "sequence":
      return Math.max(0, ...one.items.map((item) => height(item, rules)));
    case "alternatives":
      return Math.min(...one.options.map((option) => height(option, rules)));
    case "repeat":
      return one.min === 0 ? 0 : height(one.item, rules);
  }
}

function ruleHeights(gbnf: Gbnf): ReadonlyMap<string, number> {
  const heights = new Map<string, number>();
  for (let changed = true; changed; ) {
    changed = false;
    for (const { name, body } of gbnf.rules) {
      const found = height(body, heights);
      if (found >= (heights.get(name) ?? Number.POSITIVE_INFINITY)) continue;
      heights.set(name, found);
      changed = true;
    }
  }
  return new Map(gbnf.rules.map(({ name }) => [name, heights.get(name) ?? Number.POSITIVE_INFINITY]));
}

/** Ends of ranges are where matchers go wrong: they come often. Surrogates are no text. */
function pick(set: CodePointSet, random: () => number): number {
  for (;;) {
    const [from, to] = set[Math.floor(random() * set.length)];
    const way = random();
    const span = way < 0.6 ? Math.min(to - from, 0x5f) : to - from;
    const code = way < 0.1 ? from : way < 0.2 ? to : from + Math.floor(random() * (span + 1));
    if (code < 0xd800 || code > 0xdfff) return code;
  }
}
