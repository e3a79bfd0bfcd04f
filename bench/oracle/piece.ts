/** A part of a random template. An expression may stand for another one, a statement may be left out. */
export interface Piece {
  readonly kind: "expression" | "statement" | "fixed";
  readonly parts: readonly (string | Piece)[];
}

type Part = string | number | Piece | readonly Piece[];

/** Tags of template literals: `` expression`${a} + ${b}` ``. */
export const expression = tag("expression");
export const statement = tag("statement");
export const fixed = tag("fixed");

function tag(kind: Piece["kind"]) {
  return (texts: TemplateStringsArray, ...parts: readonly Part[]): Piece => ({
    kind,
    parts: texts.flatMap((text, i) => {
      const part = i < parts.length ? parts[i] : "";
      const pieces = typeof part === "number" ? String(part) : part;
      return Array.isArray(pieces) ? [text, ...(pieces as Piece[])] : [text, pieces as string | Piece];
    }),
  });
}

export function print(piece: Piece): string {
  return piece.parts.map((part) => (typeof part === "string" ? part : print(part))).join("");
}

/** Pieces that are like this one with a statement less, the largest first. */
export function* fewerStatements(piece: Piece): Iterable<Piece> {
  for (const [i, part] of piece.parts.entries()) {
    if (typeof part === "string" || part.kind !== "statement") continue;
    yield withPart(piece, i, []);
    const inner = [...statementsIn(part)];
    if (inner.length > 0) yield withPart(piece, i, inner);
  }
  yield* within(piece, fewerStatements);
}

/** Pieces that are like this one with something smaller for an expression, the largest first. */
export function* smallerExpressions(piece: Piece): Iterable<Piece> {
  if (piece.kind === "expression") {
    for (const simple of ["1", "'a'"]) if (print(piece) !== simple) yield { kind: "expression", parts: [simple] };
    yield* expressionsIn(piece);
  }
  yield* within(piece, smallerExpressions);
}

function* within(piece: Piece, smaller: (piece: Piece) => Iterable<Piece>): Iterable<Piece> {
  for (const [i, part] of piece.parts.entries()) {
    if (typeof part !== "string") for (const less of smaller(part)) yield withPart(piece, i, [less]);
  }
}

const withPart = (piece: Piece, at: number, by: readonly Piece[]): Piece => ({
  kind: piece.kind,
  parts: [...piece.parts.slice(0, at), ...by, ...piece.parts.slice(at + 1)],
});

function* statementsIn(piece: Piece): Iterable<Piece> {
  for (const part of piece.parts) {
    if (typeof part === "string") continue;
    if (part.kind === "statement") yield part;
    else yield* statementsIn(part);
  }
}

function* expressionsIn(piece: Piece): Iterable<Piece> {
  for (const part of piece.parts) {
    if (typeof part === "string") continue;
    if (part.kind === "expression") yield part;
    else yield* expressionsIn(part);
  }
}
