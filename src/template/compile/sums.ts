import type { Binary, Concat, Expression } from "../syntax/ast.ts";
import { binary } from "../values/arithmetic.ts";
import { concatenated } from "../values/print.ts";
import { Markup, Traced } from "../values/scalars.ts";
import { concatTexts, isText, type PlainText, textOf } from "../values/text.ts";
import type { Value } from "../values/types.ts";
import { compileExpression, type ExpressionContext } from "./expressions.ts";
import type { Evaluate, Frame } from "./scope.ts";

/** The operands of `a + b + c`, from left to right. */
export function operandsOf(node: Expression): Expression[] {
  return node.kind === "binary" && node.operator === "+" ? [...operandsOf(node.left), node.right] : [node];
}

/** Texts that are added one after another become one text in one step; anything else is added as it comes. */
export function compileSum(node: Binary, context: ExpressionContext): Evaluate {
  const operands = operandsOf(node).map((operand) => compileExpression(operand, context));
  return (frame) => {
    const sum = addTexts(frame, operands, node);
    return Array.isArray(sum) ? joinTexts(frame, sum) : sum;
  };
}

/** The texts that are to be joined; or the sum, where an operand is no text. */
export function addTexts(frame: Frame, operands: readonly Evaluate[], node: Expression): PlainText[] | Value {
  const texts: PlainText[] = [];
  for (let at = 0; at < operands.length; at++) {
    const value = operands[at]!(frame);
    if (!isPlainText(value)) return addValues(frame, texts, value, operands.slice(at + 1), node);
    texts.push(value);
  }
  return texts;
}

/** From the first operand that is no text on, from left to right. */
function addValues(
  frame: Frame,
  texts: readonly PlainText[],
  value: Value,
  rest: readonly Evaluate[],
  node: Expression,
): Value {
  const { run } = frame;
  run.node = node;
  let sum = texts.length === 0 ? value : binary(run, "+", joinTexts(frame, texts), value);
  for (const operand of rest) {
    const next = operand(frame);
    run.node = node;
    sum = binary(run, "+", sum, next);
  }
  return sum;
}

function joinTexts({ run }: Frame, texts: readonly PlainText[]): PlainText {
  let length = 0;
  for (const text of texts) length += textOf(text).length;
  run.allow(length);
  return concatTexts(texts);
}

/** A text that needs no escaping when it is added to another. */
function isPlainText(value: Value): value is PlainText {
  return typeof value === "string" || (value instanceof Traced && typeof value.value === "string");
}

/** `a ~ b ~ c`: the texts of all parts. */
export function compileConcat(node: Concat, context: ExpressionContext): Evaluate {
  const parts = node.parts.map((part) => compileExpression(part, context));
  return (frame) => {
    const values = parts.map((part) => part(frame));
    frame.run.node = node;
    return frame.run.escapes ? escapedConcat(frame, values) : concatenated(frame.run, values);
  };
}

/** `~` where texts are escaped: Markup as soon as one part is. */
function escapedConcat({ run }: Frame, values: readonly Value[]): Value {
  if (!values.some((value) => value instanceof Markup)) return concatenated(run, values);
  const escapeFilter = run.filter("escape")!;
  const parts = values.map((value) => escapeFilter.call(run, { positional: [value], named: null }));
  return new Markup(concatTexts(parts.filter(isText).map((part) => (part instanceof Markup ? part.text : part))));
}
