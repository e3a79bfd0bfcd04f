import type { Constant, Expression } from "../syntax/ast.ts";
import { binary, signed } from "../values/arithmetic.ts";
import { Dict, List, Tuple } from "../values/containers.ts";
import { integer } from "../values/numbers.ts";
import { Float, Undefined } from "../values/scalars.ts";
import { isTrue } from "../values/truth.ts";
import type { Value } from "../values/types.ts";
import { compileAttribute, compileSubscript } from "./access.ts";
import { compileCall, compileFilter, compileTest } from "./calls.ts";
import { compileComparison } from "./comparisons.ts";
import type { Evaluate, Scope } from "./scope.ts";
import { compileConcat, compileSum } from "./sums.ts";

/** What an expression is compiled in. */
export interface ExpressionContext {
  readonly scope: Scope;
  /** Inside a condition or a block under one, an unknown filter or test is an error only when it runs. */
  readonly soft: boolean;
  /** Stands for the missing operand of a block's filter. */
  readonly blockValue?: Evaluate;
}

export function compileExpression(node: Expression, context: ExpressionContext): Evaluate {
  switch (node.kind) {
    case "constant": {
      const value = constantValue(node);
      return () => value;
    }
    case "name":
      return context.scope.read(node.name);
    case "tuple": {
      const items = node.items.map((part) => compileExpression(part, context));
      return (frame) => new Tuple(items.map((part) => part(frame)));
    }
    case "list": {
      const items = node.items.map((part) => compileExpression(part, context));
      return (frame) => new List(items.map((part) => part(frame)));
    }
    case "dict": {
      const pairs = node.pairs.map(
        ([key, value]) => [compileExpression(key, context), compileExpression(value, context)] as const,
      );
      return (frame) => {
        const dict = new Dict();
        for (const [key, value] of pairs) {
          const name = key(frame);
          frame.run.node = node;
          dict.set(name, value(frame));
        }
        return dict;
      };
    }
    case "attribute":
      return compileAttribute(node, context);
    case "subscript":
      return compileSubscript(node, context);
    case "call":
      return compileCall(node, context);
    case "filter":
      return compileFilter(node, context);
    case "test":
      return compileTest(node, context);
    case "unary": {
      const operand = compileExpression(node.operand, context);
      const { operator } = node;
      if (operator === "not") return (frame) => !isTrue(operand(frame));
      return (frame) => {
        const value = operand(frame);
        frame.run.node = node;
        return signed(operator, value);
      };
    }
    case "binary": {
      if (node.operator === "+") return compileSum(node, context);
      const left = compileExpression(node.left, context);
      const right = compileExpression(node.right, context);
      const { operator } = node;
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        frame.run.node = node;
        return binary(frame.run, operator, a, b);
      };
    }
    case "logic": {
      const left = compileExpression(node.left, context);
      const right = compileExpression(node.right, context);
      if (node.operator === "and") {
        return (frame) => {
          const value = left(frame);
          return isTrue(value) ? right(frame) : value;
        };
      }
      return (frame) => {
        const value = left(frame);
        return isTrue(value) ? value : right(frame);
      };
    }
    case "concat":
      return compileConcat(node, context);
    case "comparison":
      return compileComparison(node, context);
    case "conditional": {
      const soft = { ...context, soft: true };
      const test = compileExpression(node.test, soft);
      const then = compileExpression(node.then, soft);
      const otherwise = node.otherwise
        ? compileExpression(node.otherwise, soft)
        : () => new Undefined('this "if" was false and has no "else"');
      return (frame) => (isTrue(test(frame)) ? then(frame) : otherwise(frame));
    }
  }
}

function constantValue({ value }: Constant): Value {
  if (typeof value === "object" && value !== null) return new Float(value.value);
  return typeof value === "number" || typeof value === "bigint" ? integer(value) : value;
}
