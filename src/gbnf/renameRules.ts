import type { GbnfExpression } from "./types.ts";

/** The expression with other names in its references. */
export function renameRules(one: GbnfExpression, rename: (name: string) => string): GbnfExpression {
  switch (one.kind) {
    case "reference":
      return { ...one, name: rename(one.name) };
    case "group":
      return { ...one, body: renameRules(one.body, rename) };
    case "sequence":
      return { ...one, items: one.items.map((item) => renameRules(item, rename)) };
    case "alternatives":
      return { ...one, options: one.options.map((option) => renameRules(option, rename)) };
    case "repeat":
      return { ...one, item: renameRules(one.item, rename) };
    default:
      return one;
  }
}
