import { parts } from "./checkGbnf.ts";
import type { Gbnf, GbnfRule } from "./types.ts";

/** The grammar's rules that these rules need, directly or not, in the grammar's order. */
export function reachableRules(gbnf: Gbnf, from: readonly GbnfRule[]): GbnfRule[] {
  const byName = new Map(gbnf.rules.map((rule) => [rule.name, rule]));
  const needed = new Set<GbnfRule>();
  const waiting = [...from];
  for (const { body } of waiting) {
    for (const one of parts(body)) {
      const rule = one.kind === "reference" ? byName.get(one.name) : undefined;
      if (rule === undefined || needed.has(rule)) continue;
      needed.add(rule);
      waiting.push(rule);
    }
  }
  return gbnf.rules.filter((rule) => needed.has(rule));
}
