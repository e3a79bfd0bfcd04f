import { checkGbnf } from "./checkGbnf.ts";
import { GbnfReader } from "./reader.ts";
import type { CodePointRange, Gbnf, GbnfExpression, GbnfRule } from "./types.ts";
import { maxRepetitions, readMaximum } from "./types.ts";

/** How deep groups may be nested. */
const maxNesting = 1000;

export interface ParseGbnfOptions {
  /** The rule that must be there. Default `"root"`; null if the text is a part of a grammar: then also rules may be missing. */
  readonly root?: string | null;
}

/**
 * Reads the text of a grammar as llama.cpp does, and refuses what llama.cpp refuses (or would run into an endless loop with).
 *
 * @throws TitoError `gbnf_syntax`, `gbnf_limit` (too many repetitions), `gbnf_undefined_rule`, `gbnf_missing_root`,
 * `gbnf_left_recursion`, or `gbnf_unsupported` for a grammar in llguidance's language. `details` has `line` and `column`
 * (from 1, in code points) and `rule`.
 * @example
 * parseGbnf('root ::= "yes" | "no"').rules[0].name; // "root"
 */
export function parseGbnf(text: string, options: ParseGbnfOptions = {}): Gbnf {
  const root = options.root === undefined ? "root" : options.root;
  const reader = new GbnfReader(text);
  reader.refuseOtherLanguages();
  const rules = new GrammarParser(reader).rules();
  const gbnf: Gbnf = { kind: "gbnf", rules };
  if (root !== null) checkGbnf(gbnf, { root, where: (one) => reader.placeOf(one) });
  return gbnf;
}

/** How often llama.cpp has multiplied the symbols behind an atom: it bounds the product. */
interface Atom {
  expression: GbnfExpression;
  weight: number;
  /** Where it starts, in the text. */
  readonly start: number;
}

class GrammarParser {
  readonly #reader: GbnfReader;
  readonly #defined = new Map<string, GbnfRule>();
  /** Names met, and one for each rule that llama.cpp makes up: their number bounds repetitions of groups. */
  readonly #names = new Set<string>();
  #made = 0;
  #depth = 0;

  constructor(reader: GbnfReader) {
    this.#reader = reader;
  }

  rules(): GbnfRule[] {
    const reader = this.#reader;
    reader.space(true);
    while (!reader.atEnd) {
      const start = reader.position;
      const name = reader.name();
      reader.rule = name;
      reader.space(false);
      if (!reader.take("::="))
        reader.fail(`expected "::=" after the rule's name "${name}"`, "Write: name ::= expression");
      if (this.#defined.has(name)) {
        reader.fail(`the rule "${name}" is defined twice`, "Keep one: llama.cpp would silently take the last", start);
      }
      this.#names.add(name);
      reader.space(true);
      const rule: GbnfRule = { kind: "rule", name, body: this.#alternatives(false) };
      reader.setPlace(rule, start);
      this.#defined.set(name, rule);
      if (!reader.newLine() && !reader.atEnd) {
        reader.fail(
          `unexpected ${reader.found()}`,
          'A rule ends at the end of its line, outside of parentheses and not after a |; an empty last option is ""',
        );
      }
      reader.space(true);
      reader.rule = undefined;
    }
    return [...this.#defined.values()];
  }

  get #symbols(): number {
    return this.#names.size + this.#made;
  }

  #alternatives(nested: boolean): GbnfExpression {
    const options = [this.#sequence(nested)];
    while (this.#reader.take("|")) {
      this.#reader.space(true);
      options.push(this.#sequence(nested));
    }
    return options.length === 1 ? options[0] : { kind: "alternatives", options };
  }

  #sequence(nested: boolean): GbnfExpression {
    const reader = this.#reader;
    const atoms: Atom[] = [];
    for (;;) {
      const start = reader.position;
      const limits = this.#limits(nested);
      if (limits !== null) {
        const last = atoms.at(-1);
        if (last === undefined || isNothing(last.expression)) {
          return reader.fail("there is nothing to repeat", "Put * + ? or {…} after a symbol or a group", start);
        }
        this.#repeat(last, limits, start);
        continue;
      }
      const atom = this.#atom(nested);
      if (atom === null) break;
      reader.setPlace(atom.expression, start);
      atoms.push(atom);
    }
    const items = atoms.map(({ expression }) => expression).filter((one) => !isNothing(one));
    return items.length === 1 ? items[0] : { kind: "sequence", items };
  }

  #repeat(atom: Atom, [min, max]: readonly [number, number | null], start: number): void {
    const maximum = readMaximum(max);
    const times = maximum !== null && maximum > 0 ? maximum : Math.max(min, 1);
    if (min > maxRepetitions || atom.weight * times > maxRepetitions) {
      this.#reader.failWith(
        "gbnf_limit",
        `${min > maxRepetitions ? min : atom.weight * times} repetitions are more than llama.cpp takes`,
        `Stay within ${maxRepetitions}, counting nested repetitions as a product, or leave the maximum out`,
        start,
      );
    }
    this.#made += maximum === null ? 1 : maximum - min;
    atom.weight *= times;
    atom.expression = max === 0 ? { kind: "sequence", items: [] } : { kind: "repeat", item: atom.expression, min, max };
    this.#reader.setPlace(atom.expression, atom.start);
  }

  #atom(nested: boolean): Atom | null {
    const reader = this.#reader;
    const start = reader.position;
    const next = reader.peek();
    let expression: GbnfExpression;
    let weight = 1;
    if (reader.take('"')) expression = { kind: "literal", text: this.#quoted(start) };
    else if (reader.take("[")) expression = this.#class(start);
    else if (reader.take(".")) expression = { kind: "any" };
    else if (next === "<" || next === "!") expression = this.#token();
    else if (reader.take("(")) {
      const before = this.#symbols;
      this.#made++;
      expression = this.#group(start);
      weight = Math.max(1, this.#symbols - before);
    } else if (reader.atName()) {
      const name = reader.name();
      this.#names.add(name);
      expression = { kind: "reference", name };
    } else return null;
    reader.space(nested);
    return { expression, weight, start };
  }

  #group(start: number): GbnfExpression {
    const reader = this.#reader;
    if (++this.#depth > maxNesting) {
      reader.failWith("gbnf_limit", `groups are nested deeper than ${maxNesting}`, "Give inner groups a rule", start);
    }
    reader.space(true);
    const body = this.#alternatives(true);
    if (!reader.take(")")) {
      reader.fail(`expected ")", found ${reader.found()}`, "Close every group that is opened");
    }
    this.#depth--;
    return { kind: "group", body };
  }

  #quoted(start: number): string {
    const reader = this.#reader;
    let text = "";
    while (!reader.take('"')) {
      if (reader.atEnd) reader.fail('the text has no closing "', 'Close it, and write a " inside as \\"', start);
      const at = reader.position;
      const code = reader.character();
      if (code >= 0xd800 && code <= 0xdfff) {
        reader.fail("half of a surrogate pair matches nothing", "Write the whole character, or \\U and 8 digits", at);
      }
      text += String.fromCodePoint(code);
    }
    return text;
  }

  #class(start: number): GbnfExpression {
    const reader = this.#reader;
    const negated = reader.take("^");
    const ranges: CodePointRange[] = [];
    while (!reader.take("]")) {
      if (reader.atEnd) reader.fail("the class has no closing ]", "Close it, and write a ] inside as \\]", start);
      const from = reader.character();
      let to = from;
      if (reader.peek() === "-" && reader.peek(1) !== "]") {
        reader.take("-");
        const at = reader.position;
        to = reader.character();
        if (to < from) reader.fail("the range ends before it starts", "Swap its ends", at);
      }
      ranges.push([from, to]);
    }
    if (ranges.length === 0)
      reader.fail("the class is empty", "Name a character, write ] as \\], or use . for any", start);
    return { kind: "class", negated, ranges };
  }

  #token(): GbnfExpression {
    const reader = this.#reader;
    const negated = reader.take("!");
    const start = reader.position;
    if (!reader.take("<")) reader.fail(`expected a token after "!"`, "Write !<[123]> or !<name>");
    if (reader.take("[")) {
      const id = reader.integer();
      if (!reader.take("]>")) reader.fail(`expected "]>" after the token id`, "Write <[123]>");
      return { kind: "token", token: id, negated };
    }
    while (reader.peek() !== ">") {
      if (reader.atEnd) reader.fail("the token has no closing >", "Write <name> or <[123]>", start);
      reader.advance();
    }
    reader.take(">");
    return { kind: "token", token: reader.textFrom(start), negated };
  }

  /** The limits of a repetition that starts here; null if none does. */
  #limits(nested: boolean): readonly [number, number | null] | null {
    const reader = this.#reader;
    for (const [sign, limits] of signs) {
      if (reader.take(sign)) {
        reader.space(nested);
        return limits;
      }
    }
    const start = reader.position;
    if (!reader.take("{")) return null;
    reader.space(nested);
    const min = reader.integer();
    reader.space(nested);
    let max: number | null = min;
    if (reader.take(",")) {
      reader.space(nested);
      max = reader.atDigit() ? reader.integer() : null;
      reader.space(nested);
    }
    if (!reader.take("}")) reader.fail(`expected "}", found ${reader.found()}`, "Write {2}, {2,} or {2,4}");
    if (max !== null && max < min) reader.fail(`the maximum ${max} is below the minimum ${min}`, "Swap them", start);
    reader.space(nested);
    return [min, max];
  }
}

const signs: readonly (readonly [string, readonly [number, number | null]])[] = [
  ["*", [0, null]],
  ["+", [1, null]],
  ["?", [0, 1]],
];

const isNothing = (one: GbnfExpression): boolean =>
  (one.kind === "sequence" && one.items.length === 0) || (one.kind === "literal" && one.text === "");
