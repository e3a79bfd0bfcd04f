import { TitoError } from "../errors.ts";
import { checkGbnf } from "./checkGbnf.ts";
import { meets } from "./codePoints.ts";
import { type TokenLookup, tokenId } from "./lowerGbnf.ts";
import { type Network, networkOf } from "./network.ts";
import { afterCharacter, type Expansion, expand, type Frame, newFrame, type Seed, type Thread } from "./stacks.ts";
import type { Gbnf, GbnfToken } from "./types.ts";
import { codePointsOf, type DecodedBytes, decodeUtf8, type PartialCharacter, reachable } from "./utf8Decoder.ts";

export interface GbnfMatcherOptions {
  /** The rule to start from. Default `"root"`. */
  readonly root?: string;
  /** Ids of tokens that the grammar names by text. Without it, `<text>` takes a token whose bytes are this text. */
  readonly tokens?: TokenLookup;
}

/** What a grammar expects at some place. */
export interface Expected {
  /** The grammar's rule that expects it. */
  readonly rule: string;
  /** In the grammar's spelling: `"rest of a text"`, `[0-9]`, `<[123]>`. */
  readonly what: string;
}

/** Reads a text piece by piece and says after each piece whether the grammar can still match. */
export interface GbnfMatcher {
  /**
   * Takes text, or bytes that may begin or end inside of a character. False: the grammar does not go on so (token references
   * match no text), and the state is what it was before.
   */
  accept(piece: string | Uint8Array): boolean;
  /** Takes a token: by a token reference, or by its bytes. False as above. */
  acceptToken(id: number, bytes: string | Uint8Array): boolean;
  /** Whether the text may end here. */
  isComplete(): boolean;
  /** Whether anything may follow. */
  canContinue(): boolean;
  /** Whether the text may neither end here nor go on: only with a grammar that matches nothing. */
  isDead(): boolean;
  /** What may follow, each expectation once. */
  expected(): readonly Expected[];
  /** A matcher in the same state that goes its own way; costs nothing. */
  clone(): GbnfMatcher;
}

/**
 * An incremental matcher at the beginning of a text. Its cost for each character depends on the grammar's ambiguity alone;
 * nesting of the text may be as deep as memory lets it.
 *
 * @throws TitoError as `parseGbnf` for a grammar that cannot run; `token_missing` for a token that `tokens` does not know.
 * @example
 * const matcher = gbnfMatcher(parseGbnf('root ::= "a"+'));
 * matcher.accept("aa"); // true
 * matcher.accept("b"); // false
 * matcher.isComplete(); // true
 */
export function gbnfMatcher(gbnf: Gbnf, options: GbnfMatcherOptions = {}): GbnfMatcher {
  const root = options.root ?? "root";
  checkGbnf(gbnf, { root });
  const network = networkOf(gbnf);
  const { tokens } = options;
  const grammar: Grammar = { gbnf, tokens, matches: tokenTest(network, tokens), root: newFrame() };
  const start = expand([{ state: network.rules.get(root)!.start, frame: grammar.root }], grammar.root);
  return new StackMatcher(grammar, [start]);
}

type TokenTest = (token: GbnfToken, id: number, piece: string | Uint8Array) => boolean;

interface Grammar {
  readonly gbnf: Gbnf;
  readonly tokens: TokenLookup | undefined;
  readonly matches: TokenTest;
  /** What the root rule returns to: nothing. */
  readonly root: Frame;
}

/** Threads, which may have taken a part of a character (then none of them is complete). */
export interface Branch extends Expansion {
  readonly partial?: PartialCharacter | null;
}

/** Where a matcher is in its grammar. */
export interface Places extends Grammar {
  readonly branches: readonly Branch[];
}

/** For what is made of a matcher's state. Nothing in it may be changed. @internal */
export function placesOf(matcher: GbnfMatcher): Places {
  if (matcher instanceof StackMatcher) return matcher.places();
  throw new TitoError("gbnf_invalid", "This matcher is not one of gbnfMatcher's. Make it with gbnfMatcher.");
}

class StackMatcher implements GbnfMatcher {
  readonly #grammar: Grammar;
  #branches: readonly Branch[];

  constructor(grammar: Grammar, branches: readonly Branch[]) {
    this.#grammar = grammar;
    this.#branches = branches;
  }

  accept(piece: string | Uint8Array): boolean {
    if (piece.length === 0) return true;
    const [first] = this.#branches;
    return this.#go(this.#branches.length === 1 ? [this.#read(first, piece)] : this.#readAll(piece), []);
  }

  acceptToken(id: number, bytes: string | Uint8Array): boolean {
    const { matches } = this.#grammar;
    const jumps = this.#branches.flatMap(({ threads }) =>
      threads.flatMap(({ state, frame }) =>
        state.kind === "token" && matches(state.token, id, bytes) ? [{ state: state.next, frame }] : [],
      ),
    );
    return this.#go(bytes.length === 0 ? [] : this.#readAll(bytes), jumps);
  }

  isComplete(): boolean {
    return this.#branches.some(({ complete }) => complete);
  }

  canContinue(): boolean {
    return this.#branches.some(({ threads }) => threads.length > 0);
  }

  isDead(): boolean {
    return !this.isComplete() && !this.canContinue();
  }

  expected(): readonly Expected[] {
    const found = new Map<string, Expected>();
    for (const { threads } of this.#branches) {
      for (const { state } of threads) {
        const one = { rule: state.rule, what: state.shows() };
        found.set(`${one.rule} ${one.what}`, one);
      }
    }
    return [...found.values()];
  }

  clone(): GbnfMatcher {
    return new StackMatcher(this.#grammar, this.#branches);
  }

  places(): Places {
    return { ...this.#grammar, branches: this.#branches };
  }

  #go(read: readonly Reading[], jumps: readonly Seed[]): boolean {
    const branches: Branch[] = [];
    const seeds = [...jumps];
    for (const reading of read) {
      if (reading.branch !== null) branches.push(reading.branch);
      seeds.push(...reading.seeds);
    }
    if (seeds.length > 0) branches.push(expand(seeds, this.#grammar.root));
    const alive = branches.filter(({ threads, complete }) => complete || threads.length > 0);
    if (alive.length === 0) return false;
    this.#branches = alive;
    return true;
  }

  #readAll(piece: string | Uint8Array): Reading[] {
    return this.#branches.map((branch) => this.#read(branch, piece));
  }

  #read({ threads, partial = null }: Branch, piece: string | Uint8Array): Reading {
    const decoded = decode(piece, partial);
    if (decoded === null) return nowhere;
    let at: readonly Thread[] = threads;
    const { codes } = decoded;
    for (let i = 0; i < codes.length; i++) {
      const seeds = afterCharacter(at, codes[i]);
      if (seeds.length === 0) return nowhere;
      if (i === codes.length - 1 && decoded.partial === null) return { seeds, branch: null };
      at = expand(seeds, this.#grammar.root).threads;
    }
    const [low, high] = reachable(decoded.partial!)!;
    const open = at.filter(({ state }) => state.kind === "character" && meets(state.set, low, high));
    return { seeds: [], branch: { threads: open, complete: false, partial: decoded.partial } };
  }
}

/** What reading a piece gave: places after a whole character, or a branch inside of one. */
interface Reading {
  readonly seeds: readonly Seed[];
  readonly branch: Branch | null;
}

const nowhere: Reading = { seeds: [], branch: null };

function decode(piece: string | Uint8Array, partial: PartialCharacter | null): DecodedBytes | null {
  if (typeof piece !== "string") return decodeUtf8(piece, partial);
  const codes = partial === null ? codePointsOf(piece) : null;
  return codes === null ? null : { codes, partial: null };
}

function tokenTest(network: Network, tokens: TokenLookup | undefined): TokenTest {
  if (tokens === undefined) {
    return ({ token, negated }, id, piece) =>
      (typeof token === "number" ? token === id : token === textOf(piece)) !== negated;
  }
  const ids = new Map(network.tokens.map((one) => [one.token, tokenId(one, tokens)]));
  return ({ token, negated }, id) => (ids.get(token) === id) !== negated;
}

const textOf = (piece: string | Uint8Array): string =>
  typeof piece === "string" ? piece : new TextDecoder("utf-8", { ignoreBOM: true }).decode(piece);
