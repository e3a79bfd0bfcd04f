import type { If, Import, Print, Statement } from "../syntax/ast.ts";
import { str } from "../values/print.ts";
import type { Markup } from "../values/scalars.ts";
import { isTrue } from "../values/truth.ts";
import { PythonError, type Value } from "../values/types.ts";
import { compileAssignBlock, compileCallStatement, compileFilterBlock, compileWith } from "./blocks.ts";
import { compileExpression, type ExpressionContext } from "./expressions.ts";
import { compileFor } from "./loops.ts";
import { compileMacro } from "./macros.ts";
import type { Run } from "./run.ts";
import { BREAK, blockNames, CONTINUE, type Evaluate, type Execute, type Frame, NEXT, type Scope } from "./scope.ts";
import { addTexts, operandsOf } from "./sums.ts";
import { compileTarget } from "./targets.ts";

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
    case "callBlock":
      return compileCallStatement(node, context);
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

function compileImport(node: Import): Execute {
  return ({ run }) => {
    run.node = node;
    throw new PythonError("TypeError", `"${node.tag}" has nowhere to load a template from`);
  };
}
