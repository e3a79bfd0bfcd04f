import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fault } from "../../../test/support/templateSyntax.ts";
import type { Expression } from "./ast.ts";
import { parseTemplate } from "./parser.ts";

/** A tree without its positions. */
function bare(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(bare);
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree)
      .filter(([key]) => key !== "at" && key !== "end")
      .map(([key, value]) => [key, bare(value)]),
  );
}

function expression(code: string): Expression {
  const [statement] = parseTemplate(`{{ ${code} }}`).body;
  if (statement?.kind !== "print") throw new Error(`no expression: ${code}`);
  return statement.value;
}

// biome-ignore lint/suspicious/noExplicitAny: trees of every kind, without positions
type Bare = any;

const anyText = fc.string({
  unit: fc
    .integer({ min: 0, max: 0x10ffff })
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code)),
});
const names = fc.constantFrom("a", "b", "x", "éa", "if", "loop");
const { tree } = fc.letrec<{ tree: Bare; args: Bare }>((tie) => ({
  args: fc.record({
    positional: fc.array(tie("tree"), { maxLength: 2 }),
    named: fc.uniqueArray(fc.record({ name: fc.constantFrom("p", "q", "class"), value: tie("tree") }), {
      selector: ({ name }) => name,
      maxLength: 2,
    }),
    spread: fc.option(tie("tree"), { freq: 5 }),
    namedSpread: fc.option(tie("tree"), { freq: 5 }),
  }),
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ kind: fc.constant("name"), name: fc.constantFrom("a", "b", "x", "éa") }),
    fc.record({
      kind: fc.constant("constant"),
      value: fc.oneof(
        anyText.map((text) => text.replaceAll("\r", "")),
        fc.bigInt({ min: 0n, max: 10n ** 30n }).map((value) => (value < 2n ** 53n ? Number(value) : value)),
        fc.constantFrom(true, false, null),
        fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => ({ kind: "float", value })),
      ),
    }),
    fc.record({ kind: fc.constantFrom("tuple", "list"), items: fc.array(tie("tree"), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant("dict"), pairs: fc.array(fc.tuple(tie("tree"), tie("tree")), { maxLength: 2 }) }),
    fc.record({ kind: fc.constant("attribute"), object: tie("tree"), name: names }),
    fc.record({
      kind: fc.constant("subscript"),
      object: tie("tree"),
      index: fc.oneof(
        tie("tree"),
        fc.record({
          kind: fc.constant("slice"),
          start: fc.option(tie("tree")),
          stop: fc.option(tie("tree")),
          step: fc.option(tie("tree")),
        }),
      ),
    }),
    fc.record({ kind: fc.constant("call"), callee: tie("tree"), arguments: tie("args") }),
    fc.record({
      kind: fc.constantFrom("filter", "test"),
      operand: tie("tree"),
      name: fc.constantFrom("f", "g.h"),
      arguments: tie("args"),
    }),
    fc.record({ kind: fc.constant("unary"), operator: fc.constantFrom("-", "+", "not"), operand: tie("tree") }),
    fc.record({
      kind: fc.constant("binary"),
      operator: fc.constantFrom("+", "-", "*", "/", "//", "%", "**"),
      left: tie("tree"),
      right: tie("tree"),
    }),
    fc.record({
      kind: fc.constant("logic"),
      operator: fc.constantFrom("and", "or"),
      left: tie("tree"),
      right: tie("tree"),
    }),
    fc.record({ kind: fc.constant("concat"), parts: fc.array(tie("tree"), { minLength: 2, maxLength: 3 }) }),
    fc.record({
      kind: fc.constant("comparison"),
      first: tie("tree"),
      rest: fc.array(
        fc.record({
          operator: fc.constantFrom("==", "!=", "<", "<=", ">", ">=", "in", "not in"),
          operand: tie("tree"),
        }),
        { minLength: 1, maxLength: 2 },
      ),
    }),
    fc.record({
      kind: fc.constant("conditional"),
      test: tie("tree"),
      // biome-ignore lint/suspicious/noThenProperty: the tree's own word
      then: tie("tree"),
      otherwise: fc.option(tie("tree")),
    }),
  ),
}));

/** With parentheses around everything. */
function write(node: Bare): string {
  switch (node.kind) {
    case "name":
      return node.name;
    case "constant":
      return writeConstant(node.value);
    case "tuple":
      return `(${node.items.map((item: Bare) => `${write(item)},`).join("")})`;
    case "list":
      return `[${node.items.map(write).join(",")}]`;
    case "dict":
      return `{${node.pairs.map((pair: Bare) => pair.map(write).join(":")).join(",")}}`;
    case "attribute":
      return `(${write(node.object)}.${node.name})`;
    case "subscript":
      return `(${write(node.object)}[${write(node.index)}])`;
    case "slice":
      return [node.start, node.stop, node.step].map((part) => (part === null ? "" : write(part))).join(":");
    case "call":
      return `(${write(node.callee)}${writeArguments(node.arguments)})`;
    case "filter":
      return `(${write(node.operand)}|${node.name}${writeArguments(node.arguments)})`;
    case "test":
      return `(${write(node.operand)} is ${node.name}${writeArguments(node.arguments)})`;
    case "unary":
      return `(${node.operator} ${write(node.operand)})`;
    case "binary":
    case "logic":
      return `(${write(node.left)} ${node.operator} ${write(node.right)})`;
    case "concat":
      return `(${node.parts.map(write).join("~")})`;
    case "comparison":
      return `(${[write(node.first), ...node.rest.map((step: Bare) => `${step.operator} ${write(step.operand)}`)].join(" ")})`;
    default:
      return `(${write(node.then)} if ${write(node.test)}${node.otherwise === null ? "" : ` else ${write(node.otherwise)}`})`;
  }
}

function writeArguments({ positional, named, spread, namedSpread }: Bare): string {
  const parts = positional.map(write);
  for (const { name, value } of named) parts.push(`${name}=${write(value)}`);
  if (spread !== null) parts.push(`*${write(spread)}`);
  if (namedSpread !== null) parts.push(`**${write(namedSpread)}`);
  return `(${parts.join(", ")})`;
}

function writeConstant(value: Bare): string {
  if (typeof value === "string") return `"${value.replace(/[\\"]/g, "\\$&")}"`;
  if (value === null) return "none";
  if (typeof value !== "object") return String(value);
  const text = String(value.value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

describe("expressions", () => {
  it("are what was written with all parentheses", () => {
    fc.assert(
      fc.property(tree, (node) => {
        expect(bare(expression(write(node)))).toEqual(node);
      }),
      { numRuns: 300 },
    );
  });

  it("have ranges that are expressions themselves, and mean the same alone", () => {
    fc.assert(
      fc.property(tree, (node) => {
        const { source, body } = parseTemplate(`{{ ${write(node)} }}`);
        const check = (part: unknown): void => {
          if (typeof part !== "object" || part === null) return;
          const located = part as { kind?: string; at?: number; end?: number };
          if (located.kind !== undefined && located.at !== undefined && !["print", "slice"].includes(located.kind))
            expect(bare(expression(source.slice(located.at, located.end)))).toEqual(bare(part));
          for (const child of Object.values(part)) check(child);
        };
        check(body);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["a or b and not c == d", "a or (b and (not (c == d)))"],
    ["a + b ~ c * d - e", "(a + (b ~ (c * d))) - e"],
    ["a ** b ** c * d", "((a ** b) ** c) * d"],
    ["-a ** b", "(-a) ** b"],
    ["-a.b(c)|f", "(-(a.b(c)))|f"],
    ["a|f|g(1)(2)", "((a|f)|g(1))(2)"],
    ["a if b else c if d else e", "a if b else (c if d else e)"],
    ["a if b if c", "(a if b) if c"],
    ["not a in b", "not (a in b)"],
    ["a is not b", "not (a is b)"],
    ["a is divisibleby 3 - 1", "(a is divisibleby(3)) - 1"],
    ["a is sameas b.c[0](1) and d", "(a is sameas(b.c[0](1))) and d"],
    ["a is x(1) is y", "(a is x(1)) is y"],
    ["a.0.b", "(a[0]).b"],
    ["a, b", "(a, b)"],
    ["a,", "(a,)"],
    ["a[]", "a[()]"],
    ["a[b, 1]", "a[(b, 1)]"],
    ["a is f in", "a is f(in)"],
    ["a if a is f else b", "a if (a is f()) else b"],
    ["'a' \"b\"'c'", "'abc'"],
    ["f(a, *b, c=1, **d,)", "f(a, c=1, *b, **d)"],
    ["[a, b,]", "[a, b]"],
    ["{a: 1, 'b': 2,}", "{a: 1, 'b': 2}"],
  ])("reads %s as %s", (code, full) => {
    expect(bare(expression(code))).toEqual(bare(expression(full)));
  });

  it("knows slices", () => {
    const none = { start: null, stop: null, step: null };
    const one = { kind: "constant", value: 1 };
    const index = (code: string) => bare(expression(`a[${code}]`)) as Bare;
    expect(index(":").index).toEqual({ kind: "slice", ...none });
    expect(index("::").index).toEqual({ kind: "slice", ...none });
    expect(index("1:").index).toEqual({ kind: "slice", ...none, start: one });
    expect(index(":1").index).toEqual({ kind: "slice", ...none, stop: one });
    expect(index("::1").index).toEqual({ kind: "slice", ...none, step: one });
  });

  it.each([
    ["", "an expression is expected"],
    [",", "an expression is expected"],
    ["a b", `not "b"`],
    ["a is f is g", "cannot follow a test"],
    ["a is f if b", `not "b"`],
    ["a. 1.2", `behind "."`],
    ["a.'b'", `behind "."`],
    ["a[1:2, 3]", "slice"],
    ["a[1,]", "an expression is expected"],
    ["f(a=1, a=2)", `"a" is given twice`],
    ["f(a=1, 2)", "without a name"],
    ["f(*a, 2)", "without a name"],
    ["f(*a, *b)", `second "*"`],
    ["f(**a, b=1)", `nothing can follow "**"`],
    ["f(a b)", `")" is expected`],
    ["[,]", "an expression is expected"],
    ["[1 2]", `"]" is expected`],
    ["{a}", `":" is expected`],
    ["a;", `not ";"`],
    ["a|1", "a name is expected"],
    [`${"(".repeat(200)}a${")".repeat(200)}`, "nested more than"],
    [`a${".b".repeat(300)}`, "levels deep"],
    [`a${"+b".repeat(300)}`, "levels deep"],
  ])("refuses %s", (code, message) => {
    expect(fault(`{{ ${code} }}`).message).toContain(message);
  });

  it("takes a repeated argument where Python needs a dictionary", () => {
    expect(expression("f(class=1, a=2, a=3)")).toMatchObject({
      arguments: { named: [{}, { name: "a" }, { name: "a" }] },
    });
  });

  it("takes long lists and concatenations", () => {
    expect(expression(`[${"1,".repeat(2000)}]`)).toMatchObject({ kind: "list" });
    expect(expression(`a${" ~ b".repeat(2000)}`)).toMatchObject({ kind: "concat" });
  });
});
