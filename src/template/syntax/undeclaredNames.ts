import type { Arguments, Expression, Parameter, Slice, Statement, Target } from "./ast.ts";

/**
 * Which of `names` the statements read before they bind them, in the order of Jinja's own tree and without regard to scopes:
 * `{% set caller = caller %}` binds first. `loop`, `caller`, `varargs` and `kwargs` exist only where they are read so. Blocks
 * are looked at on their own, hence not here.
 */
export function undeclaredNames(body: readonly Statement[], names: Iterable<string>): ReadonlySet<string> {
  const search: Search = { open: new Set(names), found: new Set() };
  visitBody(search, body);
  return search.found;
}

interface Search {
  readonly open: Set<string>;
  readonly found: Set<string>;
}

function visitBody(search: Search, body: readonly Statement[]): void {
  for (const statement of body) visitStatement(search, statement);
}

function visitStatement(search: Search, statement: Statement): void {
  switch (statement.kind) {
    case "text":
    case "break":
    case "continue":
    case "block":
      break;
    case "print":
      visit(search, statement.value);
      break;
    case "if":
      visit(search, statement.test);
      visitBody(search, statement.body);
      visitBody(search, statement.otherwise);
      break;
    case "for":
      bind(search, statement.target);
      visit(search, statement.iterable);
      visitBody(search, statement.body);
      visitBody(search, statement.otherwise);
      visit(search, statement.test);
      break;
    case "assign":
      bind(search, statement.target);
      visit(search, statement.value);
      break;
    case "assignBlock":
      bind(search, statement.target);
      visit(search, statement.filter);
      visitBody(search, statement.body);
      break;
    case "macro":
      visitParameters(search, statement.parameters);
      visitBody(search, statement.body);
      break;
    case "callBlock":
      visit(search, statement.call);
      visitParameters(search, statement.parameters);
      visitBody(search, statement.body);
      break;
    case "filterBlock":
      visitBody(search, statement.body);
      visit(search, statement.filter);
      break;
    case "with":
      for (const { target } of statement.assignments) bind(search, target);
      for (const { value } of statement.assignments) visit(search, value);
      visitBody(search, statement.body);
      break;
    case "generation":
      visitBody(search, statement.body);
      break;
    case "autoescape":
      visit(search, statement.enabled);
      visitBody(search, statement.body);
      break;
    case "import":
      visit(search, statement.template);
      break;
  }
}

function bind(search: Search, target: Target): void {
  if (target.kind === "name") release(search, target.name);
  else if (target.kind === "targets") for (const item of target.items) bind(search, item);
}

function release(search: Search, name: string): void {
  search.open.delete(name);
}

function visitParameters(search: Search, parameters: readonly Parameter[]): void {
  for (const { name } of parameters) release(search, name);
  for (const { fallback } of parameters) visit(search, fallback);
}

function visit(search: Search, expression: Expression | Slice | null): void {
  if (expression === null) return;
  switch (expression.kind) {
    case "constant":
      break;
    case "name":
      if (search.open.has(expression.name)) search.found.add(expression.name);
      break;
    case "tuple":
    case "list":
      for (const item of expression.items) visit(search, item);
      break;
    case "dict":
      for (const pair of expression.pairs) for (const part of pair) visit(search, part);
      break;
    case "attribute":
      visit(search, expression.object);
      break;
    case "subscript":
      visit(search, expression.object);
      visit(search, expression.index);
      break;
    case "slice":
      for (const part of [expression.start, expression.stop, expression.step]) visit(search, part);
      break;
    case "call":
      visit(search, expression.callee);
      visitArguments(search, expression.arguments);
      break;
    case "filter":
    case "test":
      visit(search, expression.operand);
      visitArguments(search, expression.arguments);
      break;
    case "unary":
      visit(search, expression.operand);
      break;
    case "binary":
    case "logic":
      visit(search, expression.left);
      visit(search, expression.right);
      break;
    case "concat":
      for (const part of expression.parts) visit(search, part);
      break;
    case "comparison":
      visit(search, expression.first);
      for (const { operand } of expression.rest) visit(search, operand);
      break;
    case "conditional":
      for (const part of [expression.test, expression.then, expression.otherwise]) visit(search, part);
      break;
  }
}

function visitArguments(search: Search, args: Arguments): void {
  for (const value of args.positional) visit(search, value);
  for (const { value } of args.named) visit(search, value);
  visit(search, args.spread);
  visit(search, args.namedSpread);
}
