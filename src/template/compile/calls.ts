import { filters } from "../filters/index.ts";
import { method } from "../methods/index.ts";
import type { Arguments, Call, Filter, Test } from "../syntax/ast.ts";
import { SyntaxFault } from "../syntax/syntaxFault.ts";
import { tests } from "../tests/index.ts";
import { attribute } from "../values/attributes.ts";
import { callValue } from "../values/call.ts";
import { Dict } from "../values/containers.ts";
import { toArray } from "../values/iterate.ts";
import { Traced, Undefined } from "../values/scalars.ts";
import { isText, plain, textOf } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { typeName } from "../values/typeName.ts";
import { type CallArguments, type Callable, PythonError, type Value } from "../values/types.ts";
import { refuseUndefined } from "../values/undefined.ts";
import { compileExpression, type ExpressionContext } from "./expressions.ts";
import type { Evaluate, Frame } from "./scope.ts";

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

export function compileCall(node: Call, context: ExpressionContext): Evaluate {
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

export function compileFilter(node: Filter, context: ExpressionContext): Evaluate {
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
  if (!soft) throw new SyntaxFault(message, node.at);
  return (frame) => {
    frame.run.node = node;
    throw new PythonError("TemplateRuntimeError", message);
  };
}

export function compileTest(node: Test, context: ExpressionContext): Evaluate {
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
