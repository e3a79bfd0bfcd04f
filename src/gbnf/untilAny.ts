import { TitoError } from "../errors.ts";
import { codePointSet, complement } from "./codePoints.ts";
import { alternatives, empty, noneOf, oneOf, sequence } from "./expressions.ts";
import type { GbnfBuilder } from "./gbnfBuilder.ts";
import type { CodePointRange, GbnfExpression, GbnfReference } from "./types.ts";

/**
 * All texts in which none of `texts` occurs: what may stand before the first of some markers. To have the marker follow,
 * use `throughAny`: after this one, `literal(marker)` would also let a marker begin in the text.
 *
 * @throws TitoError `gbnf_invalid` for an empty text, which occurs everywhere.
 */
export const untilAny = (builder: GbnfBuilder, texts: readonly string[], name = "until"): GbnfReference =>
  spell(builder, texts, name, false);

/**
 * All texts that end with one of `texts` and in which none occurs before.
 *
 * @throws TitoError `gbnf_invalid` for an empty text, or none.
 */
export function throughAny(builder: GbnfBuilder, texts: readonly string[], name = "through"): GbnfReference {
  if (texts.length === 0) {
    throw new TitoError("gbnf_invalid", "No text ends with one of no texts. Name at least one.");
  }
  return spell(builder, texts, name, true);
}

/** A state of the automaton that remembers the longest end of the text which starts one of the searched texts. */
interface State {
  readonly next: Map<number, State>;
  fallback: State | undefined;
  found: boolean;
}

function spell(builder: GbnfBuilder, texts: readonly string[], name: string, through: boolean): GbnfReference {
  const root = automaton(texts);
  const rules = new Map<State, GbnfReference>();
  const states = [root];
  rules.set(root, builder.declare(name));
  for (const state of states) {
    for (const target of steps(state).values()) {
      if (target.found || rules.has(target)) continue;
      rules.set(target, builder.declare(`${name}-${states.length}`));
      states.push(target);
    }
  }
  for (const state of states) {
    builder.define(rules.get(state)!, options(state, rules, rules.get(root)!, through));
  }
  return rules.get(root)!;
}

function options(
  state: State,
  rules: ReadonlyMap<State, GbnfReference>,
  start: GbnfReference,
  through: boolean,
): GbnfExpression {
  const byTarget = new Map<State, CodePointRange[]>();
  const named: CodePointRange[] = [];
  const ends: CodePointRange[] = [];
  for (const [code, target] of steps(state)) {
    named.push([code, code]);
    if (target.found) ends.push([code, code]);
    else byTarget.set(target, [...(byTarget.get(target) ?? []), [code, code]]);
  }
  const others = codePointSet(named);
  const back = complement(others).length === 0 ? [] : [sequence(noneOf(others), start)];
  return alternatives(
    ...(through ? [] : [empty()]),
    ...(through && ends.length > 0 ? [oneOf(codePointSet(ends))] : []),
    ...[...byTarget].map(([target, codes]) => sequence(oneOf(codePointSet(codes)), rules.get(target)!)),
    ...back,
  );
}

/** Aho and Corasick's automaton: a trie whose states know where to go on after a character that does not fit. */
function automaton(texts: readonly string[]): State {
  const root: State = { next: new Map(), fallback: undefined, found: false };
  for (const text of texts) {
    if (text === "") {
      throw new TitoError("gbnf_invalid", "The empty text occurs in every text. Name texts of at least a character.");
    }
    let state = root;
    for (const character of text) {
      const code = character.codePointAt(0)!;
      let next = state.next.get(code);
      if (next === undefined) {
        next = { next: new Map(), fallback: undefined, found: false };
        state.next.set(code, next);
      }
      state = next;
    }
    state.found = true;
  }
  const queue = [root];
  for (const state of queue) {
    for (const [code, child] of state.next) {
      child.fallback = state.fallback === undefined ? root : step(state.fallback, code, root);
      child.found ||= child.fallback.found;
      queue.push(child);
    }
  }
  return root;
}

function step(state: State, code: number, root: State): State {
  for (let at: State | undefined = state; at !== undefined; at = at.fallback) {
    const next = at.next.get(code);
    if (next !== undefined) return next;
  }
  return root;
}

/** Where each character goes that does not lead back to the start. */
function steps(state: State): Map<number, State> {
  const targets = new Map<number, State>();
  for (let at: State | undefined = state; at !== undefined; at = at.fallback) {
    for (const [code, target] of at.next) if (!targets.has(code)) targets.set(code, target);
  }
  return targets;
}
