import { callOfMacro, expressionOf, operand, quoted } from "./expressions.ts";
import { fixed, type Piece, statement } from "./piece.ts";
import type { Random } from "./random.ts";
import { GIVEN, type Kind, type Names, type Scope } from "./scope.ts";

/** A whole random template. Every other one prints one expression: nothing in it hides behind another one's error. */
export function randomTemplate(random: Random): Piece {
  const scope: Scope = { random, names: GIVEN, inLoop: false, macros: new Map() };
  if (random.oneIn(2)) return fixed`{{ ${expressionOf(scope, random.pick(KINDS), 1 + random.below(3))} }}`;
  return fixed`${body(scope, random.oneIn(3) ? 4 : 2, 2)}`;
}

/** A run of statements. Names that one of them binds are there for those behind it. */
function body(scope: Scope, most: number, depth: number): Piece[] {
  const pieces: Piece[] = [];
  let inside = scope;
  for (let i = 1 + scope.random.below(most); i > 0; i--) {
    const [made, after] = one(inside, depth);
    pieces.push(made);
    inside = after;
  }
  return pieces;
}

type Made = readonly [piece: Piece, after: Scope];

function one(scope: Scope, depth: number): Made {
  const { random } = scope;
  if (depth <= 0 || random.oneIn(3)) return [random.oneIn(4) ? text(random) : print(scope), scope];
  return random.pick(STATEMENTS)(scope, depth - 1);
}

const SIMPLE_DEPTHS = [0, 0, 1, 1, 1, 2, 2, 3];

function print(scope: Scope): Piece {
  const { random } = scope;
  const value = expressionOf(scope, random.pick(KINDS), random.pick(SIMPLE_DEPTHS));
  return statement`{{${random.pick(["", "", "-", "+"])} ${value}${random.pick([" ", "", "\n "])}${random.pick(["", "", "-"])}}}`;
}

const KINDS: readonly Kind[] = ["text", "text", "integer", "float", "bool", "list", "rows", "dict", "any"];

const TEXT = [
  "x",
  "\n",
  " \n ",
  "\n\n  ",
  "  ",
  "a\r\n b",
  "{ ",
  "} %",
  "<|im_start|>\n",
  "# ",
  "é😀\n",
  "\t",
  "{# c #}",
  "\n  {#- c\n -#} ",
  "{#+ c +#}\n",
  "\f\u00a0",
];

const text = (random: Random): Piece => statement`${random.several(1, 3, () => fixed`${random.pick(TEXT)}`)}`;

/** A tag, with white space control. */
function tag(random: Random, inside: Piece): Piece {
  const indent = random.oneIn(4) ? random.pick(["  ", "\n    ", "\t"]) : "";
  return fixed`${indent}{%${random.pick(["", "-", "-", "+"])} ${inside} ${random.pick(["", "-", "-", "+"])}%}${random.oneIn(3) ? "\n" : ""}`;
}

function withNames(scope: Scope, kind: Kind, names: readonly string[]): Scope {
  const all: Names = { ...scope.names, [kind]: [...scope.names[kind], ...names, ...names] };
  return { ...scope, names: all };
}

const value = (scope: Scope, kind: Kind = "any") => expressionOf(scope, kind, scope.random.pick(SIMPLE_DEPTHS));

const STATEMENTS: readonly ((scope: Scope, depth: number) => Made)[] = [
  ifs,
  ifs,
  loop,
  loop,
  loop,
  assign,
  assign,
  assignBlock,
  macro,
  callBlock,
  filterBlock,
  withBlock,
  namespaces,
  rare,
];

function ifs(scope: Scope, depth: number): Made {
  const { random } = scope;
  const t = (inside: Piece) => tag(random, inside);
  const elifs = random.several(0, 1, () => statement`${t(fixed`elif ${value(scope)}`)}${body(scope, 2, depth)}`);
  const last = random.oneIn(2) ? statement`${t(fixed`else`)}${body(scope, 2, depth)}` : "";
  const test = t(fixed`if ${value(scope, random.oneIn(2) ? "bool" : "any")}`);
  return [statement`${test}${body(scope, 2, depth)}${elifs}${last}${t(fixed`endif`)}`, scope];
}

function loop(scope: Scope, depth: number): Made {
  const { random } = scope;
  const t = (inside: Piece) => tag(random, inside);
  const of = (what: Kind) => operand(scope, value(scope, random.oneIn(4) ? "any" : what));
  const [target, kind, names, iterable] = random.pick([
    ["x", "any", ["x"], () => of("list")],
    ["x", "any", ["x"], () => of("any")],
    ["row", "dict", ["row"], () => of("rows")],
    ["k, y", "any", ["k", "y"], () => fixed`${of("dict")}.items()`],
    ["k, y", "text", ["k"], () => fixed`${of("dict")}|${random.pick(["items", "dictsort"])}`],
    ["c", "text", ["c"], () => of("text")],
    ["k, (y, z)", "any", ["k", "y", "z"], () => fixed`[[1, ${value(scope, "list")}]]`],
    ["(k, y)", "any", ["k", "y"], () => fixed`${of("list")}|batch(2)`],
    ["n", "integer", ["n"], () => fixed`range(${random.pick(["4", "1, 3", "0"])})`],
  ] as const);
  const inner: Scope = { ...withNames(scope, kind, names), inLoop: true };
  const recursive = random.oneIn(12);
  const test = random.oneIn(4)
    ? fixed` if ${operand(scope, expressionOf({ ...inner, inLoop: false }, "bool", 1))}`
    : "";
  const marks = random.oneIn(3)
    ? statement`{{ ${random.pick(["loop.index", "loop.last", "loop.revindex0", "loop.cycle('o', 'e')", "loop.previtem", "loop.nextitem", "loop.changed(loop.index // 2)", "loop.length", "loop"])} }}`
    : "";
  const jump = random.oneIn(5)
    ? statement`${t(fixed`if ${expressionOf(inner, "bool", 1)}`)}${t(fixed`${random.pick(["break", "continue"])}`)}${t(fixed`endif`)}`
    : "";
  const deeper = recursive
    ? fixed`{{ loop(${random.pick(["x.a", "[]", "row.sub", "x", "y"])}) if loop.depth < 3 }}`
    : "";
  const otherwise = random.oneIn(4) ? statement`${t(fixed`else`)}${body(scope, 1, depth)}` : "";
  const head = t(fixed`for ${target} in ${iterable()}${test}${recursive ? " recursive" : ""}`);
  return [statement`${head}${marks}${body(inner, 2, depth)}${jump}${deeper}${otherwise}${t(fixed`endfor`)}`, scope];
}

function assign(scope: Scope): Made {
  const { random } = scope;
  const kind = random.pick(KINDS);
  const name = random.pick(["p", "q", "r", "s", "l", "d", "missing"]);
  if (random.oneIn(5)) {
    const pair = fixed`p, q = ${random.oneIn(2) ? fixed`${value(scope)}, ${value(scope)}` : value(scope, "list")}`;
    return [statement`${tag(random, fixed`set ${pair}`)}`, withNames(scope, "any", ["p", "q"])];
  }
  return [statement`${tag(random, fixed`set ${name} = ${value(scope, kind)}`)}`, withNames(scope, kind, [name])];
}

function assignBlock(scope: Scope, depth: number): Made {
  const { random } = scope;
  const name = random.pick(["p", "q", "s"]);
  const filter = random.oneIn(3)
    ? random.pick([" | upper", "|trim", " | replace('a', 'b')", "|indent(2, true)|e"])
    : "";
  const start = tag(random, fixed`set ${name}${filter}`);
  return [statement`${start}${body(scope, 2, depth)}${tag(random, fixed`endset`)}`, withNames(scope, "text", [name])];
}

function namespaces(scope: Scope, depth: number): Made {
  const { random } = scope;
  const t = (inside: Piece) => tag(random, inside);
  const start = t(fixed`set ns = namespace(a=${value(scope)}, found=false)`);
  const inner: Scope = { ...withNames(withNames(scope, "any", ["ns.a", "x"]), "bool", ["ns.found"]), inLoop: true };
  const change = t(fixed`set ns.${random.pick(["a", "found", "fresh"])} = ${expressionOf(inner, "any", 2)}`);
  const run = fixed`${t(fixed`for x in ${value(scope, "list")}`)}${change}${body(inner, 1, depth)}${t(fixed`endfor`)}`;
  const after = withNames(scope, "any", ["ns.a", "ns.found", "ns.fresh", "ns"]);
  return [statement`${start}${statement`${run}`}${print(after)}`, after];
}

function macro(scope: Scope, depth: number): Made {
  const { random } = scope;
  const name = random.pick(["m1", "m2"]);
  const [parameters, count] = random.pick([
    ["", 0],
    ["a1", 1],
    ["a1, b1='x'", 2],
    ["a1=missing, b1=a1", 2],
    ["a1, b1=2, c1=[]", 3],
  ] as const);
  const names = ["a1", "b1", "c1"].slice(0, count);
  const extra = random.oneIn(6)
    ? `{{ ${random.pick(["varargs", "kwargs", "caller is defined", `${name}.name`, `${name}.arguments`])} }}`
    : "";
  const inside: Scope = { ...withNames(scope, "any", names), inLoop: false, macros: new Map() };
  const start = tag(random, fixed`macro ${name}(${parameters})`);
  const after: Scope = { ...scope, macros: new Map([...scope.macros, [name, count]]) };
  const call = fixed`{{ ${callOfMacro(after, 1)!} }}`;
  return [
    statement`${statement`${start}${body(inside, 2, depth)}${extra}${tag(random, fixed`endmacro`)}`}${call}`,
    after,
  ];
}

function callBlock(scope: Scope, depth: number): Made {
  const { random } = scope;
  const start = tag(random, fixed`macro cb(p1='')`);
  const [taken, names] = random.pick([
    ["", []],
    ["(a2)", ["a2"]],
    ["(a2, b2=3)", ["a2", "b2"]],
  ] as const);
  const given = ["", "p1", "'u', 2"][random.oneIn(8) ? random.below(3) : names.length];
  const uses = random
    .pick(["{{ caller(%) }}", "[{{ caller(%) ~ 1 }}]", "{{ caller(%)|upper }}", "{{ caller.arguments }}"])
    .replace("%", given);
  const inner = withNames(scope, "any", names);
  const call = tag(random, fixed`call${taken} cb(${value(scope)})`);
  const macroText = fixed`${start}<${uses}>${tag(random, fixed`endmacro`)}`;
  return [statement`${macroText}${call}${body(inner, 2, depth)}${tag(random, fixed`endcall`)}`, scope];
}

function filterBlock(scope: Scope, depth: number): Made {
  const { random } = scope;
  const name = random.pick([
    "upper",
    "trim",
    "e",
    "indent(2)",
    "replace('a', 'b')",
    "upper|lower",
    "length",
    "title",
    "tojson",
  ]);
  return [
    statement`${tag(random, fixed`filter ${name}`)}${body(scope, 2, depth)}${tag(random, fixed`endfilter`)}`,
    scope,
  ];
}

function withBlock(scope: Scope, depth: number): Made {
  const { random } = scope;
  const head = random.pick([
    () => fixed`with p = ${value(scope)}, q = ${value(scope)}`,
    () => fixed`with p = ${value(scope)}, q = p`,
    () => fixed`with`,
  ])();
  const inner = withNames(scope, "any", ["p", "q"]);
  const after = random.oneIn(3) ? fixed`{{ p }}` : "";
  return [statement`${tag(random, head)}${body(inner, 2, depth)}${tag(random, fixed`endwith`)}${after}`, scope];
}

function rare(scope: Scope, depth: number): Made {
  const { random } = scope;
  const t = (inside: Piece) => tag(random, inside);
  const made = random.pick([
    () => statement`${t(fixed`raw`)}{{ x }}${random.pick(["", "\n", " {% y %} "])}${t(fixed`endraw`)}`,
    () => statement`${t(fixed`generation`)}${body(scope, 2, depth)}${t(fixed`endgeneration`)}`,
    () =>
      statement`${t(fixed`autoescape ${random.pick(["true", "false"])}`)}${body(scope, 2, depth)}${t(fixed`endautoescape`)}`,
    () =>
      statement`${t(fixed`block b${random.below(1e9)}${random.pick(["", " scoped"])}`)}${body({ ...scope, inLoop: false }, 2, depth)}${t(fixed`endblock`)}`,
    () => statement`{{ raise_exception(${value(scope, "text")}) }}`,
    () =>
      statement`{{ strftime_now(${quoted(random, random.pick(["%Y-%m-%d", "%d %b %Y", "%B %-d, %A", "%H:%M:%S|%p|%j", "%y%%%Z"]))}) }}`,
    () => statement`${t(fixed`set c = cycler('a', 'b')`)}{{ c.next() }}{{ c.next() }}{{ c.current }}`,
    () => statement`${t(fixed`set jn = joiner(${random.pick(["", "'; '"])})`)}{{ jn() }}{{ jn() }}`,
    () => statement`${t(fixed`include 'x'${random.pick(["", " ignore missing"])}`)}`,
    () => statement`{{ l.append(1) }}`,
  ])();
  return [made, scope];
}
