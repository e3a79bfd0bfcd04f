import { type CodePointSet, codePointSet, complement, intersection, meets } from "../codePoints.ts";
import { alternatives, literal, oneOf } from "../expressions.ts";
import type { CodePointRange, GbnfExpression } from "../types.ts";

export const control: CodePointRange = [0, 0x1f];
export const delCharacter: CodePointRange = [0x7f, 0x7f];

export const digit = (): GbnfExpression => oneOf([[0x30, 0x39]]);
export const hexDigit = (): GbnfExpression =>
  oneOf([
    [0x30, 0x39],
    [0x61, 0x66],
    [0x41, 0x46],
  ]);

const inJson = complement(codePointSet([control, [0x22, 0x22], [0x5c, 0x5c]]));

/** One character of a set as a JSON string writes it: escaped where it must be. */
export function jsonMember(set: CodePointSet): GbnfExpression {
  const plain = intersection(set, inJson);
  const escaped = Array.from({ length: 0x5d }, (_, code) => code).filter(
    (code) => meets(set, code, code) && !meets(inJson, code, code),
  );
  return alternatives(
    ...(plain.length === 0 ? [] : [oneOf(plain)]),
    ...escaped.map((code) => literal(JSON.stringify(String.fromCharCode(code)).slice(1, -1))),
  );
}
