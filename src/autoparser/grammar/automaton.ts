import { codePointSet, complement } from "../../gbnf/codePoints.ts";
import {
  alternatives,
  empty,
  type GbnfBuilder,
  type GbnfExpression,
  noneOf,
  oneOf,
  sequence,
} from "../../gbnf/index.ts";
import { isPythonSpace } from "../../messages/index.ts";

/** A deterministic automaton over code points. State 0 is the first one; a target of -1 is none. */
export interface Automaton {
  readonly states: readonly AutomatonState[];
}

export interface AutomatonState {
  readonly accepts: boolean;
  readonly edges: ReadonlyMap<number, number>;
  /** Where every code point leads that has no edge. */
  readonly others: number;
}

/**
 * A text with gaps: one of the characters of each string, in order; null is white space of any length; `anyBut` is at least
 * one character, and none of these.
 */
export type TextPattern = readonly (string | null | { readonly anyBut: string })[];

const spaces = Array.from({ length: 0x3001 }, (_, code) => code).filter(isPythonSpace);

/** A pattern for pieces of text with free white space between them. */
export const spacedPattern = (pieces: readonly string[]): TextPattern =>
  pieces.flatMap((piece, index) => [...(index === 0 ? [] : [null]), ...piece]);

type Places = readonly (readonly [pattern: number, at: number])[];

const made = new Map<string, Automaton>();
const mostKept = 256;

/** All texts in which no pattern occurs. Patterns are not empty and do not end with white space. */
export function withoutPatterns(patterns: readonly TextPattern[]): Automaton {
  const key = JSON.stringify(patterns);
  const known = made.get(key);
  if (known !== undefined) return known;
  if (made.size >= mostKept) made.clear();
  const automaton = buildWithout(patterns);
  made.set(key, automaton);
  return automaton;
}

function buildWithout(patterns: readonly TextPattern[]): Automaton {
  const named = patterns
    .flat()
    .flatMap((one) => (one === null ? [" "] : [...(typeof one === "string" ? one : one.anyBut)]));
  const hasSpace = named.some((one) => isPythonSpace(codeOf(one)));
  const alphabet = new Set(named.map(codeOf));
  // A place is a pattern and how much of it has been read.
  const closed = (places: Places): Places => {
    const all = new Map<string, readonly [number, number]>();
    for (const [one, at] of [...patterns.map((_, index) => [index, 0] as const), ...places]) {
      all.set(`${one},${at}`, [one, at]);
      if (patterns[one][at] === null) all.set(`${one},${at + 1}`, [one, at + 1]);
    }
    return [...all.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  };
  const numbers = new Map<string, number>();
  const waiting: Places[] = [];
  const stateOf = (places: Places): number => {
    if (places.some(([one, at]) => at === patterns[one].length)) return -1;
    const key = places.join(" ");
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    waiting.push(places);
    return numbers.size - 1;
  };
  /** `code` undefined: a character that no pattern names. */
  const step = (places: Places, code: number | undefined, isSpace: boolean): number => {
    const char = code === undefined ? undefined : String.fromCodePoint(code);
    const next = places.flatMap(([one, at]): (readonly [number, number])[] => {
      const item = patterns[one][at];
      if (item === null) return isSpace ? [[one, at]] : [];
      if (typeof item === "string") return char !== undefined && item.includes(char) ? [[one, at + 1]] : [];
      const fits = char === undefined || !item.anyBut.includes(char);
      return fits
        ? [
            [one, at],
            [one, at + 1],
          ]
        : [];
    });
    return stateOf(closed(next));
  };
  stateOf(closed([]));
  const states: AutomatonState[] = [];
  const otherSpaces = hasSpace ? spaces.filter((code) => !alphabet.has(code)) : [];
  for (const places of waiting) {
    const edges = new Map<number, number>();
    for (const code of alphabet) edges.set(code, step(places, code, isPythonSpace(code)));
    const others = step(places, undefined, false);
    const space = otherSpaces.length === 0 ? others : step(places, undefined, true);
    if (space !== others) for (const code of otherSpaces) edges.set(code, space);
    states.push({ accepts: true, edges, others });
  }
  return { states };
}

/** All texts that both automata accept. */
export function intersection(a: Automaton, b: Automaton): Automaton {
  const numbers = new Map<string, number>();
  const waiting: (readonly [number, number])[] = [];
  const stateOf = (one: number, other: number): number => {
    if (one < 0 || other < 0) return -1;
    const key = `${one} ${other}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    waiting.push([one, other]);
    return numbers.size - 1;
  };
  stateOf(0, 0);
  const states: AutomatonState[] = [];
  for (const [one, other] of waiting) {
    const [left, right] = [a.states[one], b.states[other]];
    const codes = new Set([...left.edges.keys(), ...right.edges.keys()]);
    const edges = new Map(
      [...codes].map((code) => [
        code,
        stateOf(left.edges.get(code) ?? left.others, right.edges.get(code) ?? right.others),
      ]),
    );
    states.push({ accepts: left.accepts && right.accepts, edges, others: stateOf(left.others, right.others) });
  }
  return { states };
}

/** Words of at least one character, none of them in `excluded`, that are none of `names`. */
export function otherWords(names: readonly string[], excluded: string): Automaton {
  const trie: Map<number, number>[] = [new Map()];
  const ends = new Set<number>();
  for (const name of names) {
    let at = 0;
    for (const char of name) {
      const code = codeOf(char);
      let next = trie[at].get(code);
      if (next === undefined) {
        next = trie.length;
        trie.push(new Map());
        trie[at].set(code, next);
      }
      at = next;
    }
    ends.add(at);
  }
  const unnamed = trie.length;
  const codes = [...excluded].map(codeOf);
  const states = [...trie, new Map<number, number>()].map((children, state): AutomatonState => {
    const edges = new Map(children);
    for (const code of codes) edges.set(code, -1);
    return { accepts: state !== 0 && !ends.has(state), edges, others: unnamed };
  });
  return { states };
}

/** Whether the automaton accepts the text. */
export function accepts({ states }: Automaton, text: string): boolean {
  let at = 0;
  for (const char of text) {
    at = states[at].edges.get(codeOf(char)) ?? states[at].others;
    if (at < 0) return false;
  }
  return states[at].accepts;
}

const spelledAs = new WeakMap<Automaton, number>();
let spelled = 0;

/** The automaton as rules, one for each state; the same automaton in one builder has the same rules. */
export function spellAutomaton(builder: GbnfBuilder, automaton: Automaton, name: string): GbnfExpression {
  let number = spelledAs.get(automaton);
  if (number === undefined) {
    number = ++spelled;
    spelledAs.set(automaton, number);
  }
  return builder.shared(`automaton:${number}`, name, () => {
    const rules = automaton.states.map((_, index) => builder.declare(`${name}-${index}`));
    automaton.states.forEach(({ accepts: ends, edges, others }, index) => {
      const targets = new Map<number, [number, number][]>();
      for (const [code, target] of edges) targets.set(target, [...(targets.get(target) ?? []), [code, code]]);
      const named = [...targets].filter(([target]) => target >= 0 && target !== others);
      const away = codePointSet([...targets].filter(([target]) => target !== others).flatMap(([, codes]) => codes));
      const others_ = others < 0 || complement(away).length === 0 ? [] : [sequence(noneOf(away), rules[others])];
      const options = [
        ...(ends ? [empty()] : []),
        ...named.map(([target, codes]) => sequence(oneOf(codePointSet(codes)), rules[target])),
        ...others_,
      ];
      builder.define(rules[index], alternatives(...options));
    });
    return rules[0];
  });
}

const codeOf = (char: string): number => char.codePointAt(0)!;
