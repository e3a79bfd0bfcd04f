import type { Comparison, ComparisonOperator } from "../syntax/ast.ts";
import { compare, contains, equal } from "../values/compare.ts";
import type { Value } from "../values/types.ts";
import { compileExpression, type ExpressionContext } from "./expressions.ts";
import type { Evaluate, Frame } from "./scope.ts";

/** `a < b <= c`: from left to right, up to the first that does not hold. */
export function compileComparison(node: Comparison, context: ExpressionContext): Evaluate {
  const first = compileExpression(node.first, context);
  const rest = node.rest.map(({ operator, operand }) => ({
    holds: operators[operator],
    operand: compileExpression(operand, context),
  }));
  if (rest.length === 1) {
    const [{ holds, operand }] = rest as [(typeof rest)[0]];
    return (frame) => {
      const a = first(frame);
      const b = operand(frame);
      frame.run.node = node;
      return holds(frame, a, b);
    };
  }
  return (frame) => {
    let a = first(frame);
    for (const { holds, operand } of rest) {
      const b = operand(frame);
      frame.run.node = node;
      if (!holds(frame, a, b)) return false;
      a = b;
    }
    return true;
  };
}

const operators: Readonly<Record<ComparisonOperator, (frame: Frame, a: Value, b: Value) => boolean>> = {
  "==": (_frame, a, b) => equal(a, b),
  "!=": (_frame, a, b) => !equal(a, b),
  "<": (frame, a, b) => compare(frame.run, "<", a, b),
  "<=": (frame, a, b) => compare(frame.run, "<=", a, b),
  ">": (frame, a, b) => compare(frame.run, ">", a, b),
  ">=": (frame, a, b) => compare(frame.run, ">=", a, b),
  in: (frame, a, b) => contains(frame.run, b, a),
  "not in": (frame, a, b) => !contains(frame.run, b, a),
};
