import type { GbnfExpression, GbnfRule } from "./types.ts";

export type LeftRecursion =
  | { readonly kind: "cycle"; readonly cycle: readonly GbnfRule[] }
  | { readonly kind: "empty_item"; readonly rule: GbnfRule; readonly at: GbnfExpression };

/** The first rule that can start with itself, and the rules on the way; or a repetition that llama.cpp makes one of. */
export function leftRecursion(rules: readonly GbnfRule[]): LeftRecursion | null {
  const byName = new Map(rules.map((rule) => [rule.name, rule]));
  const nullable = nullableRules(rules);
  const starts = new Map(
    rules.map((rule) => [rule, firstReferences(rule.body, nullable).flatMap((name) => byName.get(name) ?? [])]),
  );
  const cycle = findCycle(rules, starts);
  if (cycle !== null) return { kind: "cycle", cycle };

  const opensEmpty = new Set(rules.filter(({ body }) => hasEmptyOption(body)).map(({ name }) => name));
  for (const rule of rules) {
    const at = emptyItem(rule.body, opensEmpty);
    if (at !== null) return { kind: "empty_item", rule, at };
  }
  return null;
}

/** Names of the rules that match the empty text. */
export function nullableRules(rules: readonly GbnfRule[]): ReadonlySet<string> {
  const nullable = new Set<string>();
  for (let before = -1; before !== nullable.size; ) {
    before = nullable.size;
    for (const { name, body } of rules) if (!nullable.has(name) && isNullable(body, nullable)) nullable.add(name);
  }
  return nullable;
}

export function isNullable(one: GbnfExpression, rules: ReadonlySet<string>): boolean {
  switch (one.kind) {
    case "literal":
      return one.text === "";
    case "class":
    case "any":
    case "token":
      return false;
    case "reference":
      return rules.has(one.name);
    case "group":
      return isNullable(one.body, rules);
    case "sequence":
      return one.items.every((item) => isNullable(item, rules));
    case "alternatives":
      return one.options.some((option) => isNullable(option, rules));
    case "repeat":
      return one.min === 0 || isNullable(one.item, rules);
  }
}

/** Names of the rules that an expression can start with. */
export function firstReferences(one: GbnfExpression, nullable: ReadonlySet<string>): string[] {
  if (one.kind === "reference") return [one.name];
  if (one.kind === "group") return firstReferences(one.body, nullable);
  if (one.kind === "repeat") return one.max === 0 ? [] : firstReferences(one.item, nullable);
  if (one.kind === "alternatives") return one.options.flatMap((option) => firstReferences(option, nullable));
  if (one.kind !== "sequence") return [];
  const end = one.items.findIndex((item) => !isNullable(item, nullable));
  const first = end === -1 ? one.items : one.items.slice(0, end + 1);
  return first.flatMap((item) => firstReferences(item, nullable));
}

function findCycle(
  rules: readonly GbnfRule[],
  starts: ReadonlyMap<GbnfRule, readonly GbnfRule[]>,
): readonly GbnfRule[] | null {
  const done = new Set<GbnfRule>();
  for (const rule of rules) {
    const path: { readonly rule: GbnfRule; next: number }[] = [{ rule, next: 0 }];
    const onPath = new Set([rule]);
    while (path.length > 0) {
      const top = path[path.length - 1];
      const next = done.has(top.rule) ? undefined : starts.get(top.rule)![top.next++];
      if (next === undefined) {
        done.add(top.rule);
        onPath.delete(top.rule);
        path.pop();
      } else if (onPath.has(next)) {
        return path.slice(path.findIndex(({ rule: one }) => one === next)).map(({ rule: one }) => one);
      } else if (!done.has(next)) {
        onPath.add(next);
        path.push({ rule: next, next: 0 });
      }
    }
  }
  return null;
}

/** Whether the body itself has an option without any symbol; what its symbols match does not count. */
const hasEmptyOption = (body: GbnfExpression): boolean =>
  body.kind === "alternatives"
    ? body.options.some(hasEmptyOption)
    : (body.kind === "sequence" && body.items.length === 0) || (body.kind === "literal" && body.text === "");

/**
 * llama.cpp unrolls `x*` into `r ::= x r | ""`. If x is a rule with an empty option (a group and `y?` become one, too), its
 * check sees r start with r; an x that is empty in a less direct way passes.
 */
function emptyItem(one: GbnfExpression, opensEmpty: ReadonlySet<string>): GbnfExpression | null {
  if (one.kind === "repeat") {
    const { item } = one;
    const empty =
      (item.kind === "reference" && opensEmpty.has(item.name)) ||
      (item.kind === "group" && hasEmptyOption(item.body)) ||
      (item.kind === "repeat" && item.min === 0);
    if (empty && one.max === null) return one;
    return emptyItem(item, opensEmpty);
  }
  if (one.kind === "group") return emptyItem(one.body, opensEmpty);
  const children = one.kind === "sequence" ? one.items : one.kind === "alternatives" ? one.options : [];
  for (const child of children) {
    const found = emptyItem(child, opensEmpty);
    if (found !== null) return found;
  }
  return null;
}
