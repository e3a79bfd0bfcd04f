import type { JsonType, ValueForm } from "../parse/index.ts";

const text: readonly JsonType[] = ["string"];
const words: readonly JsonType[] = ["boolean", "null"];
const others: readonly JsonType[] = ["number", "integer", "array", "object"];

/**
 * How arguments are written that stand between texts of their own: strings as they are, everything else as JSON; `pythonWords`:
 * but `True`, `False` and `None`.
 */
export function argumentForms(
  between: string,
  suffix: string,
  { pythonWords = false }: { readonly pythonWords?: boolean } = {},
): readonly ValueForm[] {
  return [
    { types: text, between, suffix, writing: { kind: "raw" } },
    ...(pythonWords ? [{ types: words, between, suffix, writing: { kind: "python" } } as const] : []),
    { types: pythonWords ? others : [...others, ...words], between, suffix, writing: { kind: "json" } },
  ];
}
