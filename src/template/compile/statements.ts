import type {
  AssignBlock,
  FilterBlock,
  For,
  If,
  Import,
  NamespaceTarget,
  Print,
  Statement,
  Target,
  With,
} from "../syntax/ast.ts";
import { undeclaredNames } from "../syntax/undeclaredNames.ts";
import { Dict, List, Namespace } from "../values/containers.ts";
import { iterate, lengthOf, toArray } from "../values/iterate.ts";
import { str } from "../values/print.ts";
import { Markup } from "../values/scalars.ts";
import { isText } from "../values/text.ts";
import { isTrue } from "../values/truth.ts";
import { typeName } from "../values/typeName.ts";
import { PythonError, type Value } from "../values/types.ts";
import { addTexts, compileExpression, type ExpressionContext, operandsOf } from "./expressions.ts";
import { LoopState, unpack } from "./loop.ts";
import { compileCallBlock, compileMacro } from "./macros.ts";
import type { Run } from "./run.ts";
import {
  BREAK,
  blockNames,
  CONTINUE,
  type Evaluate,
  type Execute,
  Frame,
  NEXT,
  type Scope,
  targetNames,
} from "./scope.ts";

/** Statements one after another. */
export function compileStatements(statements: readonly Statement[], context: ExpressionContext): Execute {
  const steps = statements.map((statement) => compileStatement(statement, context));
  if (steps.length === 1) return steps[0]!;
  return (frame) => {
    for (let i = 0; i < steps.length; i++) {
      const flow = steps[i]!(frame);
      if (flow !== NEXT) return flow;
    }
    return NEXT;
  };
}

/** A block with variables of its own. */
export function compileBlock(statements: readonly Statement[], context: ExpressionContext, scope: Scope): Execute {
  const body = compileStatements(statements, { ...context, scope, soft: false });
  const slots = scope.slots();
  if (slots.length === 0) return body;
  return (frame) => {
    for (const slot of slots) frame.slots[slot] = undefined;
    return body(frame);
  };
}

function compileStatement(node: Statement, context: ExpressionContext): Execute {
  const { scope } = context;
  switch (node.kind) {
    case "text": {
      const { text, at } = node;
      return ({ run }) => {
        run.out.literal(text, at);
        return NEXT;
      };
    }
    case "print":
      return compilePrint(node, context);
    case "if":
      return compileIf(node, { ...context, soft: true });
    case "for":
      return compileFor(node, context);
    case "break":
      return () => BREAK;
    case "continue":
      return () => CONTINUE;
    case "assign": {
      const value = compileExpression(node.value, context);
      const assign = compileTarget(node.target, scope);
      return (frame) => {
        const assigned = value(frame);
        frame.run.node = node;
        assign(frame, assigned);
        const { run } = frame;
        // A template that counts through the messages takes the one at hand into a variable.
        if (run.traced && run.inLoop && !run.inMessageLoop && run.messageOf(assigned) >= 0) {
          run.message = run.messageOf(assigned);
        }
        return NEXT;
      };
    }
    case "assignBlock":
      return compileAssignBlock(node, context);
    case "macro": {
      const assign = compileTarget({ kind: "name", name: node.name, at: node.at, end: node.end }, scope);
      const macro = compileMacro(node.name, node.parameters, node.body, context);
      return (frame) => {
        assign(frame, macro(frame));
        return NEXT;
      };
    }
    case "callBlock": {
      const call = compileCallBlock(node, context);
      return (frame) => {
        writeWhole(frame, call(frame), node.at);
        return NEXT;
      };
    }
    case "filterBlock":
      return compileFilterBlock(node, context);
    case "with":
      return compileWith(node, context);
    case "generation": {
      const body = compileBlock(node.body, context, scope.block(blockNames(node.body)));
      return (frame) => {
        const { run } = frame;
        const start = run.out.length;
        body(frame);
        if (run.out === run.main) run.generations.push([start, run.out.length]);
        return NEXT;
      };
    }
    case "block": {
      const body = compileBlock(node.body, context, scope.block(blockNames(node.body)));
      return (frame) => {
        body(frame);
        return NEXT;
      };
    }
    case "autoescape": {
      const enabled = compileExpression(node.enabled, context);
      const body = compileBlock(node.body, context, scope.block(blockNames(node.body)));
      return (frame) => {
        const { run } = frame;
        const before = run.escapes;
        run.escapes = isTrue(enabled(frame));
        const flow = body(frame);
        run.escapes = before;
        return flow;
      };
    }
    case "import":
      return compileImport(node);
  }
}

/** What is added only to be printed is printed part by part. */
function compilePrint({ value: node, at }: Print, context: ExpressionContext): Execute {
  const write = ({ run }: Frame, value: Value) => {
    run.out.value(typeof value === "string" && !run.escapes ? value : printedText(run, value), at);
    run.allow(run.out.length);
    return NEXT;
  };
  const operands = operandsOf(node).map((part) => compileExpression(part, context));
  if (operands.length === 1) {
    const [value] = operands as [Evaluate];
    return (frame) => write(frame, value(frame));
  }
  return (frame) => {
    const sum = addTexts(frame, operands, node);
    if (!Array.isArray(sum)) return write(frame, sum);
    for (const text of sum) write(frame, text);
    return NEXT;
  };
}

/** A chain of `elif`s may be long: it is a list of branches, and no nesting. */
function compileIf(node: If, context: ExpressionContext): Execute {
  const branches: { readonly test: Evaluate; readonly body: Execute }[] = [];
  let otherwise: readonly Statement[] = [node];
  while (otherwise.length === 1 && otherwise[0]!.kind === "if") {
    const { test, body, otherwise: next } = otherwise[0] as If;
    branches.push({ test: compileExpression(test, context), body: compileStatements(body, context) });
    otherwise = next;
  }
  const last = compileStatements(otherwise, context);
  if (branches.length === 1) {
    const [{ test, body }] = branches as [(typeof branches)[0]];
    return (frame) => (isTrue(test(frame)) ? body(frame) : last(frame));
  }
  return (frame) => {
    for (const { test, body } of branches) if (isTrue(test(frame))) return body(frame);
    return last(frame);
  };
}

function printedText(run: Run, value: Value): ReturnType<typeof str> {
  if (!run.escapes) return str(run, value);
  const escaped = run.filter("escape")!.call(run, { positional: [value], named: null });
  return (escaped as Markup).text;
}

/** A call block and a filter block write their value as it is: it has to be a text. */
function writeWhole({ run }: Frame, value: Value, at: number): void {
  if (!isText(value))
    throw new PythonError("TypeError", `the block's value has to be a text, found ${typeName(value)}`);
  run.out.value(value instanceof Markup ? value.text : value, at);
  run.allow(run.out.length);
}

type Store = (frame: Frame, value: Value) => void;

/** What assigns a value to a target whose names the scope has bound. */
export function compileTarget(target: Target, scope: Scope): Store {
  switch (target.kind) {
    case "name": {
      const slot = scope.slot(target.name)!;
      return (frame, value) => {
        frame.slots[slot] = value;
      };
    }
    case "namespace": {
      const namespace = scope.read(target.name);
      const { attribute } = target;
      return (frame, value) => {
        const object = namespace(frame);
        if (!(object instanceof Namespace)) {
          throw new PythonError(
            "TemplateRuntimeError",
            `only a namespace's attributes can be set, and "${target.name}" is ${typeName(object)}`,
          );
        }
        if (attribute.startsWith("_")) {
          throw new PythonError("SecurityError", `a namespace has no attribute that begins with "_": ${attribute}`);
        }
        object.attributes.set(attribute, frame.run.remembered(value));
      };
    }
    case "targets": {
      const stores = target.items.map((item) => compileTarget(item, scope));
      return (frame, value) => {
        const values = unpack(toArray(frame.run, value), stores.length);
        for (let i = 0; i < stores.length; i++) stores[i]!(frame, values[i]!);
      };
    }
  }
}

/** Other than an assigned value, an assigned block may go to a dict, too. */
function compileBlockTarget(target: NamespaceTarget, scope: Scope): Store {
  const object = scope.read(target.name);
  const assign = compileTarget(target, scope);
  return (frame, value) => {
    const container = object(frame);
    if (container instanceof Dict) container.set(target.attribute, value);
    else assign(frame, value);
  };
}

function compileFor(node: For, context: ExpressionContext): Execute {
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

/** The next item that passes a loop's own test. */
function compileFilter(
  node: For,
  test: NonNullable<For["test"]>,
  context: ExpressionContext,
  names: readonly string[],
) {
  const scope = context.scope.block(blockNames([], { parameters: names, before: [test] }));
  const assign = compileTarget(node.target, scope);
  const passes = compileExpression(test, { ...context, scope });
  return (frame: Frame, next: () => Value | undefined): Value | undefined => {
    for (let item = next(); item !== undefined; item = next()) {
      frame.run.charge(1);
      assign(frame, item);
      if (isTrue(passes(frame))) return item;
    }
    return undefined;
  };
}

function compileAssignBlock(node: AssignBlock, context: ExpressionContext): Execute {
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

function compileFilterBlock(node: FilterBlock, context: ExpressionContext): Execute {
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

function compileWith(node: With, context: ExpressionContext): Execute {
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

function compileImport(node: Import): Execute {
  return ({ run }) => {
    run.node = node;
    throw new PythonError("TypeError", `"${node.tag}" has nowhere to load a template from`);
  };
}
