import { method } from "../methods/index.ts";
import type { Attribute, Expression, Slice, Subscript } from "../syntax/ast.ts";
import { attribute, item, slice } from "../values/attributes.ts";
import { Dict } from "../values/containers.ts";
import { compileExpression, type ExpressionContext } from "./expressions.ts";
import type { Evaluate } from "./scope.ts";

export function compileAttribute(node: Attribute, context: ExpressionContext): Evaluate {
  const object = compileExpression(node.object, context);
  const { name } = node;
  // A dict's methods and what the sandbox hides come before its items; every other name is an item.
  const isItem = !name.startsWith("__") && method(new Dict(), name) === undefined;
  return (frame) => {
    const value = object(frame);
    if (isItem && value instanceof Dict) {
      const found = value.get(name);
      if (found !== undefined) return found;
    }
    frame.run.node = node;
    return attribute(frame.run, value, name);
  };
}

export function compileSubscript(node: Subscript, context: ExpressionContext): Evaluate {
  const object = compileExpression(node.object, context);
  if (node.index.kind === "slice") return compileSlice(node, object, node.index, context);
  const index = compileExpression(node.index, context);
  return (frame) => {
    const value = object(frame);
    const key = index(frame);
    if (typeof key === "string" && value instanceof Dict) {
      const found = value.get(key);
      if (found !== undefined) return found;
    }
    frame.run.node = node;
    return item(frame.run, value, key);
  };
}

function compileSlice(node: Subscript, object: Evaluate, index: Slice, context: ExpressionContext): Evaluate {
  const bound = (part: Expression | null): Evaluate => (part === null ? () => null : compileExpression(part, context));
  const start = bound(index.start);
  const stop = bound(index.stop);
  const step = bound(index.step);
  return (frame) => {
    const value = object(frame);
    const from = start(frame);
    const to = stop(frame);
    const by = step(frame);
    frame.run.node = node;
    return slice(frame.run, value, from, to, by);
  };
}
