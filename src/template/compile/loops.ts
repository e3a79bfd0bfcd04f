import type { For, Target } from "../syntax/ast.ts";
import { undeclaredNames } from "../syntax/undeclaredNames.ts";
import { List, Tuple } from "../values/containers.ts";
import { iterate, lengthOf } from "../values/iterate.ts";
import { Markup } from "../values/scalars.ts";
import { isTrue } from "../values/truth.ts";
import type { Value } from "../values/types.ts";
import { compileExpression, type ExpressionContext } from "./expressions.ts";
import { LoopState } from "./loop.ts";
import { BREAK, blockNames, type Evaluate, type Execute, Frame, NEXT, type Scope, targetNames } from "./scope.ts";
import { compileBlock, compileStatements } from "./statements.ts";
import { compileTarget } from "./targets.ts";

export function compileFor(node: For, context: ExpressionContext): Execute {
  const { scope } = context;
  const iterable = compileExpression(node.iterable, { ...context });
  const names = targetNames(node.target);
  const inner = scope.block(blockNames(node.body, { parameters: [...names, "loop"] }));
  const assign = compileTarget(node.target, inner);
  const body = compileStatements(node.body, { ...context, scope: inner, soft: false });
  const slots = inner.slots();
  const loopSlot = inner.slot("loop")!;
  const needsLoop = node.recursive || undeclaredNames(node.body, ["loop"]).has("loop");
  const filter = node.test && compileFilter(node, node.test, context, names);
  const otherwise = node.otherwise.length
    ? compileBlock(node.otherwise, context, scope.block(blockNames(node.otherwise)))
    : null;

  /** How many turns came to their end: a turn that is left by `break` or `continue` does not count for `else`. */
  function turns(frame: Frame, items: Value, depth: number): number {
    const { run } = frame;
    run.node = node;
    const { next, length } = source(frame, items);
    const pull = filter ? () => filter(frame, next) : next;
    const loop = needsLoop
      ? new LoopState(pull, filter ? null : length, depth, node.recursive ? recurse(frame) : null)
      : null;
    const outer = { message: run.message, inMessageLoop: run.inMessageLoop, inLoop: run.inLoop };
    run.inLoop = true;
    let finished = 0;
    for (let item = loop ? loop.next() : pull(); item !== undefined; item = loop ? loop.next() : pull()) {
      run.charge(1);
      for (let i = 0; i < slots.length; i++) frame.slots[slots[i]!] = undefined;
      run.node = node;
      assign(frame, item);
      if (loop !== null) frame.slots[loopSlot] = loop;
      if (run.traced) {
        const message = run.messageOf(item);
        run.message = message >= 0 ? message : outer.message;
        run.inMessageLoop = message >= 0 || outer.inMessageLoop;
      }
      const flow = body(frame);
      if (flow === BREAK) break;
      if (flow === NEXT) finished++;
    }
    run.message = outer.message;
    run.inMessageLoop = outer.inMessageLoop;
    run.inLoop = outer.inLoop;
    return finished;
  }

  /** `loop(items)`: the same body for other items, with variables of its own. */
  const recurse =
    (frame: Frame) =>
    (_: unknown, items: Value, depth: number): Value => {
      const { run } = frame;
      run.enter();
      const text = run.collect(() => whole(new Frame(run, [...frame.slots], frame.parent), items, depth));
      run.leave();
      return run.escapes ? new Markup(text) : text;
    };

  function whole(frame: Frame, items: Value, depth: number): void {
    if (turns(frame, items, depth) === 0) otherwise?.(frame);
  }

  return (frame) => {
    whole(frame, iterable(frame), 0);
    return NEXT;
  };
}

/** The items of a loop, and how many there are where that is known. */
function source({ run }: Frame, items: Value): { next: () => Value | undefined; length: number | null } {
  if (items instanceof List) {
    let at = 0;
    return { next: () => items.items[at++], length: items.items.length };
  }
  const iterator = iterate(run, items);
  return { next: iterator.next, length: iterator === items ? null : lengthOf(run, items) };
}

/** The next item that passes a loop's own test. Several loop variables are put together anew: a list comes out as a tuple. */
function compileFilter(
  node: For,
  test: NonNullable<For["test"]>,
  context: ExpressionContext,
  names: readonly string[],
) {
  const scope = context.scope.block(blockNames([], { parameters: names, before: [test] }));
  const assign = compileTarget(node.target, scope);
  const passes = compileExpression(test, { ...context, scope });
  const packed = packTarget(node.target, scope);
  return (frame: Frame, next: () => Value | undefined): Value | undefined => {
    for (let item = next(); item !== undefined; item = next()) {
      frame.run.charge(1);
      assign(frame, item);
      if (isTrue(passes(frame))) return packed(frame);
    }
    return undefined;
  };
}

function packTarget(target: Target, scope: Scope): Evaluate {
  if (target.kind !== "targets") return scope.read(target.name);
  const items = target.items.map((item) => packTarget(item, scope));
  return (frame) => new Tuple(items.map((item) => item(frame)));
}
