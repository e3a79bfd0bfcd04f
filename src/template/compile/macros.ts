import type { CallBlock, Parameter, Statement } from "../syntax/ast.ts";
import { undeclaredNames } from "../syntax/undeclaredNames.ts";
import { callValue } from "../values/call.ts";
import { Dict, Tuple } from "../values/containers.ts";
import { Markup, Undefined } from "../values/scalars.ts";
import { type CallArguments, Callable, PythonError, type Runtime, type Value } from "../values/types.ts";
import { compileArguments } from "./calls.ts";
import { compileExpression, type ExpressionContext } from "./expressions.ts";
import { blockNames, type Evaluate, Frame } from "./scope.ts";
import { compileStatements } from "./statements.ts";

/** Makes a macro: the function that gives its value for the frame that it is defined in. */
export function compileMacro(
  name: string | null,
  parameters: readonly Parameter[],
  body: readonly Statement[],
  context: ExpressionContext,
): Evaluate {
  const names = parameters.map((parameter) => parameter.name);
  const undeclared = undeclaredNames(body, ["caller", "kwargs", "varargs"]);
  const uses = (special: string) => undeclared.has(special);
  const scope = context.scope.call(
    blockNames(body, { parameters: names, before: parameters.map((parameter) => parameter.fallback) }),
  );
  const slots = names.map((parameter) => scope.slot(parameter)!);
  const special = (parameter: string) => (uses(parameter) && !names.includes(parameter) ? scope.bind(parameter) : null);
  const callerSlot = special("caller");
  const kwargsSlot = special("kwargs");
  const varargsSlot = special("varargs");
  const inner: ExpressionContext = { ...context, scope, soft: false };
  const fallbacks = parameters.map(({ fallback }) => fallback && compileExpression(fallback, inner));
  const write = compileStatements(body, inner);
  const label = name === null ? "the block" : `macro "${name}"`;

  function fill(frame: Frame, { positional, named }: CallArguments): void {
    const left = new Map(named ?? []);
    slots.forEach((slot, index) => {
      const parameter = names[index]!;
      if (index < positional.length) frame.slots[slot] = positional[index]!;
      else {
        frame.slots[slot] = left.get(parameter);
        left.delete(parameter);
      }
    });
    if (callerSlot !== null) {
      const caller = left.get("caller");
      frame.slots[callerSlot] = caller ?? new Undefined("there is no caller: the macro is not used in a call block");
      left.delete("caller");
    }
    if (kwargsSlot !== null) {
      const rest = new Dict();
      for (const [key, value] of left) rest.set(key, value);
      frame.slots[kwargsSlot] = rest;
    } else if (left.size > 0) {
      throw new PythonError("TypeError", `${label} has no argument "${left.keys().next().value}"`);
    }
    if (varargsSlot !== null) frame.slots[varargsSlot] = new Tuple(positional.slice(names.length));
    else if (positional.length > names.length) {
      throw new PythonError(
        "TypeError",
        `${label} takes ${names.length} arguments, but ${positional.length} were given`,
      );
    }
    slots.forEach((slot, index) => {
      if (frame.slots[slot] !== undefined) return;
      const fallback = fallbacks[index];
      frame.slots[slot] = fallback ? fallback(frame) : new Undefined(`the argument "${names[index]}" was not given`);
    });
  }

  const attributes = new Map<string, Value>([
    ["name", name],
    ["arguments", new Tuple(names)],
    ["catch_kwargs", kwargsSlot !== null],
    ["catch_varargs", varargsSlot !== null],
    ["caller", callerSlot !== null],
  ]);

  return (definition) => {
    const { run } = definition;
    const call = (_: Runtime, args: CallArguments): Value => {
      const frame = new Frame(run, new Array(scope.layout.size).fill(undefined), definition);
      run.enter();
      fill(frame, args);
      const escapes = run.escapes;
      const text = run.collect(() => write(frame));
      run.leave();
      return escapes ? new Markup(text) : text;
    };
    return new Callable(name ?? "caller", "Macro", call, attributes);
  };
}

/** `{% call(…) f(…) %}…{% endcall %}`: f's value, where `caller()` is the block. */
export function compileCallBlock(node: CallBlock, context: ExpressionContext): Evaluate {
  const caller = compileMacro(null, node.parameters, node.body, context);
  const callee = compileExpression(node.call.callee, context);
  const args = compileArguments(node.call.arguments, context);
  return (frame) => {
    const target = callee(frame);
    const given = args(frame);
    frame.run.node = node.call;
    const named = new Map([...(given.named ?? []), ["caller", caller(frame)]]);
    return callValue(frame.run, target, { ...given, named });
  };
}
