import { type CodePointSet, codePointSet, complement } from "../codePoints.ts";
import { alternatives, literal, oneOf, sequence } from "../expressions.ts";
import type { CodePointRange, GbnfExpression } from "../types.ts";
import type { StringSpelling } from "./options.ts";

export type PatternResult =
  | { readonly ok: true; readonly body: GbnfExpression }
  /** `unsupported`: a regular expression that a grammar does not follow; `malformed`: none. */
  | { readonly ok: false; readonly reason: "unsupported" | "malformed"; readonly message: string };

export interface PatternOptions {
  readonly spelling: StringSpelling;
  /** Whether `\d`, `\w` and `\s` are read (llama.cpp's converter gives up on them). */
  readonly shorthands: boolean;
  readonly repeat: (item: GbnfExpression, min: number, max: number | null) => GbnfExpression;
}

/** The texts that an anchored regular expression matches, between the quotes. */
export function patternBody(pattern: string, options: PatternOptions): PatternResult {
  const anchored = /^\^.*\$$/s.test(pattern) && !/(?<!\\)(?:\\\\)*\\\$$/.test(pattern);
  if (!anchored) return { ok: false, reason: "unsupported", message: "it is not anchored with ^ and $" };
  try {
    return { ok: true, body: new PatternParser(pattern.slice(1, -1), options).parse() };
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    return { ok: false, reason: error.reason, message: error.message };
  }
}

/** Not an Error: it never leaves this file. */
class PatternFault {
  readonly reason: "unsupported" | "malformed";
  readonly message: string;

  constructor(reason: "unsupported" | "malformed", message: string) {
    this.reason = reason;
    this.message = message;
  }
}

const shorthandSets: Readonly<Record<string, CodePointSet>> = {
  d: [[0x30, 0x39]],
  w: codePointSet([
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ]),
  s: codePointSet([
    [9, 13],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ]),
};
const controlEscapes: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11 };
const lineEnds: CodePointSet = [
  [10, 10],
  [13, 13],
];

class PatternParser {
  readonly #characters: readonly string[];
  readonly #options: PatternOptions;
  #at = 0;
  #depth = 0;

  constructor(pattern: string, options: PatternOptions) {
    this.#characters = Array.from(pattern);
    this.#options = options;
  }

  parse(): GbnfExpression {
    const body = this.#alternatives();
    if (this.#at < this.#characters.length) malformed("a ) closes no group");
    return body;
  }

  #take(character: string): boolean {
    if (this.#characters[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #alternatives(): GbnfExpression {
    const options = [this.#sequence()];
    while (this.#take("|")) options.push(this.#sequence());
    return alternatives(...options);
  }

  #sequence(): GbnfExpression {
    const items: GbnfExpression[] = [];
    while (this.#at < this.#characters.length && !"|)".includes(this.#characters[this.#at])) {
      items.push(this.#repeated(this.#atom()));
    }
    return sequence(...items);
  }

  #atom(): GbnfExpression {
    const character = this.#characters[this.#at++];
    if (character === ".") return this.#member(complement(lineEnds));
    if (character === "(") return this.#group();
    if (character === "[") return this.#member(this.#class());
    if (character === "\\") return this.#member(this.#escape());
    if ("*+?{".includes(character)) malformed(`${character} repeats nothing`);
    if ("^$".includes(character)) unsupported(`${character} in the middle of it`);
    return this.#text(character);
  }

  #text(character: string): GbnfExpression {
    const { spelling } = this.#options;
    return spelling.member === undefined ? literal(character) : literal(spelling.spell(character));
  }

  #member(set: CodePointSet): GbnfExpression {
    const { member } = this.#options.spelling;
    if (set.length === 1 && set[0][0] === set[0][1]) return this.#text(String.fromCodePoint(set[0][0]));
    return member === undefined ? oneOf(set) : member(set);
  }

  #group(): GbnfExpression {
    if (this.#take("?")) {
      if (!this.#take(":")) unsupported("a group with (?");
    }
    if (++this.#depth > 200) unsupported("groups nested deeper than 200");
    const body = this.#alternatives();
    this.#depth--;
    if (!this.#take(")")) malformed("a group is not closed");
    return body;
  }

  #class(): CodePointSet {
    const negated = this.#take("^");
    const ranges: CodePointRange[] = [];
    while (!this.#take("]")) {
      if (this.#at >= this.#characters.length) malformed("a [ is not closed");
      const from = this.#classMember();
      const isRange = this.#characters[this.#at] === "-" && (this.#characters[this.#at + 1] ?? "]") !== "]";
      if (!isRange) {
        ranges.push(...from);
        continue;
      }
      this.#at++;
      const to = this.#classMember();
      const [low, high] = [single(from), single(to)];
      if (low > high) malformed("a range ends before it starts");
      ranges.push([low, high]);
    }
    const set = codePointSet(ranges);
    const chosen = negated ? complement(set) : set;
    if (chosen.length === 0) unsupported("a class that matches nothing");
    return chosen;
  }

  #classMember(): CodePointSet {
    const character = this.#characters[this.#at++];
    if (character === "\\") return this.#take("b") ? [[8, 8]] : this.#escape();
    return [[character.codePointAt(0)!, character.codePointAt(0)!]];
  }

  #escape(): CodePointSet {
    const letter = this.#characters[this.#at++];
    if (letter === undefined) malformed("a \\ escapes nothing");
    if (letter === "x" || letter === "u") return this.#number(letter === "x" ? 2 : 4);
    const code = controlEscapes[letter] ?? letter.codePointAt(0)!;
    if (!/[A-Za-z0-9]/.test(letter) || Object.hasOwn(controlEscapes, letter)) return [[code, code]];
    const set = shorthandSets[letter.toLowerCase()];
    if (set === undefined || !this.#options.shorthands) unsupported(`\\${letter}`);
    return letter === letter.toLowerCase() ? set : complement(set);
  }

  #number(length: number): CodePointSet {
    const digits = this.#characters.slice(this.#at, this.#at + length).join("");
    if (digits.length < length || /[^0-9A-Fa-f]/.test(digits)) unsupported("an escape without its digits");
    this.#at += length;
    const code = Number.parseInt(digits, 16);
    if (code >= 0xd800 && code <= 0xdfff) unsupported("half of a surrogate pair");
    return [[code, code]];
  }

  #repeated(item: GbnfExpression): GbnfExpression {
    const limits = this.#limits();
    if (limits === null) return item;
    // A lazy repetition matches the same texts.
    this.#take("?");
    if ("*+{".includes(this.#characters[this.#at] ?? " ")) malformed("a repetition of a repetition");
    return this.#options.repeat(item, limits[0], limits[1]);
  }

  #limits(): readonly [number, number | null] | null {
    if (this.#take("*")) return [0, null];
    if (this.#take("+")) return [1, null];
    if (this.#take("?")) return [0, 1];
    if (!this.#take("{")) return null;
    const end = this.#characters.indexOf("}", this.#at);
    const text = end === -1 ? "" : this.#characters.slice(this.#at, end).join("");
    const found = /^(\d*)(,?)(\d*)$/.exec(text);
    if (found === null || (found[1] === "" && found[3] === "")) malformed("a { without its numbers");
    this.#at = end + 1;
    const min = Number(found[1]);
    const max = found[2] === "" ? min : found[3] === "" ? null : Number(found[3]);
    if (max !== null && max < min) malformed("a repetition whose maximum is below its minimum");
    return [min, max];
  }
}

function single(set: CodePointSet): number {
  if (set.length !== 1 || set[0][0] !== set[0][1]) malformed("a range between sets");
  return set[0][0];
}

function unsupported(message: string): never {
  throw new PatternFault("unsupported", message);
}

function malformed(message: string): never {
  throw new PatternFault("malformed", message);
}
