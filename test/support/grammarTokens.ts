import type { Gbnf, GbnfExpression } from "../../src/gbnf/index.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const [e, smile] = [bytes("é"), bytes("😀")];

/** A vocabulary in which tokens hold characters of `letters`, more than one, or parts of them. */
export const pieces: readonly Uint8Array[] = [
  ...["a", "b", "]", "é", "😀", "ab", "b]", "aa", "]é", "é😀", ""].map(bytes),
  ...[e.subarray(0, 1), e.subarray(1), smile.subarray(0, 1), smile.subarray(1, 3), smile.subarray(3)],
  Uint8Array.of(...bytes("a"), ...e.subarray(0, 1)),
  Uint8Array.of(...e.subarray(1), ...bytes("b")),
  Uint8Array.of(...smile.subarray(2), ...smile.subarray(0, 2)),
];

const idOf = (text: string): number => pieces.findIndex((piece) => Buffer.compare(piece, bytes(text)) === 0);

export const pieceOf = (id: number): Uint8Array => pieces[id] ?? new Uint8Array(0);

/** The grammar with tokens where it has characters that stand alone: `"b"`, `"]"` and `"é"` are these tokens, `.` any but one. */
export const withTokens = (gbnf: Gbnf): Gbnf => ({
  ...gbnf,
  rules: gbnf.rules.map((rule) => ({ ...rule, body: replaced(rule.body) })),
});

function replaced(one: GbnfExpression): GbnfExpression {
  switch (one.kind) {
    case "literal":
      return ["b", "]", "é"].includes(one.text) ? { kind: "token", token: idOf(one.text), negated: false } : one;
    case "any":
      return { kind: "token", token: idOf("ab"), negated: true };
    case "group":
      return { ...one, body: replaced(one.body) };
    case "repeat":
      return { ...one, item: replaced(one.item) };
    case "sequence":
      return { ...one, items: one.items.map(replaced) };
    case "alternatives":
      return { ...one, options: one.options.map(replaced) };
    default:
      return one;
  }
}
