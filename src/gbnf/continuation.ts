import { alternatives, empty, reference, sequence } from "./expressions.ts";
import { type GbnfMatcher, type Places, placesOf } from "./gbnfMatcher.ts";
import { leftRecursionSteps } from "./leftRecursionSteps.ts";
import type { State } from "./network.ts";
import { reachableRules } from "./reachableRules.ts";
import type { Frame } from "./stacks.ts";
import type { Gbnf, GbnfExpression, GbnfRule } from "./types.ts";

/** What may follow what a matcher has taken. */
export type Continuation =
  /** All texts w for which what was taken and then w is in the grammar's language. `root` is the rule to start from. */
  | { readonly kind: "grammar"; readonly gbnf: Gbnf; readonly root: string }
  /**
   * The last byte taken is inside of a character, of which so many bytes are missing: a grammar's texts are whole characters.
   * `allowedIds` says which tokens go on.
   */
  | { readonly kind: "partial"; readonly missing: number }
  /**
   * `"dead"`: nothing may follow and the text may not end here, which only a grammar that matches nothing leads to. `"ambiguous"`: so
   * many readings are open that llama.cpp would check the grammar for longer than anyone waits.
   */
  | { readonly kind: "refused"; readonly reason: "dead" | "ambiguous" };

/**
 * The grammar of what may follow. Rules that are called from now on are those of the grammar, by their names; the rest of each
 * rule under way is spelled out, in a rule of its own where several ways lead to it. Its size is that of the matcher's stacks. It
 * starts with itself nowhere, and repeats no more often than the grammar does, so llama.cpp takes it where it took the grammar.
 *
 * @example
 * const matcher = gbnfMatcher(parseGbnf('root ::= "[" [a-z]{3} "]"'));
 * matcher.accept("[a");
 * continuationOf(matcher); // gbnf: rest ::= [a-z]{2} "]"
 */
export function continuationOf(matcher: GbnfMatcher): Continuation {
  const places = placesOf(matcher);
  for (const { partial } of places.branches) if (partial) return { kind: "partial", missing: partial.missing };
  if (matcher.isDead()) return { kind: "refused", reason: "dead" };
  const { gbnf, root, own } = spellRest(places);
  if (own > fewRules && leftRecursionSteps(gbnf.rules) > mostSteps) return { kind: "refused", reason: "ambiguous" };
  return { kind: "grammar", gbnf, root };
}

/** For llama.cpp a tenth of a second. */
const mostSteps = 1e6;
/** Rules for the rest that cannot double the steps often enough. */
const fewRules = 10;

/** How many elements a rule gets before what follows goes into the next one: spreading longer lists overflows the stack. */
const longest = 1000;

interface Way {
  readonly state: State;
  readonly frame: Frame;
}

interface SpelledRest {
  readonly gbnf: Gbnf;
  readonly root: string;
  /** How many of the rules are none of the grammar's. */
  readonly own: number;
}

/** Calls that return to one place alone are spelled where they return from; others get a rule. */
function spellRest({ gbnf, root, branches }: Places): SpelledRest {
  const taken = new Set(gbnf.rules.map(({ name }) => name));
  const declare = (): string => {
    let name = "rest";
    for (let i = 1; taken.has(name); i++) name = `rest-${i}`;
    taken.add(name);
    return name;
  };

  const ways = branches.flatMap(({ threads }) => threads);
  const sites = countSites(ways);
  const names = new Map<Frame, string>();
  const waiting: Frame[] = [];
  const call = (frame: Frame): GbnfExpression => {
    let name = names.get(frame);
    if (name === undefined) {
      name = declare();
      names.set(frame, name);
      waiting.push(frame);
    }
    return reference(name);
  };
  /** The rests of states that return to one frame, and what follows them. */
  const spell = (states: Iterable<State>, frame: Frame): GbnfExpression => {
    const items = [joined(alternatives(...[...states].map((state) => joined(restOf(state)))))];
    let at = frame;
    while (at !== root) {
      const single = at.returns.length === 1 && sites.get(at) === 1 && items.length < longest;
      if (!single) {
        items.push(call(at));
        break;
      }
      items.push(...restOf(at.returns[0].state));
      at = at.returns[0].frame;
    }
    return joined(items);
  };
  const options = (from: readonly Way[]): GbnfExpression[] =>
    [...byFrame(from)].map(([frame, states]) => spell(states, frame));

  const first = declare();
  const ends = branches.some(({ complete }) => complete);
  const rules: GbnfRule[] = [
    { kind: "rule", name: first, body: alternatives(...options(ways), ...(ends ? [empty()] : [])) },
  ];
  for (const frame of waiting)
    rules.push({ kind: "rule", name: names.get(frame)!, body: alternatives(...options(frame.returns)) });
  const all = [...rules, ...reachableRules(gbnf, rules)];
  return { gbnf: { kind: "gbnf", rules: all }, root: first, own: rules.length };
}

function byFrame(ways: readonly Way[]): Map<Frame, Set<State>> {
  const grouped = new Map<Frame, Set<State>>();
  for (const { state, frame } of ways) {
    const states = grouped.get(frame);
    if (states === undefined) grouped.set(frame, new Set([state]));
    else states.add(state);
  }
  return grouped;
}

/** From how many places each frame is returned to. */
function countSites(ways: readonly Way[]): ReadonlyMap<Frame, number> {
  const sites = new Map<Frame, number>();
  const waiting = [ways];
  for (const next of waiting) {
    for (const frame of byFrame(next).keys()) {
      const known = sites.get(frame) ?? 0;
      sites.set(frame, known + 1);
      if (known === 0) waiting.push(frame.returns);
    }
  }
  return sites;
}

/** What of its rule is left in a state. */
function restOf(state: State): GbnfExpression[] {
  const items: GbnfExpression[] = [];
  for (let at = state; at.kind !== "end"; at = at.here.after) items.push(at.here.expression);
  return items;
}

/** A sequence in which neighbouring texts are one. */
function joined(one: GbnfExpression | readonly GbnfExpression[]): GbnfExpression {
  const items = "kind" in one ? [one] : one;
  const merged: GbnfExpression[] = [];
  let text = "";
  const flush = () => {
    if (text !== "") merged.push({ kind: "literal", text });
    text = "";
  };
  for (const item of items) {
    for (const part of item.kind === "sequence" ? item.items : [item]) {
      if (part.kind === "literal") {
        text += part.text;
        continue;
      }
      flush();
      merged.push(part);
    }
  }
  flush();
  return sequence(...merged);
}
