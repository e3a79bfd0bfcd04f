import type { AssignBlock, CallBlock, FilterBlock, With } from "../syntax/ast.ts";
import { Markup } from "../values/scalars.ts";
import { isText } from "../values/text.ts";
import { typeName } from "../values/typeName.ts";
import { PythonError, type Value } from "../values/types.ts";
import { compileExpression, type ExpressionContext } from "./expressions.ts";
import { compileCallBlock } from "./macros.ts";
import { blockNames, type Evaluate, type Execute, type Frame, NEXT, targetNames } from "./scope.ts";
import { compileBlock, compileStatements } from "./statements.ts";
import { compileBlockTarget, compileTarget } from "./targets.ts";

/** `{% call %}` prints what it calls. */
export function compileCallStatement(node: CallBlock, context: ExpressionContext): Execute {
  const call = compileCallBlock(node, context);
  return (frame) => {
    writeWhole(frame, call(frame), node.at);
    return NEXT;
  };
}

/** A call block and a filter block write their value as it is: it has to be a text. */
function writeWhole({ run }: Frame, value: Value, at: number): void {
  if (!isText(value))
    throw new PythonError("TypeError", `the block's value has to be a text, found ${typeName(value)}`);
  run.out.value(value instanceof Markup ? value.text : value, at);
  run.allow(run.out.length);
}

export function compileAssignBlock(node: AssignBlock, context: ExpressionContext): Execute {
  const scope = context.scope.block(blockNames(node.body));
  const body = compileBlock(node.body, context, scope);
  const { target } = node;
  const assign =
    target.kind === "namespace" ? compileBlockTarget(target, context.scope) : compileTarget(target, context.scope);
  const filtered = withBlockValue(node.filter, { ...context, scope });
  return (frame) => {
    const { run } = frame;
    const text = run.collect(() => body(frame));
    const value = run.escapes ? new Markup(text) : text;
    const assigned = filtered ? filtered(frame, value) : value;
    run.node = node;
    assign(frame, assigned);
    return NEXT;
  };
}

/** A filter chain over a block's text. */
function withBlockValue(filter: AssignBlock["filter"], context: ExpressionContext) {
  if (filter === null) return null;
  const slot = context.scope.layout.size++;
  const blockValue: Evaluate = (frame) => frame.slots[slot]!;
  const chain = compileExpression(filter, { ...context, blockValue });
  return (frame: Frame, value: Value): Value => {
    frame.slots[slot] = value;
    return chain(frame);
  };
}

export function compileFilterBlock(node: FilterBlock, context: ExpressionContext): Execute {
  const scope = context.scope.block(blockNames(node.body));
  const body = compileBlock(node.body, context, scope);
  const filtered = withBlockValue(node.filter, { ...context, scope, soft: false })!;
  return (frame) => {
    const { run } = frame;
    const text = run.collect(() => body(frame));
    writeWhole(frame, filtered(frame, run.escapes ? new Markup(text) : text), node.at);
    return NEXT;
  };
}

export function compileWith(node: With, context: ExpressionContext): Execute {
  const parameters = node.assignments.flatMap(({ target }) => targetNames(target));
  const scope = context.scope.block(blockNames(node.body, { parameters }));
  const values = node.assignments.map(({ value }) => compileExpression(value, context));
  const stores = node.assignments.map(({ target }) => compileTarget(target, scope));
  const body = compileStatements(node.body, { ...context, scope, soft: false });
  const slots = scope.slots();
  return (frame) => {
    for (const slot of slots) frame.slots[slot] = undefined;
    stores.forEach((store, index) => {
      const value = values[index]!(frame);
      frame.run.node = node;
      store(frame, value);
    });
    return body(frame);
  };
}
