import { chain } from "./chain.ts";
import { expression as e, fixed, type Piece, print } from "./piece.ts";
import type { Random } from "./random.ts";
import type { Kind, Scope } from "./scope.ts";
import { TEXTS } from "./values.ts";

/** An expression of a kind, at most so deep. One in twenty-four is of any kind, to meet the errors. */
export function expressionOf(scope: Scope, kind: Kind, depth: number): Piece {
  const { random } = scope;
  const meant = random.oneIn(24) ? "any" : kind;
  if (meant === "any") return expressionOf(scope, random.pick(KINDS), depth);
  const names = scope.names[meant];
  if (depth <= 0) return random.oneIn(2) && names.length > 0 ? e`${random.pick(names)}` : LITERALS[meant](scope);
  if (random.oneIn(16)) return chain(scope);
  const made = random.oneIn(8) ? shared(scope, meant, depth - 1) : MAKERS[meant](scope, depth - 1);
  return random.oneIn(6) ? e`(${made})` : made;
}

const KINDS = ["text", "integer", "float", "bool", "list", "rows", "dict"] as const;
type Typed = (typeof KINDS)[number];

const LITERALS: Record<Typed, (scope: Scope) => Piece> = {
  text: ({ random }) => e`${quoted(random, random.pick(TEXTS))}`,
  integer: ({ random }) =>
    e`${random.pick(["0", "1", "2", "3", "-1", "10", "1_000", "0x1f", "0b101", "0o17", "98765432109876543210"])}`,
  float: ({ random }) => e`${random.pick(["1.0", "0.5", "2.5e3", "1e16", "1.5e-7", "10.25", "3.0", "1_0.5"])}`,
  bool: ({ random }) => e`${random.pick(["true", "false", "True", "False"])}`,
  list: ({ random }) =>
    e`${random.pick(["[]", "[1, 2, 3]", "['a', 'b']", "('x', 1)", "[none, 1.0, 'é']", "(1,)", "range(4)"])}`,
  rows: () => e`[{'name': 'q', 'n': 2}, {'name': 'Q', 'n': 1}]`,
  dict: ({ random }) => e`${random.pick(["{}", "{'a': 1, 'b': [2]}", "{1: 'x', 'name': none}", "dict(a=1, c='z')"])}`,
};

export function quoted(random: Random, text: string): string {
  const quote = random.pick(["'", '"']);
  const asEscape = random.oneIn(4);
  let body = "";
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (character === quote || character === "\\") body += `\\${character}`;
    else if (character === "\n" && !random.oneIn(3)) body += "\\n";
    else if (code < 32 && character !== "\n") body += `\\x${code.toString(16).padStart(2, "0")}`;
    else if (code > 0xffff && asEscape) body += `\\U${code.toString(16).padStart(8, "0")}`;
    else if (code > 0x7f && asEscape) body += `\\u${code.toString(16).padStart(4, "0")}`;
    else body += character;
  }
  return quote + body + quote;
}

/** As what stands before `.`, `[` or `|`: mostly in parentheses where it needs them. */
export function operand(scope: Scope, piece: Piece): Piece {
  return scope.random.oneIn(16) || /^(\w+|'[^'\\]*'|"[^"\\]*"|\([^()]*\)|\[[^[\]]*\])$/u.test(print(piece))
    ? piece
    : e`(${piece})`;
}

/** Ways to a value that there are for every kind. */
function shared(scope: Scope, kind: Typed, depth: number): Piece {
  const { random } = scope;
  const same = () => expressionOf(scope, kind, depth);
  const any = () => expressionOf(scope, "any", depth);
  const key = () => quoted(random, random.pick(["a", "b", "name", "n", "2"]));
  const attribute = () => random.pick(["a", "name", "nokey", "2"]);
  // What a method prints holds where it is in memory, so only what is none is printed.
  const methodOrItem = () => {
    const name = random.pick(scope.names.dict);
    const way = random.pick(["%.items", "%.keys", "%['items']", "%['get']", "%|attr('keys')"]).replace("%", name);
    return e`(${way} if ${way} is not callable else 'method')`;
  };
  return random.pick([
    () => e`${same()} if ${expressionOf(scope, "bool", depth)} else ${same()}`,
    () => e`${same()} if ${any()}`,
    () => e`${same()} or ${same()}`,
    () => e`${any()} and ${same()}`,
    () => e`${operand(scope, any())}|default(${same()}${random.pick(["", ", true", ", boolean=true"])})`,
    () => e`missing|default(${same()})`,
    methodOrItem,
    () => e`[${same()}, ${same()}]|${random.pick(["first", "last", "max", "min"])}`,
    () => e`${operand(scope, expressionOf(scope, "list", depth))}[${expressionOf(scope, "integer", 0)}]`,
    () => e`${operand(scope, expressionOf(scope, "dict", depth))}[${key()}]`,
    () => e`${operand(scope, expressionOf(scope, "dict", depth))}.${attribute()}`,
    () => e`${operand(scope, expressionOf(scope, "dict", depth))}.get(${key()}, ${same()})`,
    () => e`${operand(scope, expressionOf(scope, "dict", depth))}|attr(${key()})`,
    () => e`${operand(scope, any())}.${random.pick(["nokey", "real", "__class__", "a"])}`,
    () =>
      e`${operand(scope, same())}|${random.pick(["safe", "e", "string", "list", "int", "float", "abs", "length", "tojson", "pprint"])}`,
  ])();
}

const width = (random: Random): string => random.pick(["0", "1", "5", "8", "13", "-2"]);

const MAKERS: Record<Typed, (scope: Scope, depth: number) => Piece> = {
  text: (scope, depth) => {
    const { random } = scope;
    const s = () => expressionOf(scope, "text", depth);
    const any = () => expressionOf(scope, "any", depth);
    const int = () => expressionOf(scope, "integer", depth);
    const list = () => expressionOf(scope, "list", depth);
    const small = () => random.pick(["0", "1", "2", "3", "-1"]);
    return random.pick([
      () => e`${s()} + ${s()}`,
      () => e`${any()} ~ ${any()}${random.oneIn(2) ? fixed` ~ ${s()}` : ""}`,
      () => e`${s()} * ${small()}`,
      () => e`${operand(scope, s())}[${slice(scope)}]`,
      () => e`${operand(scope, s())}[${small()}]`,
      () =>
        e`${operand(scope, s())}.${random.pick(["upper", "lower", "capitalize", "title", "swapcase", "casefold", "strip", "lstrip", "rstrip"])}()`,
      () =>
        e`${operand(scope, s())}.${random.pick(["strip", "lstrip", "rstrip", "removeprefix", "removesuffix"])}(${s()})`,
      () => e`${operand(scope, s())}.replace(${s()}, ${s()}${random.pick(["", ", 1", ", 0", ", -1"])})`,
      () => e`${operand(scope, s())}.join(${expressionOf(scope, "list", depth)})`,
      () =>
        e`${operand(scope, s())}.${random.pick(["center", "ljust", "rjust"])}(${width(random)}${random.pick(["", ", '*'", ", 'é'"])})`,
      () => e`${operand(scope, s())}.zfill(${width(random)})`,
      () => e`${operand(scope, s())}.expandtabs(${random.pick(["", "4", "0"])})`,
      () => e`${operand(scope, s())}.split(${s()})[${small()}]`,
      () => e`${operand(scope, s())}.${random.pick(["partition", "rpartition"])}(${s()})[${small()}]`,
      () => e`${quoted(random, random.pick(FORMATS))}.format(${any()}, ${any()}, name=${any()})`,
      () =>
        e`${quoted(random, random.pick(["%s", "%r|%s", "%d", "%5.2f", "%-6s|", "%05d", "%x", "%%", "%e", "%+g", "%c", "%i%%"]))} % ${any()}`,
      () => e`${quoted(random, random.pick(["%s-%s", "%5s%d", "%.3s|%r"]))} % (${any()}, ${any()})`,
      () => e`${quoted(random, random.pick(["%s %s", "%d-%s", "%s"]))}|format(${any()}, ${any()})`,
      () => e`${operand(scope, any())}|string`,
      () =>
        e`${operand(scope, any())}|tojson${random.pick(["", "", "(indent=2)", "(indent=0)", "(true)", "(ensure_ascii=true)", "(sort_keys=true)", "(separators=(',', ':'))", "(false, 4)"])}`,
      () =>
        e`${operand(scope, s())}|${random.pick(["upper", "lower", "capitalize", "title", "trim", "e", "escape", "forceescape", "striptags", "safe", "urlencode", "urlize"])}`,
      () => e`${operand(scope, s())}|trim(${s()})`,
      () => e`${operand(scope, s())}|replace(${s()}, ${s()}${random.pick(["", ", 1"])})`,
      () =>
        e`${operand(scope, s())}|indent(${random.pick(["", "2", "1, true", "'> '", "2, false, true", "width=3, first=true", "blank=true"])})`,
      () =>
        e`${operand(scope, s())}|truncate(${random.pick(["5", "8, true", "3, true, '…'", "5, false, '!', 0", "255"])})`,
      () =>
        e`${operand(scope, s())}|wordwrap(${random.pick(["5", "3, false", "8, true, '|'", "4, break_on_hyphens=false"])})`,
      () => e`${operand(scope, s())}|center(${width(random)})`,
      () => e`${operand(scope, any())}|pprint`,
      () => e`${operand(scope, int())}|filesizeformat${random.pick(["", "(true)"])}`,
      () => e`${operand(scope, list())}|join${random.pick(["", "(', ')", "('-')"])}`,
      () => e`${operand(scope, expressionOf(scope, "rows", depth))}|join(${quoted(random, ",")}, attribute='name')`,
      () => e`${operand(scope, list())}|map('string')|join('|')`,
      () =>
        e`${operand(scope, expressionOf(scope, "rows", depth))}|map(attribute=${random.pick(["'name'", "'sub.name'", "'role', default='?'"])})|join('|')`,
      () => e`${operand(scope, s())}|string|reverse`,
      () => e`${operand(scope, expressionOf(scope, "dict", depth))}|xmlattr${random.pick(["", "(false)"])}`,
      () => callOfMacro(scope, depth) ?? s(),
    ])();
  },
  integer: (scope, depth) => {
    const { random } = scope;
    const i = () => expressionOf(scope, "integer", depth);
    const n = () => expressionOf(scope, random.pick(["integer", "integer", "float", "bool"] as const), depth);
    const s = () => expressionOf(scope, "text", depth);
    const sized = () => expressionOf(scope, random.pick(["text", "list", "dict", "rows"] as const), depth);
    return random.pick([
      () => e`${n()} ${random.pick(["+", "-", "*", "//", "%"])} ${i()}`,
      () => e`${i()} - ${i()} * ${i()}`,
      () => e`${i()} ** ${random.pick(["0", "2", "3", "-1"])}`,
      () => e`${random.pick(["-", "+"])}${operand(scope, i())}`,
      () => e`${operand(scope, sized())}|${random.pick(["length", "count"])}`,
      () =>
        e`${operand(scope, s())}.${random.pick(["count", "find", "rfind", "index", "rindex"])}(${s()}${random.pick(["", ", 1", ", 1, 3", ", -2"])})`,
      () =>
        e`${operand(scope, expressionOf(scope, "any", depth))}|int${random.pick(["", "(7)", "(0, 16)", "(default=1, base=2)"])}`,
      () => e`${operand(scope, n())}|abs`,
      () => e`${operand(scope, n())}|round|int`,
      () => e`${operand(scope, s())}|wordcount`,
      () => e`${operand(scope, expressionOf(scope, "list", depth))}|sum${random.pick(["", "(start=1)"])}`,
      () => e`${operand(scope, expressionOf(scope, "rows", depth))}|sum(attribute='n')`,
      () =>
        e`${operand(scope, expressionOf(scope, "list", depth))}.${random.pick(["index", "count"])}(${expressionOf(scope, "any", depth)})`,
      () => e`${operand(scope, expressionOf(scope, "list", depth))}|${random.pick(["first", "last", "max", "min"])}`,
      () =>
        scope.inLoop
          ? e`loop.${random.pick(["index", "index0", "revindex", "revindex0", "length", "depth", "depth0"])}`
          : i(),
    ])();
  },
  float: (scope, depth) => {
    const { random } = scope;
    const n = () => expressionOf(scope, random.pick(["float", "integer"] as const), depth);
    return random.pick([
      () => e`${n()} / ${n()}`,
      () => e`${n()} ${random.pick(["+", "-", "*", "//", "%"])} ${expressionOf(scope, "float", depth)}`,
      () => e`${operand(scope, n())}|abs ** ${random.pick(["2.0", "0.5", "-1"])}`,
      () => e`-${operand(scope, n())}`,
      () => e`${operand(scope, expressionOf(scope, "any", depth))}|float${random.pick(["", "(1.5)"])}`,
      () =>
        e`${operand(scope, n())}|round${random.pick(["", "(1)", "(2, 'ceil')", "(1, 'floor')", "(-1)", "(precision=3)"])}`,
      () => e`${operand(scope, n())}|abs`,
    ])();
  },
  bool: (scope, depth) => {
    const { random } = scope;
    const any = () => expressionOf(scope, "any", depth);
    const n = () => expressionOf(scope, random.pick(["integer", "float"] as const), depth);
    const s = () => expressionOf(scope, "text", depth);
    const compared = random.pick(["==", "!=", "<", "<=", ">", ">="]);
    return random.pick([
      () => e`${n()} ${compared} ${n()}`,
      () => e`${s()} ${compared} ${s()}`,
      () => e`${any()} ${random.pick(["==", "!=", "<"])} ${any()}`,
      () => e`${n()} ${random.pick(["<", "<=", "=="])} ${n()} ${compared} ${n()}`,
      () => e`${s()} ${random.pick(["in", "not in"])} ${random.oneIn(2) ? s() : expressionOf(scope, "list", depth)}`,
      () =>
        e`${any()} ${random.pick(["in", "not in"])} ${expressionOf(scope, random.pick(["list", "dict"] as const), depth)}`,
      () => e`not ${any()}`,
      () => e`${any()} ${random.pick(["and", "or"])} ${any()}`,
      () => e`${any()} is ${random.oneIn(3) ? "not " : ""}${random.pick(PLAIN_TESTS)}`,
      () =>
        e`missing${random.pick(["", ".a"])} is ${random.oneIn(3) ? "not " : ""}${random.pick(["defined", "undefined", "none", "string", "iterable"])}`,
      () => e`${n()} is ${random.pick(["even", "odd", "divisibleby(3)", "divisibleby 2"])}`,
      () => e`${any()} is ${random.pick(["eq", "ne", "lt", "ge", "sameas", "equalto", "in"])}(${any()})`,
      () =>
        e`${operand(scope, s())}.${random.pick(["startswith", "endswith"])}(${random.oneIn(3) ? e`(${s()}, ${s()})` : s()}${random.pick(["", ", 1"])})`,
      () =>
        e`${operand(scope, s())}.${random.pick(["isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "istitle", "isdecimal", "isnumeric", "isascii", "isidentifier", "isprintable"])}()`,
      () =>
        scope.inLoop
          ? e`loop.${random.pick(["first", "last", "previtem is defined", "nextitem is defined", "changed(1)"])}`
          : e`not ${any()}`,
    ])();
  },
  list: (scope, depth) => {
    const { random } = scope;
    const any = () => expressionOf(scope, "any", depth);
    const l = () => expressionOf(scope, "list", depth);
    const s = () => expressionOf(scope, "text", depth);
    const rows = () => expressionOf(scope, "rows", depth);
    return random.pick([
      () => e`[${any()}, ${any()}${random.pick(["", ","])}]`,
      () => e`(${any()}, ${any()})`,
      () => e`${l()} + ${l()}`,
      () => e`${l()} * ${random.pick(["0", "2", "-1"])}`,
      () => e`${operand(scope, l())}[${slice(scope)}]`,
      () =>
        e`${operand(scope, s())}.${random.pick(["split()", "split(' ')", "split(',', 1)", "rsplit(none, 1)", "rsplit('a')", "splitlines()", "splitlines(true)", "partition(' ')"])}`,
      () => e`range(${random.pick(["3", "1, 4", "5, 0, -2", "0", "2, 2"])})`,
      () => e`${operand(scope, any())}|list`,
      () =>
        e`${operand(scope, l())}|${random.pick(["reverse|list", "sort", "sort(reverse=true)", "sort(case_sensitive=true)", "unique|list", "batch(2)|list", "batch(3, 'x')|list", "slice(2)|list", "slice(3, 0)|list"])}`,
      () =>
        e`${operand(scope, l())}|map(${random.pick(["'upper'", "'string'", "'length'", "'int'", "'default', 'z'", "'replace', 'a', 'b'", "'round', 1"])})|list`,
      () =>
        e`${operand(scope, l())}|${random.pick(["select", "reject"])}${random.pick(["", "('string')", "('number')", "('odd')", "('gt', 1)", "('in', ['a', 1])", "('defined')", "('none')"])}|list`,
      () =>
        e`${operand(scope, rows())}|map(attribute=${random.pick(["'name'", "'n'", "'sub'", "'sub.a', default=0"])})|list`,
      () => e`${operand(scope, expressionOf(scope, "dict", depth))}.${random.pick(["keys", "values", "items"])}()|list`,
      () =>
        e`${operand(scope, expressionOf(scope, "dict", depth))}|${random.pick(["items|list", "dictsort", "dictsort(by='value')", "dictsort(true)", "dictsort(reverse=true)", "list"])}`,
      () =>
        e`${operand(scope, rows())}|groupby(${random.pick(["'role'", "'on'", "'name', case_sensitive=true", "'role', default='?'"])})|list`,
    ])();
  },
  rows: (scope, depth) => {
    const { random } = scope;
    const rows = () => expressionOf(scope, "rows", depth);
    return random.pick([
      () =>
        e`${operand(scope, rows())}|${random.pick(["selectattr", "rejectattr"])}(${random.pick(["'on'", "'n'", "'role', 'equalto', 'user'", "'role', 'defined'", "'n', 'none'", "'n', 'gt', 1", "'name', 'in', ['a', 'b']", "'sub.a', 'defined'"])})|list`,
      () =>
        e`${operand(scope, rows())}|sort(attribute=${random.pick(["'name'", "'n'", "'role,name'", "'name', reverse=true", "'name', case_sensitive=true"])})`,
      () => e`${operand(scope, rows())}[${slice(scope)}]`,
      () => e`${operand(scope, rows())}|reverse|list`,
      () => e`${rows()} + ${rows()}`,
      () => e`${operand(scope, rows())}|unique(attribute='name')|list`,
    ])();
  },
  dict: (scope, depth) => {
    const { random } = scope;
    const any = () => expressionOf(scope, "any", depth);
    const key = () => (random.oneIn(6) ? any() : e`${quoted(random, random.pick(["a", "b", "name", "X y"]))}`);
    return random.pick([
      () => e`{${key()}: ${any()}, ${key()}: ${any()}}`,
      () => e`{'a': ${any()}, 'a': ${any()}}`,
      () => e`dict(${expressionOf(scope, "dict", depth)}, a=${any()})`,
      () => e`dict(${operand(scope, expressionOf(scope, "dict", depth))}.items())`,
      () => e`dict(**${operand(scope, expressionOf(scope, "dict", depth))})`,
      () => e`dict.fromkeys(${expressionOf(scope, "list", depth)}${random.pick(["", ", 0"])})`,
      () => e`${operand(scope, expressionOf(scope, "rows", depth))}[${random.pick(["0", "-1"])}]`,
      () => e`${operand(scope, expressionOf(scope, "rows", depth))}|first`,
      () => e`${operand(scope, expressionOf(scope, "dict", depth))}.copy()`,
      () => e`namespace(a=${any()}, name='q')`,
    ])();
  },
};

const FORMATS = [
  "{}",
  "{0}-{1}",
  "{name}",
  "{!r}",
  "{:>8}|",
  "{:^9s}",
  "{:05d}",
  "{:,}",
  "{:.2f}",
  "{0:x}",
  "{{}}",
  "{name!s:<4}",
  "{0[0]}",
  "{0.a}",
  "{:e}",
  "{:%}",
];

const PLAIN_TESTS = [
  "defined",
  "undefined",
  "none",
  "true",
  "false",
  "boolean",
  "integer",
  "float",
  "number",
  "string",
  "sequence",
  "iterable",
  "mapping",
  "callable",
  "lower",
  "upper",
  "escaped",
  "filter",
  "test",
];

function slice(scope: Scope): Piece {
  const { random } = scope;
  const bound = () =>
    random.oneIn(3)
      ? ""
      : random.oneIn(6)
        ? expressionOf(scope, "integer", 0)
        : random.pick(["0", "1", "2", "-1", "-2", "100"]);
  return fixed`${bound()}:${bound()}${random.oneIn(3) ? fixed`:${random.pick(["", "1", "2", "-1", "-2"])}` : ""}`;
}

export function callOfMacro(scope: Scope, depth: number): Piece | undefined {
  const { random, macros } = scope;
  if (macros.size === 0) return undefined;
  const [name, parameters] = random.pick([...macros]);
  const given = random.several(
    0,
    parameters + (random.oneIn(8) ? 1 : 0),
    (i) => fixed`${i > 0 ? ", " : ""}${expressionOf(scope, "any", depth)}`,
  );
  return e`${name}(${given})`;
}
