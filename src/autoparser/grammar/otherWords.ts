import {
  alternatives,
  GbnfBuilder,
  type GbnfExpression,
  type GbnfReference,
  group,
  literal,
} from "../../gbnf/index.ts";

type Words = Readonly<Record<"true" | "false" | "null", readonly string[]>>;

/** Rules for values in which `true`, `false` and `null` are spelled in another way. */
export class OtherWords {
  readonly #target: GbnfBuilder;
  readonly #name: string;
  readonly #words: Words;
  readonly #own = new GbnfBuilder();
  readonly #waiting: (readonly [GbnfReference, GbnfExpression])[] = [];

  constructor(target: GbnfBuilder, name: string, words: Words) {
    this.#target = target;
    this.#name = name;
    this.#words = words;
  }

  /** A reference to what `make` builds with JSON's words, and with rules of the given builder only. */
  add(make: (builder: GbnfBuilder) => GbnfExpression): GbnfReference {
    const made = this.#target.declare(this.#name);
    this.#waiting.push([made, make(this.#own)]);
    return made;
  }

  /** Adds the rules to the target. Nothing can be added then. */
  finish(): void {
    if (this.#waiting.length === 0) return;
    const { rules } = this.#own.build(alternatives(...this.#waiting.map(([, one]) => one)));
    const renamed = this.#target.include({
      kind: "gbnf",
      rules: rules.slice(1).map((rule) => ({ ...rule, body: this.#respelled(rule.body) })),
    });
    for (const [made, one] of this.#waiting) this.#target.define(made, renamed(this.#respelled(one)));
  }

  #respelled(one: GbnfExpression): GbnfExpression {
    switch (one.kind) {
      case "literal": {
        // Texts have quotation marks: a literal that is a word is none of them.
        const words = Object.hasOwn(this.#words, one.text) ? this.#words[one.text as keyof Words] : undefined;
        if (words === undefined) return one;
        return words.length === 1 ? literal(words[0]) : group(alternatives(...words.map((word) => literal(word))));
      }
      case "group":
        return { ...one, body: this.#respelled(one.body) };
      case "sequence":
        return { ...one, items: one.items.map((item) => this.#respelled(item)) };
      case "alternatives":
        return { ...one, options: one.options.map((option) => this.#respelled(option)) };
      case "repeat":
        return { ...one, item: this.#respelled(one.item) };
      default:
        return one;
    }
  }
}
