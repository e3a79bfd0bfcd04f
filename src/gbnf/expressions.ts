import { TitoError } from "../errors.ts";
import type { CodePointRange, GbnfExpression, GbnfReference } from "./types.ts";

/**
 * Constructors of expressions. They keep to the shapes that text can spell, so that printing and parsing gives the same
 * value: sequences in sequences are joined, and what needs parentheses gets them.
 */

const nothing: GbnfExpression = { kind: "sequence", items: [] };

/** The empty text. */
export const empty = (): GbnfExpression => nothing;

/**
 * Exactly this text.
 *
 * @throws TitoError `gbnf_invalid` for half a surrogate pair, which no text in UTF-8 can hold.
 */
export function literal(text: string): GbnfExpression {
  if (!text.isWellFormed()) {
    throw new TitoError(
      "gbnf_invalid",
      `The text ${JSON.stringify(text)} holds half of a surrogate pair, which no model can write. Take it out.`,
      { details: { text } },
    );
  }
  return text === "" ? nothing : { kind: "literal", text };
}

/** One of the characters of a text, or of ranges of code points (ends included). */
export const oneOf = (characters: string | readonly CodePointRange[]): GbnfExpression => charClass(characters, false);

/** One character that is none of these. */
export const noneOf = (characters: string | readonly CodePointRange[]): GbnfExpression => charClass(characters, true);

function charClass(characters: string | readonly CodePointRange[], negated: boolean): GbnfExpression {
  const ranges =
    typeof characters === "string"
      ? Array.from(characters, (one): CodePointRange => [one.codePointAt(0)!, one.codePointAt(0)!])
      : characters;
  if (ranges.length > 0) return { kind: "class", negated, ranges };
  if (negated) return anyCharacter();
  throw new TitoError("gbnf_invalid", "A class without characters matches nothing. Name at least one character.");
}

/** `.` */
export const anyCharacter = (): GbnfExpression => ({ kind: "any" });

export const reference = (name: string): GbnfReference => ({ kind: "reference", name });

/**
 * One token: its id, or its text, which must have the form `<…>` (others have no spelling in GBNF).
 *
 * @throws TitoError `gbnf_invalid`
 */
export function token(idOrText: number | string, options: { readonly negated?: boolean } = {}): GbnfExpression {
  const spelled =
    typeof idOrText === "number" ? Number.isSafeInteger(idOrText) && idOrText >= 0 : /^<(?!\[)[^>\0]*>$/.test(idOrText);
  if (!spelled) {
    throw new TitoError(
      "gbnf_invalid",
      `The token ${JSON.stringify(idOrText)} has no spelling in GBNF. Give a token id, or a text of the form "<name>".`,
      { details: { token: idOrText } },
    );
  }
  return { kind: "token", token: idOrText, negated: options.negated ?? false };
}

export function sequence(...items: readonly GbnfExpression[]): GbnfExpression {
  const flat = items.flatMap((item) => (item.kind === "sequence" ? item.items : [item]));
  if (flat.length === 1) return flat[0];
  return { kind: "sequence", items: flat.map((item) => (item.kind === "alternatives" ? group(item) : item)) };
}

/** @throws TitoError `gbnf_invalid` without options: nothing would match. */
export function alternatives(...options: readonly GbnfExpression[]): GbnfExpression {
  const flat = options.flatMap((option) => (option.kind === "alternatives" ? option.options : [option]));
  if (flat.length === 0) {
    throw new TitoError("gbnf_invalid", "Alternatives without options match nothing. Give at least one.");
  }
  return flat.length === 1 ? flat[0] : { kind: "alternatives", options: flat };
}

export const group = (body: GbnfExpression): GbnfExpression => (body.kind === "group" ? body : { kind: "group", body });

export const optional = (item: GbnfExpression): GbnfExpression => repeat(item, { max: 1 });

/**
 * An expression `min` (default 0) to `max` (default: any number of) times.
 *
 * @throws TitoError `gbnf_invalid` if the limits are no whole numbers in order.
 */
export function repeat(
  item: GbnfExpression,
  limits: { readonly min?: number; readonly max?: number | null } = {},
): GbnfExpression {
  const min = limits.min ?? 0;
  const max = limits.max ?? null;
  const whole = Number.isSafeInteger(min) && min >= 0 && (max === null || (Number.isSafeInteger(max) && max >= min));
  if (!whole) {
    throw new TitoError(
      "gbnf_invalid",
      `Cannot repeat ${min} to ${max} times. Give whole numbers, the smaller first.`,
      {
        details: { min, max },
      },
    );
  }
  if (max === 0 || isEmpty(item)) return nothing;
  if (min === 1 && max === 1) return item;
  return max === null ? unlimited(item, min) : { kind: "repeat", item: atom(item), min, max };
}

/** llama.cpp unrolls `x*` into a rule that starts with x, and refuses it if x may be empty: empty options leave the item. */
function unlimited(item: GbnfExpression, min: number): GbnfExpression {
  const inner = item.kind === "group" ? item.body : item;
  if (inner.kind === "repeat" && inner.min === 0) return repeat(inner.item, { max: inner.max === 0 ? 0 : null });
  if (inner.kind === "alternatives") {
    const full = inner.options.filter((option) => !isEmpty(option));
    if (full.length === 0) return nothing;
    if (full.length < inner.options.length) return repeat(alternatives(...full));
  }
  return { kind: "repeat", item: atom(item), min, max: null };
}

const isEmpty = (one: GbnfExpression): boolean =>
  (one.kind === "sequence" && one.items.length === 0) || (one.kind === "literal" && one.text === "");

const atom = (item: GbnfExpression): GbnfExpression =>
  item.kind === "sequence" || item.kind === "alternatives" ? group(item) : item;
