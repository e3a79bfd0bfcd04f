import { type ErrorCode, TitoError } from "../errors.ts";
import { leftRecursion } from "./leftRecursion.ts";
import type { GbnfPlace } from "./reader.ts";
import type { Gbnf, GbnfExpression, GbnfRule } from "./types.ts";

interface CheckOptions {
  readonly root: string;
  readonly where?: (one: GbnfExpression | GbnfRule) => GbnfPlace | undefined;
}

/** Grammars never change: each is checked once for each root. */
const checked = new WeakMap<Gbnf, ReadonlySet<string>>();

/**
 * Whether llama.cpp can run a grammar: its root and every rule that it names are there, and no rule starts with itself.
 *
 * @throws TitoError `gbnf_missing_root`, `gbnf_undefined_rule`, `gbnf_left_recursion`
 */
export function checkGbnf(gbnf: Gbnf, { root, where }: CheckOptions): void {
  if (checked.get(gbnf)?.has(root)) return;
  const names = new Map(gbnf.rules.map((rule) => [rule.name, rule]));
  const fail = (
    code: ErrorCode,
    rule: GbnfRule | undefined,
    one: GbnfExpression | GbnfRule | undefined,
    what: string,
    details: Record<string, unknown> = {},
  ): never => {
    const place = one === undefined ? undefined : where?.(one);
    const at = place === undefined ? "" : `, line ${place.line}, column ${place.column}`;
    throw new TitoError(code, `Grammar${at}: ${what}`, {
      details: { ...place, ...(rule === undefined ? {} : { rule: rule.name }), ...details },
    });
  };

  for (const rule of gbnf.rules) {
    for (const one of parts(rule.body)) {
      if (one.kind !== "reference" || names.has(one.name)) continue;
      const what = `the rule "${rule.name}" names "${one.name}", which is not defined. Add: ${one.name} ::= …`;
      fail("gbnf_undefined_rule", rule, one, what, { missing: one.name });
    }
  }
  if (!names.has(root)) {
    const what = `there is no rule "${root}" to start from. Add: ${root} ::= …`;
    fail("gbnf_missing_root", undefined, undefined, what, { line: 1, column: 1, rule: root });
  }
  const found = leftRecursion(gbnf.rules);
  if (found === null) {
    checked.set(gbnf, new Set([...(checked.get(gbnf) ?? []), root]));
    return;
  }
  if (found.kind === "empty_item") {
    const what = `the rule "${found.rule.name}" repeats without limit what may be empty, which llama.cpp takes for left recursion. Take the empty option out of the repeated part.`;
    fail("gbnf_left_recursion", found.rule, found.at, what, { cycle: [found.rule.name] });
  } else {
    const cycle = found.cycle.map(({ name }) => name);
    const path = [...cycle, cycle[0]].join(" → ");
    const what = `the rule "${cycle[0]}" can start with itself (${path}), which llama.cpp cannot run. Put what comes first first: a ::= b (c b)* for a ::= b | a c b.`;
    fail("gbnf_left_recursion", found.cycle[0], found.cycle[0], what, { cycle });
  }
}

/** An expression and all in it; without recursion, for groups may be nested deep. */
export function* parts(one: GbnfExpression): Generator<GbnfExpression> {
  const waiting = [one];
  while (waiting.length > 0) {
    const next = waiting.pop()!;
    yield next;
    if (next.kind === "group") waiting.push(next.body);
    else if (next.kind === "repeat") waiting.push(next.item);
    else if (next.kind === "sequence") waiting.push(...next.items.toReversed());
    else if (next.kind === "alternatives") waiting.push(...next.options.toReversed());
  }
}
