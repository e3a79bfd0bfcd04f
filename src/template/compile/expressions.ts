import { filters } from "../filters/index.ts";
import { method } from "../methods/index.ts";
import type {
  Arguments,
  Attribute,
  Binary,
  Call,
  Comparison,
  ComparisonOperator,
  Constant,
  Expression,
  Filter,
  Slice,
  Subscript,
  Test,
} from "../syntax/ast.ts";
import { tests } from "../tests/index.ts";
import { binary, signed } from "../values/arithmetic.ts";
import { attribute, item, slice } from "../values/attributes.ts";
import { callValue } from "../values/call.ts";
import { compare, contains, equal } from "../values/compare.ts";
import { Dict, List, Tuple } from "../values/containers.ts";
import { toArray } from "../values/iterate.ts";
import { integer } from "../values/numbers.ts";
import { concatenated } from "../values/print.ts";
import { Float, Markup, Traced, Undefined } from "../values/scalars.ts";
import { concatTexts, isText, type PlainText, plain, textOf } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { typeName } from "../values/typeName.ts";
import { type CallArguments, type Callable, PythonError, type Value } from "../values/types.ts";
import { refuseUndefined } from "../values/undefined.ts";
import { CompileFault } from "./fault.ts";

import type { Evaluate, Frame, Scope } from "./scope.ts";

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
    case "concat": {
      const parts = node.parts.map((part) => compileExpression(part, context));
      return (frame) => {
        const values = parts.map((part) => part(frame));
        frame.run.node = node;
        return joinedOf(frame, values);
      };
    }
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

/** The operands of `a + b + c`, from left to right. */
export function operandsOf(node: Expression): Expression[] {
  return node.kind === "binary" && node.operator === "+" ? [...operandsOf(node.left), node.right] : [node];
}

/** Texts that are added one after another become one text in one step; anything else is added as it comes. */
function compileSum(node: Binary, context: ExpressionContext): Evaluate {
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

function constantValue({ value }: Constant): Value {
  if (typeof value === "object" && value !== null) return new Float(value.value);
  return typeof value === "number" || typeof value === "bigint" ? integer(value) : value;
}

/** `a ~ b ~ c` of values. */
function joinedOf(frame: Frame, values: readonly Value[]): Value {
  return frame.run.escapes ? escapedConcat(frame, values) : concatenated(frame.run, values);
}

/** `~` where texts are escaped: Markup as soon as one part is. */
function escapedConcat({ run }: Frame, values: readonly Value[]): Value {
  if (!values.some((value) => value instanceof Markup)) return concatenated(run, values);
  const escapeFilter = run.filter("escape")!;
  const parts = values.map((value) => escapeFilter.call(run, { positional: [value], named: null }));
  return new Markup(concatTexts(parts.filter(isText).map((part) => (part instanceof Markup ? part.text : part))));
}

function compileAttribute(node: Attribute, context: ExpressionContext): Evaluate {
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

function compileSubscript(node: Subscript, context: ExpressionContext): Evaluate {
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

/** The values of a call's arguments; `first` goes before them. */
type EvaluateArguments = (frame: Frame, first?: Value) => CallArguments;

export function compileArguments(args: Arguments, context: ExpressionContext): EvaluateArguments {
  const parts = args.positional.map((part) => compileExpression(part, context));
  const values = (frame: Frame, first: Value | undefined): Value[] => {
    const positional: Value[] = first === undefined ? [] : [first];
    for (const part of parts) positional.push(part(frame));
    return positional;
  };
  if (args.named.length === 0 && args.spread === null && args.namedSpread === null) {
    return (frame, first) => ({ positional: values(frame, first), named: null });
  }
  const keywords = args.named.map(({ name, value }) => [name, compileExpression(value, context)] as const);
  const spread = args.spread && compileExpression(args.spread, context);
  const namedSpread = args.namedSpread && compileExpression(args.namedSpread, context);
  return (frame, first) => {
    const positional = values(frame, first);
    if (spread) positional.push(...spreadItems(frame, spread(frame)));
    const named = new Map<string, Value>();
    for (const [name, value] of keywords) named.set(name, value(frame));
    const tracedNames = namedSpread ? addNamed(named, namedSpread(frame)) : undefined;
    return { positional, named: named.size === 0 ? null : named, tracedNames };
  };
}

function spreadItems(frame: Frame, value: Value): Value[] {
  const items = toArray(frame.run, value);
  if (items.length > 10_000) frame.run.allow(Number.POSITIVE_INFINITY);
  return items;
}

/** Adds the entries of a dict behind `**`; gives the names that know their source. */
function addNamed(named: Map<string, Value>, value: Value): ReadonlyMap<string, Value> {
  if (value instanceof Undefined) refuseUndefined(value);
  if (!(value instanceof Dict))
    throw new PythonError("TypeError", `after ** a dict is needed, found ${typeName(value)}`);
  const tracedNames = new Map<string, Value>();
  for (const [key, entry] of value.entries()) {
    if (!isText(key)) throw new PythonError("TypeError", "names of arguments must be texts");
    const name = textOf(key);
    if (named.has(name)) throw new PythonError("TypeError", `the argument "${name}" is given twice`);
    named.set(name, entry);
    if (key instanceof Traced) tracedNames.set(name, key);
  }
  return tracedNames;
}

function compileCall(node: Call, context: ExpressionContext): Evaluate {
  const args = compileArguments(node.arguments, context);
  const { callee } = node;
  if (callee.kind !== "attribute") {
    const target = compileExpression(callee, context);
    return (frame) => {
      const value = target(frame);
      const given = args(frame);
      frame.run.node = node;
      return callValue(frame.run, value, given);
    };
  }
  // A method that only reads is called on its object without being bound to it first.
  const object = compileExpression(callee.object, context);
  const { name } = callee;
  const isReading = !changing.has(name);
  return (frame) => {
    const { run } = frame;
    const self = object(frame);
    const direct = isReading ? method(self, name) : undefined;
    if (direct !== undefined) {
      const given = args(frame, self);
      run.node = node;
      run.charge(1);
      return direct.call(run, given);
    }
    run.node = callee;
    const value = attribute(run, self, name);
    const given = args(frame);
    run.node = node;
    return callValue(run, value, given);
  };
}

/** Names of methods that change their object, which the sandbox may refuse. */
const changing = new Set([
  "append",
  "clear",
  "pop",
  "popitem",
  "reverse",
  "insert",
  "sort",
  "extend",
  "remove",
  "setdefault",
  "update",
]);

function compileFilter(node: Filter, context: ExpressionContext): Evaluate {
  const { name } = node;
  const operand = node.operand === null ? context.blockValue! : compileExpression(node.operand, context);
  const args = compileArguments(node.arguments, context);
  const filter = lookUp(filters, "filter", name, node, context);
  return (frame) => {
    const value = operand(frame);
    const given = args(frame, value);
    frame.run.node = node;
    return filter(frame).call(frame.run, given);
  };
}

/** Finds a filter or test when the template is compiled; under a condition it may be missing until it runs. */
function lookUp(
  known: ReadonlyMap<string, Callable>,
  kind: "filter" | "test",
  name: string,
  node: Filter | Test,
  { soft }: ExpressionContext,
): (frame: Frame) => Callable {
  const found = known.get(name);
  if (found !== undefined) return () => found;
  const message = `there is no ${kind} named "${name}"`;
  if (!soft) throw new CompileFault(message, node);
  return (frame) => {
    frame.run.node = node;
    throw new PythonError("TemplateRuntimeError", message);
  };
}

function compileTest(node: Test, context: ExpressionContext): Evaluate {
  const operand = compileExpression(node.operand, context);
  const test = lookUp(tests, "test", node.name, node, context);
  const quick = node.arguments.positional.length === 0 ? quickTests[node.name] : undefined;
  if (quick) return (frame) => quick(operand(frame));
  const args = compileArguments(node.arguments, context);
  return (frame) => {
    const given = args(frame, operand(frame));
    frame.run.node = node;
    return isTrue(test(frame).call(frame.run, given));
  };
}

/** The tests that templates use most. */
const quickTests: Readonly<Record<string, ((value: Value) => boolean) | undefined>> = Object.assign(
  Object.create(null),
  {
    defined: (value: Value) => !(value instanceof Undefined),
    undefined: (value: Value) => value instanceof Undefined,
    none: (value: Value) => plain(value) === null,
    string: (value: Value) => isText(value),
    mapping: (value: Value) => value instanceof Dict,
    true: (value: Value) => plain(value) === true,
    false: (value: Value) => plain(value) === false,
  },
);

function compileComparison(node: Comparison, context: ExpressionContext): Evaluate {
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
