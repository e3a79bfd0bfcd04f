import { TitoError } from "../errors.ts";
import { checkGbnf, parts } from "./checkGbnf.ts";
import { reference } from "./expressions.ts";
import { printExpression } from "./printGbnf.ts";
import { renameRules } from "./renameRules.ts";
import type { Gbnf, GbnfExpression, GbnfReference, GbnfRule } from "./types.ts";

/** Kept free for the rule that `build` adds. */
const rootName = "root";

/**
 * Collects rules with names of their own and builds a grammar of them.
 *
 * @example
 * const builder = new GbnfBuilder();
 * const digits = builder.rule("digits", repeat(oneOf([[0x30, 0x39]]), { min: 1 }));
 * printGbnf(builder.build(sequence(literal("n="), digits))); // root ::= "n=" digits, digits ::= [0-9]+
 */
export class GbnfBuilder {
  /** By name; null = declared, and not yet defined. */
  readonly #rules = new Map<string, GbnfExpression | null>();
  readonly #shared = new Map<string, GbnfReference>();

  /**
   * Adds a rule and gives the reference to it. The name is made fit for GBNF and, if it is taken, unique by a number; a rule
   * of this name and body that is already there is used again.
   */
  rule(name: string, body: GbnfExpression): GbnfReference {
    const fit = gbnfName(name);
    const known = this.#rules.get(fit);
    if (known && printExpression(known) === printExpression(body)) return reference(fit);
    const declared = this.declare(name);
    this.#rules.set(declared.name, body);
    return declared;
  }

  /** A reference to a rule that `define` will define: for rules that need each other. */
  declare(name: string): GbnfReference {
    const fit = gbnfName(name);
    const base = /[0-9]$/.test(fit) ? `${fit}-` : fit;
    let unique = fit;
    for (let i = 1; unique === rootName || this.#rules.has(unique); i++) unique = `${base}${i}`;
    this.#rules.set(unique, null);
    return reference(unique);
  }

  /** @throws TitoError `gbnf_invalid` if the rule is not one that `declare` gave, or is defined already. */
  define(declared: GbnfReference, body: GbnfExpression): void {
    if (this.#rules.get(declared.name) !== null) {
      throw new TitoError(
        "gbnf_invalid",
        `The rule "${declared.name}" is not waiting for its definition. Define each declared rule once.`,
        { details: { rule: declared.name } },
      );
    }
    this.#rules.set(declared.name, body);
  }

  /** One rule for a key: made at the first call, given again at every other one; `make` may ask for the same key. */
  shared(key: string, name: string, make: () => GbnfExpression): GbnfReference {
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const declared = this.declare(name);
    this.#shared.set(key, declared);
    this.define(declared, make());
    return declared;
  }

  /**
   * Takes over all rules of a grammar or another builder, under new names where theirs are taken.
   *
   * @returns what turns an expression over their names into one over the names here.
   */
  include(other: Gbnf | GbnfBuilder): (one: GbnfExpression) => GbnfExpression {
    const rules = other instanceof GbnfBuilder ? other.#defined() : other.rules;
    const names = new Map(rules.map(({ name }) => [name, this.declare(name)]));
    const renamed = (one: GbnfExpression): GbnfExpression => renameRules(one, (name) => names.get(name)?.name ?? name);
    for (const { name, body } of rules) this.define(names.get(name)!, renamed(body));
    return renamed;
  }

  /**
   * The grammar that matches `root`, with the rules that it needs, directly or not, in the order they were added.
   *
   * @throws TitoError `gbnf_undefined_rule`, `gbnf_left_recursion`
   */
  build(root: GbnfExpression): Gbnf {
    const needed = new Set<string>();
    const waiting = [root];
    while (waiting.length > 0) {
      for (const one of parts(waiting.pop()!)) {
        if (one.kind !== "reference" || needed.has(one.name)) continue;
        needed.add(one.name);
        const body = this.#rules.get(one.name);
        if (body) waiting.push(body);
      }
    }
    const rules = this.#defined().filter(({ name }) => needed.has(name));
    const gbnf: Gbnf = { kind: "gbnf", rules: [{ kind: "rule", name: rootName, body: root }, ...rules] };
    checkGbnf(gbnf, { root: rootName });
    return gbnf;
  }

  #defined(): GbnfRule[] {
    return [...this.#rules].flatMap(([name, body]) => (body === null ? [] : [{ kind: "rule", name, body }]));
  }
}

/** A name as all versions of llama.cpp take it: letters, digits and `-`. */
const gbnfName = (name: string): string => name.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "rule";
