/** A grammar in llama.cpp's GBNF, as parsed or built. Rule names are unique; order is that of the text. */
export interface Gbnf {
  readonly kind: "gbnf";
  readonly rules: readonly GbnfRule[];
}

export interface GbnfRule {
  readonly kind: "rule";
  readonly name: string;
  readonly body: GbnfExpression;
}

export type GbnfExpression =
  | GbnfLiteral
  | GbnfClass
  | GbnfAny
  | GbnfToken
  | GbnfReference
  | GbnfGroup
  | GbnfSequence
  | GbnfAlternatives
  | GbnfRepeat;

/** `"text"` */
export interface GbnfLiteral {
  readonly kind: "literal";
  readonly text: string;
}

/** `[a-z_]` or `[^a-z_]`: one code point in (or in none of) the ranges, whose ends are included. */
export interface GbnfClass {
  readonly kind: "class";
  readonly negated: boolean;
  readonly ranges: readonly CodePointRange[];
}

export type CodePointRange = readonly [from: number, to: number];

/** `.`: one code point. */
export interface GbnfAny {
  readonly kind: "any";
}

/** `<[123]>` or `<text>`: one token by its id, or by its text (angle brackets included); with `!`, any token but this one. */
export interface GbnfToken {
  readonly kind: "token";
  readonly token: number | string;
  readonly negated: boolean;
}

/** `name` */
export interface GbnfReference {
  readonly kind: "reference";
  readonly name: string;
}

/** `( … )` */
export interface GbnfGroup {
  readonly kind: "group";
  readonly body: GbnfExpression;
}

/** `a b c`; with no items, the empty text. */
export interface GbnfSequence {
  readonly kind: "sequence";
  readonly items: readonly GbnfExpression[];
}

/** `a | b` */
export interface GbnfAlternatives {
  readonly kind: "alternatives";
  readonly options: readonly GbnfExpression[];
}

/** `a* a+ a? a{2} a{2,} a{2,4}`; `max` null = no limit. */
export interface GbnfRepeat {
  readonly kind: "repeat";
  readonly item: GbnfExpression;
  readonly min: number;
  readonly max: number | null;
}

/** What a repetition may ask for at most: llama.cpp takes a larger maximum for none, and refuses a larger minimum. */
export const maxRepetitions = 2000;

/** The limit of a repetition as llama.cpp reads it. */
export const readMaximum = (max: number | null): number | null => (max !== null && max > maxRepetitions ? null : max);
