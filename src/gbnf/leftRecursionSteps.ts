import { firstReferences, nullableRules } from "./leftRecursion.ts";
import type { GbnfRule } from "./types.ts";

/**
 * About how many steps llama.cpp's search for left recursion takes: it goes through a rule again for every way in which another one
 * can start with it, so that rules that share their rests may take it longer than anyone waits. No rule may start with itself.
 */
export function leftRecursionSteps(rules: readonly GbnfRule[]): number {
  const byName = new Map(rules.map((rule) => [rule.name, rule]));
  const nullable = nullableRules(rules);
  const starts = new Map(
    rules.map((rule) => [rule, firstReferences(rule.body, nullable).flatMap((name) => byName.get(name) ?? [])]),
  );
  const known = new Map<GbnfRule, number>();
  let all = 0;
  for (const rule of rules) {
    const waiting = [rule];
    while (waiting.length > 0) {
      const last = waiting[waiting.length - 1];
      const unknown = known.has(last) ? [] : starts.get(last)!.filter((one) => !known.has(one));
      if (unknown.length > 0) {
        waiting.push(...unknown);
        continue;
      }
      waiting.pop();
      if (!known.has(last))
        known.set(
          last,
          starts.get(last)!.reduce((sum, one) => sum + known.get(one)!, 1),
        );
    }
    all += known.get(rule)!;
  }
  return all;
}
