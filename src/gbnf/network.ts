import { type CodePointSet, matchedBy } from "./codePoints.ts";
import { repeat } from "./expressions.ts";
import type { Plan } from "./plan.ts";
import { printExpression } from "./printGbnf.ts";
import type { Gbnf, GbnfExpression, GbnfToken } from "./types.ts";
import { readMaximum } from "./types.ts";

/** A grammar as a network of states, one part for each rule; what the matcher walks. */
export interface Network {
  readonly rules: ReadonlyMap<string, NetworkRule>;
  readonly tokens: readonly GbnfToken[];
}

export interface NetworkRule {
  start: State;
}

/** A state, with what it leads to as soon as that was asked for. */
interface Planned {
  plan?: Plan;
}

/** What of its rule's body is left in a state: an expression, and then what is left in another state. */
interface Leaving extends Planned {
  readonly here: { readonly expression: GbnfExpression; readonly after: State };
}

export type State = CharacterState | TokenState | CallState | SplitState | EndState;

export interface CharacterState extends Leaving {
  readonly kind: "character";
  readonly set: CodePointSet;
  readonly next: State;
  /** For messages: the grammar's rule, and what it has here. */
  readonly rule: string;
  readonly shows: () => string;
}

export interface TokenState extends Leaving {
  readonly kind: "token";
  readonly token: GbnfToken;
  readonly next: State;
  readonly rule: string;
  readonly shows: () => string;
}

export interface CallState extends Leaving {
  readonly kind: "call";
  readonly rule: NetworkRule;
  readonly next: State;
}

export interface SplitState extends Leaving {
  readonly kind: "split";
  readonly targets: readonly State[];
}

export interface EndState extends Planned {
  readonly kind: "end";
}

const end: EndState = { kind: "end" };
const networks = new WeakMap<Gbnf, Network>();

/** The network of a checked grammar; made once for each. */
export function networkOf(gbnf: Gbnf): Network {
  const known = networks.get(gbnf);
  if (known !== undefined) return known;
  const rules = new Map<string, NetworkRule>(gbnf.rules.map(({ name }) => [name, { start: end }]));
  const tokens: GbnfToken[] = [];
  for (const { name, body } of gbnf.rules) {
    rules.get(name)!.start = new RuleCompiler(name, rules, tokens).compile(body, end);
  }
  const network: Network = { rules, tokens };
  networks.set(gbnf, network);
  return network;
}

class RuleCompiler {
  readonly #name: string;
  readonly #rules: ReadonlyMap<string, NetworkRule>;
  readonly #tokens: GbnfToken[];

  constructor(name: string, rules: ReadonlyMap<string, NetworkRule>, tokens: GbnfToken[]) {
    this.#name = name;
    this.#rules = rules;
    this.#tokens = tokens;
  }

  /** The first state of an expression that goes on with `next`. */
  compile(one: GbnfExpression, next: State): State {
    const rule = this.#name;
    switch (one.kind) {
      case "literal":
        return this.#literal(one.text, next);
      case "class":
      case "any":
        return {
          kind: "character",
          set: matchedBy(one),
          next,
          here: left(one, next),
          rule,
          shows: () => printExpression(one),
        };
      case "token":
        this.#tokens.push(one);
        return { kind: "token", token: one, next, here: left(one, next), rule, shows: () => printExpression(one) };
      case "reference":
        return { kind: "call", rule: this.#rules.get(one.name)!, next, here: left(one, next) };
      case "group":
        return this.compile(one.body, next);
      case "sequence":
        return one.items.reduceRight<State>((rest, item) => this.compile(item, rest), next);
      case "alternatives":
        return {
          kind: "split",
          targets: one.options.map((option) => this.compile(option, next)),
          here: left(one, next),
        };
      case "repeat":
        return this.#repeat(one.item, one.min, readMaximum(one.max), next);
    }
  }

  #literal(text: string, next: State): State {
    const characters = Array.from(text);
    return characters.reduceRight<State>((rest, character, index) => {
      const code = character.codePointAt(0)!;
      const shows = () => printExpression({ kind: "literal", text: characters.slice(index).join("") });
      const here = left({ kind: "literal", text: character }, rest);
      return { kind: "character", set: [[code, code]], next: rest, here, rule: this.#name, shows };
    }, next);
  }

  #repeat(item: GbnfExpression, min: number, max: number | null, next: State): State {
    const copies = max ?? min + 1;
    const copy = copies > 2 ? this.#shareable(item) : (rest: State) => this.compile(item, rest);
    const rest = (from: number, to: number | null) => left(repeat(item, { min: from, max: to }), next);
    // A shared copy is entered at its start alone; another one's start may be a loop inside of it.
    const atLeast = (times: number, state: State, to: number | null): State =>
      copies > 2 ? ({ ...state, here: rest(times, to) } as State) : state;
    let start: State;
    if (max === null) {
      const targets: State[] = [];
      const loop: State = { kind: "split", targets, here: rest(0, null) };
      const body = atLeast(1, copy(loop), null);
      targets.push(body, next);
      start = min === 0 ? loop : body;
      for (let i = 2; i <= min; i++) start = atLeast(i, copy(start), null);
    } else {
      start = next;
      for (let i = 1; i <= max - min; i++) {
        start = { kind: "split", targets: [atLeast(1, copy(start), i), next], here: rest(0, i) };
      }
      for (let i = 1; i <= min; i++) start = atLeast(i, copy(start), max - min + i);
    }
    return start;
  }

  /** Copies of more than a state become calls of one part, so that nested repetitions add up and do not multiply. */
  #shareable(item: GbnfExpression): (rest: State) => State {
    const single = item.kind === "class" || item.kind === "any" || item.kind === "reference" || item.kind === "token";
    if (single) return (rest) => this.compile(item, rest);
    const rule: NetworkRule = { start: this.compile(item, end) };
    return (rest) => ({ kind: "call", rule, next: rest, here: left(item, rest) });
  }
}

const left = (expression: GbnfExpression, after: State) => ({ expression, after });
