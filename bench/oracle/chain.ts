import { expression as e, fixed, type Piece } from "./piece.ts";
import type { Scope } from "./scope.ts";

const OPERATORS = ["+", "-", "*", "//", "%", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or"];
const BEFORE = ["", "", "", "", "-", "+", "not ", "- -", "not not "];
const BEHIND = [
  "",
  "",
  "",
  "",
  "|string",
  "|abs",
  "|length",
  " ** 2",
  " is defined",
  " is not none",
  " is even",
  ".a",
  "[0]",
  "[-1:]",
  " if yes",
  " if no else 1",
  " is divisibleby 2",
  ".upper()",
];
const ATOMS = [
  "0",
  "1",
  "2",
  "3",
  "1.5",
  "'a'",
  "'b' 'c'",
  "[1]",
  "(1, 2)",
  "{'a': 1}",
  "true",
  "none",
  "i",
  "j",
  "s",
  "l",
  "d",
  "d.a",
  "yes",
  "missing",
  "rows.0",
  "(2)",
];

/** Operators, with nothing in parentheses: what binds to what. */
export function chain({ random }: Scope): Piece {
  const link = () => random.pick(BEFORE) + random.pick(ATOMS) + random.pick(BEHIND);
  return e`${link()}${random.several(1, 4, () => fixed` ${random.pick(OPERATORS)} ${link()}`)}`;
}
