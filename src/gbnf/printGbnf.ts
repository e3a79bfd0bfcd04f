import type { CodePointRange, Gbnf, GbnfExpression } from "./types.ts";

/** The text of a grammar, a rule a line; `parseGbnf` reads it back as the same value. */
export function printGbnf(gbnf: Gbnf): string {
  return gbnf.rules.map(({ name, body }) => `${name} ::= ${printExpression(body) || emptyText}\n`).join("");
}

/** The text of an expression as it stands in a rule. */
export function printExpression(one: GbnfExpression): string {
  switch (one.kind) {
    case "literal":
      return `"${Array.from(one.text, escapeInLiteral).join("")}"`;
    case "class":
      return `[${one.negated ? "^" : ""}${one.ranges.map(printRange).join("")}]`;
    case "any":
      return ".";
    case "token":
      return `${one.negated ? "!" : ""}${typeof one.token === "number" ? `<[${one.token}]>` : one.token}`;
    case "reference":
      return one.name;
    case "group":
      return `(${printExpression(one.body)})`;
    case "sequence":
      return one.items.map(inSequence).join(" ");
    case "alternatives":
      return one.options.map(inAlternatives).join(" | ").trimStart();
    case "repeat":
      return `${asAtom(one.item)}${printLimits(one.min, one.max)}`;
  }
}

const parenthesised = (one: GbnfExpression): string => `(${printExpression(one)})`;

const inSequence = (one: GbnfExpression): string =>
  one.kind === "alternatives" || one.kind === "sequence" ? parenthesised(one) : printExpression(one);

/** Nothing after a last `|` or `::=` would be read on in the next line. */
const emptyText = '""';

function inAlternatives(one: GbnfExpression, index: number): string {
  if (one.kind === "alternatives") return parenthesised(one);
  return printExpression(one) || (index === 0 ? "" : emptyText);
}

const asAtom = (one: GbnfExpression): string =>
  one.kind === "alternatives" || one.kind === "sequence" ? parenthesised(one) : printExpression(one);

function printLimits(min: number, max: number | null): string {
  if (max === null) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  if (min === 0 && max === 1) return "?";
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

const printRange = ([from, to]: CodePointRange): string =>
  from === to ? escapeInClass(from) : `${escapeInClass(from)}-${escapeInClass(to)}`;

const named: Readonly<Record<number, string>> = { 9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\" };

function escapeInLiteral(character: string): string {
  const code = character.codePointAt(0)!;
  return named[code] ?? (isPlain(code) ? character : hexEscape(code));
}

/** `-` and `^` mean something in some places of a class: everywhere their number says the same. */
function escapeInClass(code: number): string {
  if (code === 0x5b || code === 0x5d) return `\\${String.fromCodePoint(code)}`;
  if (code === 0x2d || code === 0x5e) return hexEscape(code);
  if (code === 34) return '"';
  return named[code] ?? (isPlain(code) ? String.fromCodePoint(code) : hexEscape(code));
}

/** Neither a control character, nor a format or white space character that an editor may hide or change. */
const isPlain = (code: number): boolean =>
  code >= 0x20 && code !== 0x7f && (code < 0x7f || /[\p{L}\p{N}\p{P}\p{S}]/u.test(String.fromCodePoint(code)));

function hexEscape(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (hex.length <= 2) return `\\x${hex.padStart(2, "0")}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
